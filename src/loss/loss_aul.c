/* loss/loss_aul.c - asymmetric unhinged loss.
 *
 *     L = ((a-p_y)^q - (a-1)^q) / q
 *
 * after Zhou et al., "Asymmetric Loss Functions for Learning with Noisy Labels", ICML
 * 2021. The defaults are those of its authors for CIFAR. */
#include "loss/asymmetric.h"

enum { AUL_A, AUL_Q };

JSNI_SETUP const jsn_param_info aul_params[] = {
    {"a", "shift of the probability", 5.5, 1.001, 1e3, JSN_PARAM_REAL},
    {"q", "exponent", 3, 1e-3, 10, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real aul_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    return jsni_aul(row, grad, R(1), constant[AUL_A], constant[AUL_Q]);
}

JSNI_LOSS_DEFINE(aul, "aul", "asymmetric unhinged loss, ((a-p_y)^q - (a-1)^q) / q",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, aul_params, JSNI_COUNT_OF(aul_params),
                 NULL);
