/* loss/loss_nce_aul.c - normalised cross-entropy plus asymmetric unhinged loss.
 *
 *     L = alpha NCE + beta AUL
 *
 * after Zhou et al., "Asymmetric Loss Functions for Learning with Noisy Labels", ICML
 * 2021. The defaults are those of its authors for CIFAR-10; for
 * CIFAR-100 they take alpha 10, beta 0.015, a 6, q 3. */
#include "loss/asymmetric.h"
#include "loss/normalized.h"

JSNI_SETUP const jsn_param_info nce_aul_params[] = {
    JSNI_ALPHA_BETA_PARAMS(1, 4, "aul"),
    {"a", "shift of the probability", 6.3, 1.001, 1e3, JSN_PARAM_REAL},
    {"q", "exponent", 1.5, 1e-3, 10, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real nce_aul_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_real active = jsni_normalized(row, grad, constant[0]);
    return active + jsni_aul(row, grad, constant[1], constant[2], constant[3]);
}

JSNI_LOSS_DEFINE(nce_aul, "nce+aul", "active-passive loss, alpha nce + beta aul",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, nce_aul_params,
                 JSNI_COUNT_OF(nce_aul_params), NULL);
