/* loss/normalized.h - normalised cross-entropy, the active half of two losses.
 *
 *     L = (sum_k t_k l_k) / (sum_k l_k) = N / S
 *     dL/dl_k = t_k / S - N / S^2
 */
#ifndef JSNI_LOSS_NORMALIZED_H
#define JSNI_LOSS_NORMALIZED_H

#include "loss/row.h"

/* Adds weight times the loss to the gradient and returns it. */
JSNI_ROW static inline jsni_real jsni_normalized(const jsni_row *row, jsni_grad *grad,
                                                 jsni_scalar weight)
{
    const jsni_real own = jsni_target_logp(row);
    const jsni_real all = jsni_sum_logp(row);
    const jsni_real value = weight * (own / all);
    grad->target = grad->target + weight / all;
    grad->uniform = grad->uniform - value / all;
    return value;
}

#endif /* JSNI_LOSS_NORMALIZED_H */
