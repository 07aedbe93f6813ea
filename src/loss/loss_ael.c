/* loss/loss_ael.c - asymmetric exponential loss.
 *
 *     L = exp(-p_y / a)
 *
 * after Zhou et al., "Asymmetric Loss Functions for Learning with Noisy Labels", ICML
 * 2021. The default is that of its authors for CIFAR. */
#include "loss/asymmetric.h"

enum { AEL_A };

JSNI_SETUP const jsn_param_info ael_params[] = {
    {"a", "scale of the probability", 2.5, 1e-2, 1e3, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real ael_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    return jsni_ael(row, grad, R(1), constant[AEL_A]);
}

JSNI_LOSS_DEFINE(ael, "ael", "asymmetric exponential loss, exp(-p_y / a)",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, ael_params, JSNI_COUNT_OF(ael_params),
                 NULL);
