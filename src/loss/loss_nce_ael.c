/* loss/loss_nce_ael.c - normalised cross-entropy plus asymmetric exponential loss.
 *
 *     L = alpha NCE + beta AEL
 *
 * after Zhou et al., "Asymmetric Loss Functions for Learning with Noisy Labels", ICML
 * 2021. The defaults are those of its authors for CIFAR-10; for
 * CIFAR-100 they take alpha 10, beta 0.1, a 1.5. */
#include "loss/asymmetric.h"
#include "loss/normalized.h"

JSNI_SETUP const jsn_param_info nce_ael_params[] = {
    JSNI_ALPHA_BETA_PARAMS(1, 4, "ael"),
    {"a", "scale of the probability", 5, 1e-2, 1e3, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real nce_ael_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_real active = jsni_normalized(row, grad, constant[0]);
    return active + jsni_ael(row, grad, constant[1], constant[2]);
}

JSNI_LOSS_DEFINE(nce_ael, "nce+ael", "active-passive loss, alpha nce + beta ael",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, nce_ael_params,
                 JSNI_COUNT_OF(nce_ael_params), NULL);
