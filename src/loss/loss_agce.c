/* loss/loss_agce.c - asymmetric generalised cross-entropy.
 *
 *     L = ((a+1)^q - (a+p_y)^q) / q
 *
 * after Zhou et al., "Asymmetric Loss Functions for Learning with Noisy Labels", ICML
 * 2021. The defaults are those of its authors for CIFAR. */
#include "loss/asymmetric.h"

enum { AGCE_A, AGCE_Q };

JSNI_SETUP const jsn_param_info agce_params[] = {
    {"a", "shift of the probability", 0.6, 1e-3, 1e3, JSN_PARAM_REAL},
    {"q", "exponent", 0.6, 1e-3, 10, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real agce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    return jsni_agce(row, grad, R(1), constant[AGCE_A], constant[AGCE_Q]);
}

JSNI_LOSS_DEFINE(agce, "agce",
                 "asymmetric generalised cross-entropy, ((a+1)^q - (a+p_y)^q) / q",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, agce_params,
                 JSNI_COUNT_OF(agce_params), NULL);
