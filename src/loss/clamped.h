/* loss/clamped.h - `clamp=1`: the losses as the published code computes them, with
 * probabilities cut at 1e-7 and no gradient where they are. For experiments that are to be
 * repeated exactly; without it nothing is cut. With C_k = log max(p_k, 1e-7) and
 * u_k = [p_k >= 1e-7], dC_k/dl_k = u_k. */
#ifndef JSNI_LOSS_CLAMPED_H
#define JSNI_LOSS_CLAMPED_H

#include "loss/reverse.h"

#define JSNI_CLAMP_PARAM                                                         \
    {                                                                            \
        "clamp", "1: cut probabilities at 1e-7, as the published code", 0, 0, 1, \
            JSN_PARAM_REAL                                                       \
    }

/* 1e-7 and its logarithm are those of the dissection family. */
JSNI_ROW static inline jsni_real jsni_clamped_log(jsni_real l)
{
    return jsni_max(jsni_fill(R(JSNI_KL_LOG_FLOOR)), l);
}

/* x where the probability is not cut, 0 where it is. */
JSNI_ROW static inline jsni_real jsni_uncut(jsni_real l, jsni_real x)
{
    return jsni_less(l, jsni_fill(R(JSNI_KL_LOG_FLOOR)), jsni_fill(R(0)), x);
}

/*     L = sum_k (C_k - log f_k) b p_k - a t_k C_k,   f_k = max(t_k, floor), 1 for floor 0
 *     dL/dl_k = b p_k (C_k - log f_k + u_k) - a t_k u_k
 *
 * which is kl for b = 0, bs for floor 0, jeffreys for both a half. */
JSNI_ROW static inline jsni_real jsni_clamped(const jsni_row *row, jsni_grad *grad,
                                              jsni_scalar a, jsni_scalar b,
                                              jsni_scalar floor)
{
    const jsni_real one = jsni_fill(R(1)), least = jsni_fill(floor);
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real l = jsni_logp(row, 0, c), cut = jsni_clamped_log(l);
        const jsni_real t = jsni_target(row, c), own = b * jsni_p(row, 0, c);
        const jsni_real log_f =
            floor > R(0) ? jsni_log(jsni_max(least, t)) : jsni_fill(R(0));
        const jsni_real gap = cut - log_f;
        const jsni_real q = own * (gap + jsni_uncut(l, one)) - a * jsni_uncut(l, t);
        sum = sum + (own * gap - a * t * cut);
        slopes = slopes + q;
        jsni_put(row, 0, c, q);
    }
    grad->dense = 1;
    grad->dense_scale = one;
    grad->dense_sum = jsni_total(row, slopes);
    return jsni_total(row, sum);
}

/* Reverse cross-entropy, -sum_k max(p_k, 1e-7) log max(t_k, 1e-4), weight times. The rest
 * of the gradient may be in `grad`. */
JSNI_ROW static inline jsni_real
jsni_clamped_reverse(const jsni_row *row, jsni_grad *grad, jsni_scalar weight)
{
    const jsni_real floor = jsni_fill(R(JSNI_RCE_FLOOR));
    const jsni_real least = jsni_fill(R(JSNI_KL_FLOOR));
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c), l = jsni_logp(row, 0, c);
        const jsni_real height = -jsni_log(jsni_max(floor, jsni_target(row, c)));
        const jsni_real q = jsni_uncut(l, p * height);
        sum = sum + jsni_inside(row, 0, c, jsni_max(least, p) * height);
        slopes = slopes + q;
        jsni_put(row, 0, c, q);
    }
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(weight);
    grad->dense_sum = weight * jsni_total(row, slopes);
    return weight * jsni_total(row, sum);
}

#endif /* JSNI_LOSS_CLAMPED_H */
