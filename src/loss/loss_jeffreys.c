/* loss/loss_jeffreys.c - Jeffreys divergence.
 *
 *     L = (KL(t || p) + KL(p || t)) / 2
 *
 * with the target floored at 1e-7 in the second part, as in kl-rev. */
#include "loss/clamped.h"
#include "loss/dissect.h"

enum { JEFFREYS_SCALE, JEFFREYS_CLAMP };

JSNI_SETUP const jsn_param_info jeffreys_params[] = {JSNI_DISSECT_PARAMS,
                                                     JSNI_CLAMP_PARAM};

JSNI_ROW static inline jsni_real jeffreys_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar half = R(0.5) * row->constant[JSNI_DISSECT_FACTOR];
    if (row->constant[JEFFREYS_CLAMP] != R(0))
        return half * row->target_plogp +
               jsni_clamped(row, grad, half, half, R(JSNI_KL_FLOOR));
    const jsni_real forward = row->target_plogp - jsni_target_logp(row);
    grad->target = jsni_fill(-half);
    return half * forward +
           jsni_reverse(row, grad, half, R(JSNI_KL_FLOOR), R(JSNI_KL_LOG_FLOOR), 1);
}

JSNI_LOSS_DEFINE(jeffreys, "jeffreys", "(kl + kl-rev) / 2", JSNI_ONE_VIEW,
                 jeffreys_params, JSNI_COUNT_OF(jeffreys_params),
                 jsni_dissect_clamp_prepare);
