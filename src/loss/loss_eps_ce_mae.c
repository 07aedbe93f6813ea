/* loss/loss_eps_ce_mae.c - cross-entropy of the epsilon-softmax plus the absolute error.
 *
 *     L = alpha CE_eps + beta MAE,  MAE = 2 (1 - p_y)
 *
 * after Wang et al., "epsilon-Softmax: Approximating One-Hot Vectors for Mitigating Label
 * Noise", NeurIPS 2024, whose experiments use this sum. */
#include "loss/peak.h"

enum { EPS_SUM_ALPHA, EPS_SUM_BETA, EPS_SUM_M };

JSNI_SETUP const jsn_param_info eps_ce_mae_params[] = {
    {"alpha", "weight of the cross-entropy", 0.01, 0, 1e4, JSN_PARAM_REAL},
    {"beta", "weight of the absolute error", 5, 0, 1e4, JSN_PARAM_REAL},
    {"m", "what the largest probability is raised by", 1e5, 0, 1e6, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real eps_ce_mae_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_scalar height = R(2) * constant[EPS_SUM_BETA];
    const jsni_real active =
        jsni_peak_ce(row, grad, constant[EPS_SUM_ALPHA], constant[EPS_SUM_M]);
    grad->target = grad->target - height * jsni_exp(row->label_logp[0]);
    return active - height * jsni_expm1(row->label_logp[0]);
}

JSNI_LOSS_DEFINE(eps_ce_mae, "eps-ce+mae", "alpha eps-ce + beta mae",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, eps_ce_mae_params,
                 JSNI_COUNT_OF(eps_ce_mae_params), NULL);
