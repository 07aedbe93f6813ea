/* loss/reverse.h - losses with the prediction in the first place, whose target must be
 * kept away from 0: reverse cross-entropy and reverse Kullback-Leibler.
 *
 *     -sum_k p_k log max(t_k, floor)  [ + sum_k p_k l_k ]
 *
 * For a label the first part is -(log floor) (1 - p_y).
 */
#ifndef JSNI_LOSS_REVERSE_H
#define JSNI_LOSS_REVERSE_H

#include "loss/row.h"

/* 1e-4 for reverse cross-entropy, as its authors; 1e-7 in the dissection family. */
#define JSNI_RCE_FLOOR     1e-4
#define JSNI_RCE_LOG_FLOOR (-9.2103403719761827361)
#define JSNI_KL_FLOOR      1e-7
#define JSNI_KL_LOG_FLOOR  (-16.118095650958319788)

/* Adds weight times the loss to the gradient and returns it. `divergence` includes the
 * part in brackets. */
JSNI_ROW static inline jsni_real jsni_reverse(const jsni_row *row, jsni_grad *grad,
                                              jsni_scalar weight, jsni_scalar floor,
                                              jsni_scalar log_floor, int divergence)
{
    if (!row->soft) {
        const jsni_scalar height = weight * log_floor;
        grad->target = grad->target + height * jsni_exp(row->label_logp[0]);
        jsni_real value = height * jsni_expm1(row->label_logp[0]);
        if (divergence)
            value = value + jsni_add_plogp(row, grad, weight);
        return value;
    }
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real own = divergence ? jsni_logp(row, 0, c) : jsni_fill(R(0));
        const jsni_real log_t =
            jsni_log(jsni_max(jsni_fill(floor), jsni_target(row, c)));
        const jsni_real q = jsni_p(row, 0, c) * (own - log_t);
        sum = sum + q;
        jsni_put(row, 0, c, q);
    }
    sum = weight * jsni_total(row, sum);
    grad->dense = 1;
    grad->dense_scale = jsni_fill(weight);
    grad->dense_sum = sum;
    return sum;
}

#endif /* JSNI_LOSS_REVERSE_H */
