/* loss/loss_eps_ce.c - cross-entropy of the epsilon-softmax.
 *
 *     q = (p + m e_j) / (1 + m),  j the class with the largest p
 *     L = -log q_y
 *
 * after Wang et al., "epsilon-Softmax: Approximating One-Hot Vectors for Mitigating Label
 * Noise", NeurIPS 2024: predictions are pushed towards one-hot vectors, for which every
 * loss is robust. Of several largest classes each counts as j, so that the order of the
 * classes does not matter. Where y = j the loss is bounded by log(1 + 1/m), else it is
 * log(1 + m) - log p_y. */
#include "loss/peak.h"

enum { EPS_CE_M };

JSNI_SETUP const jsn_param_info eps_ce_params[] = {
    {"m", "what the largest probability is raised by", 1e4, 0, 1e6, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real eps_ce_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_peak_ce(row, grad, R(1), row->constant[EPS_CE_M]);
}

JSNI_LOSS_DEFINE(eps_ce, "eps-ce", "cross-entropy of the epsilon-softmax",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, eps_ce_params,
                 JSNI_COUNT_OF(eps_ce_params), NULL);
