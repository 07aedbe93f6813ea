/* loss/loss_rce.c - reverse cross-entropy.
 *
 *     L = -sum_k p_k log max(t_k, 1e-4)  =  9.21 (1 - p_y) for a label
 *
 * after Wang et al., "Symmetric Cross Entropy for Robust Learning with Noisy Labels",
 * ICCV 2019: cross-entropy with target and prediction exchanged. For labels it is a
 * multiple of the mean absolute error. */
#include "loss/reverse.h"

JSNI_ROW static inline jsni_real rce_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_reverse(row, grad, R(1), R(JSNI_RCE_FLOOR), R(JSNI_RCE_LOG_FLOOR), 0);
}

JSNI_LOSS_DEFINE(rce, "rce", "reverse cross-entropy, -sum_k p_k log max(t_k, 1e-4)",
                 JSNI_ONE_VIEW, NULL, 0, NULL);
