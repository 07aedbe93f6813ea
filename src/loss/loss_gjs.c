/* loss/loss_gjs.c - generalised Jensen-Shannon divergence of the target and several
 * predictions.
 *
 *     m = pi_1 t + sum_j pi_j p_j
 *     L = [ pi_1 KL(t || m) + sum_j pi_j KL(p_j || m) ] / Z,  Z = -(1-pi_1) log(1-pi_1)
 *     dL/dz_j = pi_j / Z * p_j ( log(p_j / m) - KL(p_j || m) )
 *
 * after Englesson and Azizpour, "Generalized Jensen-Shannon Divergence Loss for Learning
 * with Noisy Labels", NeurIPS 2021. The predictions are those of differently augmented
 * views of one image: beside fitting the label, they are asked to agree. */
#include "core/fail.h"
#include "loss/clamped.h"
#include "loss/loss_number.h"
#include "loss/mixture.h"

JSNI_SETUP const jsn_param_info gjs_params[] = {JSNI_PI_PARAMS, JSNI_CLAMP_PARAM};

JSNI_SETUP jsn_status gjs_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    JSNI_TRY(jsni_pi_clamp(spec, values, JSNI_LOSS_AT_gjs_clamped, setup));
    return jsni_pi_prepare(spec, values, views, setup);
}

JSNI_ROW static inline jsni_real gjs_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_scalar pi1 = constant[JSNI_PI_TARGET];
    const jsni_scalar *pi = constant + JSNI_PI_VIEW;
    const jsni_scalar factor = constant[JSNI_PI_FACTOR];
    if (row->views == 1)
        return jsni_js_view(row, grad);
    if (row->views == 2) /* the usual case, unrolled */
        return jsni_mixture(row, 2, pi1, pi, factor, grad);
    return jsni_mixture(row, row->views, pi1, pi, factor, grad);
}

JSNI_LOSS_DEFINE(gjs, "gjs",
                 "generalised Jensen-Shannon divergence of target and views",
                 JSNI_JOINT, gjs_params, JSNI_COUNT_OF(gjs_params), gjs_prepare);
