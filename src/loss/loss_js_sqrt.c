/* loss/loss_js_sqrt.c - root of the Jensen-Shannon divergence.
 *
 *     L = sqrt( mean over the batch of JS ),  pi_1 = 1/2, Z = 1
 *
 * The root of JS is a metric; published code takes it of the batch mean, so there are
 * no per-sample values. The row is JS; the common code takes the root and divides the
 * gradient by 2 L. As every prediction reaches its label the gradient of the logits
 * tends to 0; where the mean is 0 it is taken as 0, also for soft targets.
 *
 * The root magnifies what rounding does to small losses, so it is evaluated in double,
 * with 1 - p_y summed from the other classes, whose probabilities keep their digits. */
#include "loss/dissect.h"
#include "loss/mixture.h"

JSNI_SETUP const jsn_param_info js_sqrt_params[] = {JSNI_DISSECT_PARAMS};

JSNI_SETUP jsn_status js_sqrt_prepare(const char *spec, const jsni_spec_value *values,
                                      size_t views, jsni_loss_setup *setup)
{
    const jsn_status status = jsni_dissect_prepare(spec, values, views, setup);
    setup->outer = setup->constant[JSNI_DISSECT_FACTOR];
    setup->constant[JSNI_PI_TARGET] = 0.5;
    setup->constant[JSNI_PI_REST] = 0.5;
    setup->constant[JSNI_PI_LOG_REST] = -JSNI_LOG_2;
    setup->constant[JSNI_PI_FACTOR] = 1.0;
    setup->constant[JSNI_PI_VIEW] = 0.5;
    setup->in_double = true;
    return status;
}

JSNI_ROW static inline jsni_real js_sqrt_row(const jsni_row *row, jsni_grad *grad)
{
    if (row->soft)
        return jsni_js_view(row, grad);
    jsni_real others = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        others = others + jsni_p(row, 0, c) * (R(1) - jsni_target(row, c));
    const jsni_real p = jsni_exp(row->label_logp[0]);
    jsni_real slope;
    const jsni_real value =
        jsni_js_label(row->constant, p, jsni_total(row, others), &slope);
    grad->target = slope * p;
    return value;
}

JSNI_LOSS_DEFINE(js_sqrt, "js-sqrt", "root of the batch mean of JS, pi1=0.5",
                 JSNI_ONE_VIEW | JSNI_ROOT, js_sqrt_params,
                 JSNI_COUNT_OF(js_sqrt_params), js_sqrt_prepare);
