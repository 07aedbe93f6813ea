/* loss/peak.h - cross-entropy where the largest probability is raised by m; see
 * loss_eps_ce.c.
 *
 *     y the largest:  L = log((1 + m) / (p_y + m)) = -log1p((p_y - 1) / (1 + m))
 *     otherwise:      L = log(1 + m) - log p_y
 */
#ifndef JSNI_LOSS_PEAK_H
#define JSNI_LOSS_PEAK_H

#include "loss/row.h"

/* Adds weight times the loss to the gradient and returns it. */
JSNI_ROW static inline jsni_real jsni_peak_ce(const jsni_row *row, jsni_grad *grad,
                                              jsni_scalar weight, jsni_scalar m)
{
    const jsni_real zero = jsni_fill(R(0)), half = jsni_fill(R(0.5));
    jsni_real below = zero; /* 1 where the label's logit is not the largest */
    JSNI_UNROLL
    for (size_t c = row->target_first; c < row->target_last; c++)
        below = below +
                jsni_less(row->d[jsni_at(row, 0, c)], zero, jsni_target(row, c), zero);
    below = jsni_total(row, below);
    const jsni_real l = row->label_logp[0];
    const jsni_real p = jsni_exp(l);
    const jsni_real high = -jsni_log1p(jsni_expm1(l) / (R(1) + m));
    const jsni_real low = jsni_log(jsni_fill(R(1) + m)) - l;
    const jsni_real slope = jsni_less(half, below, jsni_fill(R(1)), p / (p + m));
    grad->target = grad->target - weight * slope;
    return jsni_doubt(row, 0) + weight * jsni_less(half, below, low, high);
}

#endif /* JSNI_LOSS_PEAK_H */
