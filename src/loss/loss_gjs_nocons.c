/* loss/loss_gjs_nocons.c - gjs without its consistency part: JS between the target and
 * the mean prediction.
 *
 *     s = b sum_j pi_j p_j / a,  a = 1 - pi_1,  b = 1
 *     m = pi_1 t + a s
 *     L = [ pi_1 KL(t || m) + a sum_k s_k log(s_k / m_k) ] / Z
 *     dL/ds_k = a log(s_k / m_k) / Z
 *
 * after Englesson and Azizpour (see loss_gjs.c). `code=1` is the form of the released
 * code, whose mean is not divided by a: b = a. */
#include "loss/mixture.h"

JSNI_SETUP const jsn_param_info gjs_nocons_params[] = {
    JSNI_PI_PARAMS,
    {"code", "1: as the released code, the mean not divided by 1-pi1", 0, 0, 1,
     JSN_PARAM_REAL},
};

JSNI_SETUP jsn_status gjs_nocons_prepare(const char *spec,
                                         const jsni_spec_value *values, size_t views,
                                         jsni_loss_setup *setup)
{
    const double code = values[3].real;
    jsn_status status = jsni_loss_flag(spec, "code", code);
    if (status == JSN_OK)
        status = jsni_pi_prepare(spec, values, views, setup);
    setup->constant[JSNI_PI_CODE] = code != 0.0 ? setup->constant[JSNI_PI_REST] : 1.0;
    return status;
}

/* With a label the loss depends on x, the mean probability of the label, alone. */
JSNI_ROW static inline jsni_real nocons_label(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_scalar pi1 = constant[JSNI_PI_TARGET];
    const jsni_scalar a = constant[JSNI_PI_REST];
    const jsni_scalar b = constant[JSNI_PI_CODE];
    const jsni_scalar factor = constant[JSNI_PI_FACTOR];
    jsni_real x = jsni_fill(R(0));
    jsni_real rest = jsni_fill(R(0));
    for (size_t j = 0; j < row->views; j++) {
        const jsni_scalar share = constant[JSNI_PI_VIEW + j] / a;
        x = x + share * jsni_exp(row->label_logp[j]);
        rest = rest - share * jsni_expm1(row->label_logp[j]);
    }
    jsni_real slope;
    jsni_real value = jsni_js_label(constant, x, rest, &slope);
    if (b != R(1)) {
        const jsni_real safe = jsni_max(jsni_fill(R(JSNI_SMALL)), x);
        const jsni_real log_m = jsni_log(pi1 + (a * b) * x);
        const jsni_real own = x * (jsni_log(b * safe) - log_m);
        const jsni_real others = rest * constant[JSNI_PI_LOG_REST];
        value = factor * ((a * b) * (own - others) - pi1 * log_m);
        slope = -(factor * a * b) * jsni_log1p((pi1 / (a * b)) / safe);
    }
    for (size_t j = 0; j < row->views; j++)
        grad[j].target =
            slope * (constant[JSNI_PI_VIEW + j] / a) * jsni_exp(row->label_logp[j]);
    return value;
}

/* The mean prediction s of a chunk. */
JSNI_ROW static inline jsni_real nocons_mean(const jsni_row *row, size_t c)
{
    const jsni_scalar scale = row->constant[JSNI_PI_CODE] / row->constant[JSNI_PI_REST];
    jsni_real s = jsni_fill(R(0));
    for (size_t j = 0; j < row->views; j++)
        s = s + row->constant[JSNI_PI_VIEW + j] * jsni_p(row, j, c);
    return scale * s;
}

JSNI_ROW static inline jsni_real nocons_soft(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar pi1 = row->constant[JSNI_PI_TARGET];
    const jsni_scalar a = row->constant[JSNI_PI_REST];
    const jsni_scalar factor = row->constant[JSNI_PI_FACTOR];
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    jsni_real sums[JSN_LOSS_MAX_VIEWS];
    jsni_real value = jsni_fill(R(0));
    for (size_t j = 0; j < row->views; j++)
        sums[j] = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_target(row, c);
        const jsni_real s = nocons_mean(row, c);
        const jsni_real log_m = jsni_log(jsni_max(tiny, pi1 * t + a * s));
        const jsni_real r =
            jsni_log_ratio(s, pi1 * (t - s), jsni_log(jsni_max(tiny, s)) - log_m);
        const jsni_real own =
            jsni_log_ratio(t, a * (s - t), jsni_log(jsni_max(tiny, t)) - log_m);
        value = value + (pi1 * t * own + a * s * r);
        for (size_t j = 0; j < row->views; j++) {
            const jsni_real q = jsni_p(row, j, c) * r;
            sums[j] = sums[j] + q;
            jsni_put(row, j, c, q);
        }
    }
    for (size_t j = 0; j < row->views; j++) {
        const jsni_scalar scale =
            factor * row->constant[JSNI_PI_CODE] * row->constant[JSNI_PI_VIEW + j];
        grad[j].dense = 1;
        grad[j].dense_scale = jsni_fill(scale);
        grad[j].dense_sum = scale * jsni_total(row, sums[j]);
    }
    return factor * jsni_total(row, value);
}

JSNI_ROW static inline jsni_real gjs_nocons_row(const jsni_row *row, jsni_grad *grad)
{
    return row->soft ? nocons_soft(row, grad) : nocons_label(row, grad);
}

JSNI_LOSS_DEFINE(gjs_nocons, "gjs-nocons",
                 "JS of the target and the mean prediction of the views", JSNI_JOINT,
                 gjs_nocons_params, JSNI_COUNT_OF(gjs_nocons_params),
                 gjs_nocons_prepare);
