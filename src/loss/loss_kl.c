/* loss/loss_kl.c - Kullback-Leibler divergence of the prediction from the target.
 *
 *     L = KL(t || p) = sum_k t_k log(t_k / p_k)        dL/dz = p - t
 *
 * Cross-entropy minus the entropy of the target: the same as ce for labels. */
#include "loss/clamped.h"
#include "loss/dissect.h"

enum { KL_SCALE, KL_CLAMP };

JSNI_SETUP const jsn_param_info kl_params[] = {JSNI_DISSECT_PARAMS, JSNI_CLAMP_PARAM};

JSNI_ROW static inline jsni_real kl_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar factor = row->constant[JSNI_DISSECT_FACTOR];
    if (row->constant[KL_CLAMP] != R(0))
        return factor * row->target_plogp + jsni_clamped(row, grad, factor, R(0), R(0));
    grad->target = jsni_fill(-factor);
    return factor * (row->target_plogp - jsni_target_logp(row));
}

JSNI_LOSS_DEFINE(kl, "kl", "KL(t || p)", JSNI_ONE_VIEW, kl_params,
                 JSNI_COUNT_OF(kl_params), jsni_dissect_clamp_prepare);
