/* loss/loss_taylor.c - Taylor cross-entropy.
 *
 *     L = sum_{i=1..t} (1 - p_y)^i / i
 *
 * after Feng et al., "Can Cross Entropy Loss Be Robust to Label Noise?", IJCAI 2020: the
 * series of -log p_y around 1, cut off. t = 1 is half the absolute error, large t is
 * cross-entropy. dL/dp_y = -(1 + r + ... + r^(t-1)) with r = 1 - p_y. */
#include "loss/row.h"

enum { TAYLOR_T };

JSNI_SETUP const jsn_param_info taylor_params[] = {
    {"t", "terms; 1: half the absolute error, many: cross-entropy", 2, 1, 100,
     JSN_PARAM_REAL},
};

JSNI_SETUP jsn_status taylor_prepare(const char *spec, const jsni_spec_value *values,
                                     size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_whole(spec, "t", values[TAYLOR_T].real);
}

JSNI_ROW static inline jsni_real taylor_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_real rest = -jsni_expm1(row->label_logp[0]);
    jsni_real value = jsni_fill(R(0)), slope = jsni_fill(R(0));
    /* Horner's scheme from the last term on. */
    for (jsni_scalar i = row->constant[TAYLOR_T]; i > R(0.5); i = i - R(1)) {
        value = rest * (value + jsni_fill(R(1) / i));
        slope = rest * slope + R(1);
    }
    grad->target = -slope * jsni_exp(row->label_logp[0]);
    return value + jsni_doubt(row, 0);
}

JSNI_LOSS_DEFINE(taylor, "taylor", "Taylor cross-entropy, sum_i (1-p_y)^i / i up to t",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, taylor_params,
                 JSNI_COUNT_OF(taylor_params), taylor_prepare);
