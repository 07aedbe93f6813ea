/* loss/loss_nce.c - normalised cross-entropy.
 *
 *     L = log p_y / sum_k log p_k
 *
 * after Ma et al., "Normalized Loss Functions for Deep Learning with Noisy Labels",
 * ICML 2020. The sum over all labels is 1, hence robust to symmetric noise. */
#include "loss/normalized.h"

JSNI_ROW static inline jsni_real nce_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_normalized(row, grad, R(1));
}

JSNI_LOSS_DEFINE(nce, "nce", "normalised cross-entropy, log p_y / sum_k log p_k",
                 JSNI_ONE_VIEW, NULL, 0, NULL);
