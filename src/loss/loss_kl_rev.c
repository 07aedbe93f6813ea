/* loss/loss_kl_rev.c - reverse Kullback-Leibler divergence, KL' in the literature.
 *
 *     L = sum_k p_k (log p_k - log max(t_k, 1e-7))  =  16.1 (1 - p_y) - H(p) for a label
 *
 * The floor keeps it finite for labels; without one it would be infinite. */
#include "loss/dissect.h"
#include "loss/reverse.h"

JSNI_SETUP const jsn_param_info kl_rev_params[] = {JSNI_DISSECT_PARAMS};

JSNI_ROW static inline jsni_real kl_rev_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_reverse(row, grad, row->constant[JSNI_DISSECT_FACTOR], R(JSNI_KL_FLOOR),
                        R(JSNI_KL_LOG_FLOOR), 1);
}

JSNI_LOSS_DEFINE(kl_rev, "kl-rev", "KL(p || t), t floored at 1e-7", JSNI_ONE_VIEW,
                 kl_rev_params, JSNI_COUNT_OF(kl_rev_params), jsni_dissect_prepare);
