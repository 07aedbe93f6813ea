/* loss/loss_anl_ce.c - active negative loss of cross-entropy.
 *
 *     L = alpha NCE + beta NNCE,  NNCE = 1 - u_y / sum_k u_k,
 *     u_k = log p_k - log min, 0 for p_k < min
 *
 * after Ye et al., "Active Negative Loss Functions for Learning with Noisy Labels",
 * NeurIPS 2023; alpha = beta = 5 for CIFAR-10, 10 and 1 for CIFAR-100. Its authors also
 * add an L1 norm of the network's weights, which is no part of a loss. */
#include "loss/negative.h"
#include "loss/normalized.h"

JSNI_SETUP const jsn_param_info anl_ce_params[] = {JSNI_ANL_PARAMS};

JSNI_ROW static inline jsni_real anl_ce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_real active = jsni_normalized(row, grad, row->constant[JSNI_ANL_ALPHA]);
    return active + jsni_negative(row, grad, row->constant[JSNI_ANL_BETA]);
}

JSNI_LOSS_DEFINE(anl_ce, "anl-ce",
                 "active negative loss, alpha nce + beta nnce; see --l1",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, anl_ce_params,
                 JSNI_COUNT_OF(anl_ce_params), jsni_anl_prepare);
