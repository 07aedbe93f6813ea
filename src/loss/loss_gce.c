/* loss/loss_gce.c - generalised cross-entropy.
 *
 *     L = (1 - p_y^q) / q,    0 < q <= 1
 *
 * after Zhang and Sabuncu, "Generalized Cross Entropy Loss for Training Deep Neural
 * Networks with Noisy Labels", NeurIPS 2018. q -> 0 is cross-entropy; q = 1 is
 * 1 - p_y, half the mean absolute error. L <= 1/q: unlike under cross-entropy, a
 * wrong label costs a bounded amount.
 *
 * With l_y = log p_y the loss is -expm1(q l_y) / q. In this form nothing cancels as
 * p_y -> 1 and no logarithm of zero is taken as p_y -> 0, so the probabilities need
 * no clamping. Its derivative is dL/dl_y = -p_y^q, and 0 for the other classes.
 */
#include "loss/clamped.h"

enum { GCE_Q, GCE_CLAMP };

JSNI_SETUP const jsn_param_info gce_params[] = {
    {"q", "towards 0: cross-entropy; 1: half the absolute error", 0.7, 1e-3, 1.0,
     JSN_PARAM_REAL},
    JSNI_CLAMP_PARAM,
};

JSNI_SETUP jsn_status gce_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "clamp", values[GCE_CLAMP].real);
}

JSNI_ROW static inline jsni_real gce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar q = row->constant[GCE_Q];
    if (row->constant[GCE_CLAMP] != R(0)) {
        const jsni_real l = row->label_logp[0], cut = q * jsni_clamped_log(l);
        grad->target = -jsni_uncut(l, jsni_exp(cut));
        return jsni_expm1(cut) / -q;
    }
    const jsni_real power = q * row->label_logp[0];
    grad->target = -jsni_exp(power);
    return jsni_expm1(power) / -q;
}

JSNI_LOSS_DEFINE(gce, "gce", "generalised cross-entropy, (1 - p_y^q) / q",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, gce_params, JSNI_COUNT_OF(gce_params),
                 gce_prepare);
