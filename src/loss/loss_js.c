/* loss/loss_js.c - Jensen-Shannon divergence between target and prediction.
 *
 *     m = pi_1 t + (1 - pi_1) p
 *     L = [ pi_1 KL(t || m) + (1 - pi_1) KL(p || m) ] / Z,  Z = -(1-pi_1) log(1-pi_1)
 *
 * after Englesson and Azizpour, "Generalized Jensen-Shannon Divergence Loss for Learning
 * with Noisy Labels", NeurIPS 2021. pi_1 -> 0 is cross-entropy, pi_1 -> 1 is 1 - p_y;
 * between them it is bounded and learns faster than the absolute error. Of several
 * views it takes the mean; gjs compares them. */
#include "core/fail.h"
#include "loss/clamped.h"
#include "loss/loss_number.h"
#include "loss/mixture.h"

JSNI_SETUP const jsn_param_info js_params[] = {JSNI_PI_PARAMS, JSNI_CLAMP_PARAM};

JSNI_SETUP jsn_status js_prepare(const char *spec, const jsni_spec_value *values,
                                 size_t views, jsni_loss_setup *setup)
{
    (void)views;
    JSNI_TRY(jsni_pi_clamp(spec, values, JSNI_LOSS_AT_js_clamped, setup));
    return jsni_pi_prepare(spec, values, 1, setup);
}

JSNI_ROW static inline jsni_real js_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_js_view(row, grad);
}

JSNI_LOSS_DEFINE(js, "js", "Jensen-Shannon divergence of target and prediction",
                 JSNI_ONE_VIEW, js_params, JSNI_COUNT_OF(js_params), js_prepare);
