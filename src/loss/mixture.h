/* loss/mixture.h - divergence from a mixture, common to js, gjs and their parts.
 *
 * With a target weight w_0 and view weights w_j that sum to 1,
 *
 *     m = w_0 t + sum_j w_j p_j
 *     D = w_0 KL(t || m) + sum_j w_j KL(p_j || m)
 *     dD/dl_jk = w_j p_jk log(p_jk / m_k)            (up to multiples of p_jk)
 *
 * The constants of these losses have one layout, filled by jsni_pi_prepare().
 */
#ifndef JSNI_LOSS_MIXTURE_H
#define JSNI_LOSS_MIXTURE_H

#include "loss/row.h"

enum {
    JSNI_PI_TARGET,   /* pi_1 */
    JSNI_PI_REST,     /* a = 1 - pi_1 */
    JSNI_PI_LOG_REST, /* log a */
    JSNI_PI_FACTOR,   /* 1 / Z, or 1 */
    JSNI_PI_CODE,     /* gjs-nocons: the factor of the mean, 1 or a */
    JSNI_PI_VIEW = 8  /* pi_2, pi_3, ..., one a view */
};

/* Parameters in the order pi1, pi, scale. */
#define JSNI_PI_PARAMS                                                               \
    {"pi1",      "weight of the label; towards 0: cross-entropy, 1: absolute error", \
     0.5,        1e-6,                                                               \
     1.0 - 1e-6, JSN_PARAM_REAL},                                                    \
        {"pi",       "all weights, label first, e.g. 0.5/0.3/0.2, instead of pi1",   \
         0,          1e-6,                                                           \
         1.0 - 1e-6, JSN_PARAM_REALS},                                               \
    {                                                                                \
        "scale", "1: divide by Z = -(1-pi1) log(1-pi1); 0: Z = 1", 1, 0, 1,          \
            JSN_PARAM_REAL                                                           \
    }

jsn_status jsni_pi_prepare(const char *spec, const jsni_spec_value *values,
                           size_t views, jsni_loss_setup *setup);

/* `clamp`, behind those: 1 has the loss evaluated by the row `clamped`, apart, so that the
 * usual one stays as short as it is. */
jsn_status jsni_pi_clamp(const char *spec, const jsni_spec_value *values,
                         size_t clamped, jsni_loss_setup *setup);

/* Gives the first view the weight of all views. */
void jsni_pi_first_view(jsni_loss_setup *setup);

/* log(x / m) where m = x + difference: exact when the two are close, which is where
 * log x - log m would cancel; `plain` is that difference of logarithms. */
JSNI_ROW static inline jsni_real jsni_log_ratio(jsni_real x, jsni_real difference,
                                                jsni_real plain)
{
    const jsni_real ratio = difference / jsni_max(jsni_fill(R(JSNI_SMALL)), x);
    const jsni_real half = jsni_fill(R(0.5));
    const jsni_real safe = jsni_less(jsni_abs(ratio), half, ratio, half);
    return jsni_less(jsni_abs(ratio), half, -jsni_log1p(safe), plain);
}

/* One chunk where every digit counts: the differences m - x are formed from the
 * differences of the distributions, never as m - x. */
JSNI_ROW static inline void jsni_mixture_exact(const jsni_row *row, size_t views,
                                               size_t c, jsni_scalar w0,
                                               const jsni_scalar *w, jsni_real log_m,
                                               jsni_real *label, jsni_real *sums)
{
    const jsni_real t = jsni_target(row, c);
    jsni_real gap = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t i = 0; i < views; i++)
        gap = jsni_fma(jsni_p(row, i, c) - t, jsni_fill(w[i]), gap);
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    const jsni_real log_t = jsni_log(jsni_max(tiny, t));
    *label = *label + t * jsni_log_ratio(t, gap, log_t - log_m);

    jsni_real r[JSN_LOSS_MAX_VIEWS];
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++) {
        const jsni_real p = jsni_p(row, j, c);
        gap = w0 * (t - p);
        JSNI_UNROLL
        for (size_t i = 0; i < views; i++)
            gap = jsni_fma(jsni_p(row, i, c) - p, jsni_fill(w[i]), gap);
        r[j] = jsni_log_ratio(p, gap, jsni_logp(row, j, c) - log_m);
    }
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++) {
        const jsni_real q = row->e[jsni_at(row, j, c)] * r[j];
        sums[j] = sums[j] + q;
        jsni_put(row, j, c, q);
    }
}

/* What the loops over chunks share; `sums` are of e_jk log(p_jk / m_k), `label` is of
 * -t_k log m_k, or exactly of t_k log(t_k / m_k). */
typedef struct jsni_mixed {
    jsni_real shares[JSN_LOSS_MAX_VIEWS]; /* w_j / sum_k e_jk */
    jsni_real log_sums[JSN_LOSS_MAX_VIEWS];
    jsni_real sums[JSN_LOSS_MAX_VIEWS];
    jsni_real label;
} jsni_mixed;

/* The chunks [first, last). `targeted` and `exact` are constants at every call: without
 * a target in these chunks, or in the short form, the loop is the shorter. */
JSNI_ROW static inline void jsni_mixture_chunks(const jsni_row *row, size_t views,
                                                jsni_scalar w0, const jsni_scalar *w,
                                                size_t first, size_t last, int targeted,
                                                int exact, jsni_mixed *mixed)
{
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    jsni_mixed sum = *mixed;
    JSNI_UNROLL
    for (size_t c = first; c < last; c++) {
        const jsni_real t = targeted ? jsni_target(row, c) : jsni_fill(R(0));
        jsni_real m = targeted ? w0 * t : row->e[jsni_at(row, 0, c)] * sum.shares[0];
        JSNI_UNROLL
        for (size_t j = targeted ? 0 : 1; j < views; j++)
            m = jsni_fma(row->e[jsni_at(row, j, c)], sum.shares[j], m);
        const jsni_real log_m = jsni_log(jsni_max(tiny, m));
        if (exact) {
            jsni_mixture_exact(row, views, c, w0, w, log_m, &sum.label, sum.sums);
            continue;
        }
        if (targeted)
            sum.label = jsni_fma(-t, log_m, sum.label);
        JSNI_UNROLL
        for (size_t j = 0; j < views; j++) {
            const jsni_real l = row->d[jsni_at(row, j, c)] - sum.log_sums[j];
            const jsni_real q = row->e[jsni_at(row, j, c)] * (l - log_m);
            sum.sums[j] = sum.sums[j] + q;
            jsni_put(row, j, c, q);
        }
    }
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++)
        mixed->sums[j] = sum.sums[j];
    mixed->label = sum.label;
}

/* factor * D, with its dense gradient. `views` is passed apart from the row so that a
 * constant unrolls the inner loops. */
JSNI_ROW static inline jsni_real jsni_mixture(const jsni_row *row, size_t views,
                                              jsni_scalar w0, const jsni_scalar *w,
                                              jsni_scalar factor, jsni_grad *grad)
{
    /* A soft target can be close to the predictions, and then to the mixture; and for
     * pi_1 near 0 or 1 the factor 1 / Z is large. */
    const jsni_scalar pi1 = row->constant[JSNI_PI_TARGET];
    const int exact = JSNI_EXACT || row->soft || pi1 < R(0.0999) || pi1 > R(0.9001);
    jsni_mixed mixed;
    mixed.label = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++) {
        mixed.sums[j] = jsni_fill(R(0));
        mixed.shares[j] = w[j] * row->inverse[j];
        mixed.log_sums[j] = row->log_sum[j];
    }
    if (exact) {
        jsni_mixture_chunks(row, views, w0, w, 0, row->chunks, 1, 1, &mixed);
    } else {
        const size_t from = row->target_first;
        const size_t to = row->target_last;
        jsni_mixture_chunks(row, views, w0, w, 0, from, 0, 0, &mixed);
        jsni_mixture_chunks(row, views, w0, w, from, to, 1, 0, &mixed);
        jsni_mixture_chunks(row, views, w0, w, to, row->chunks, 0, 0, &mixed);
    }
    jsni_real value = w0 * jsni_total(row, mixed.label);
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++) {
        const jsni_real kl = mixed.shares[j] * jsni_total(row, mixed.sums[j]);
        value = value + kl;
        grad[j].dense = 1;
        grad[j].dense_scale = factor * mixed.shares[j];
        grad[j].dense_sum = factor * kl;
    }
    return factor * value;
}

/* JS between a label and a distribution with probability p, one minus it `rest`, at the
 * label. It depends on p alone, because m_k = a p_k for every other class:
 *
 *     Z L = -pi_1 log(pi_1 + a p) - a p log(1 + pi_1 (1-p) / p) - a (1-p) log a
 *     Z dL/dp = -a log(1 + pi_1 / (a p))
 *
 * in forms that cancel at neither end of pi_1. *slope becomes dL/dp. */
JSNI_ROW static inline jsni_real jsni_js_label(const jsni_scalar *constant, jsni_real p,
                                               jsni_real rest, jsni_real *slope)
{
    const jsni_scalar pi1 = constant[JSNI_PI_TARGET];
    const jsni_scalar a = constant[JSNI_PI_REST];
    const jsni_scalar factor = constant[JSNI_PI_FACTOR];
    const jsni_real safe = jsni_max(jsni_fill(R(JSNI_SMALL)), p);
    *slope = -(factor * a) * jsni_log1p((pi1 / a) / safe);
    /* log m, m = pi_1 + a p = 1 - a (1-p): the second form where m is near 1 */
    const jsni_real half = jsni_fill(R(0.5));
    const jsni_real gap = a * rest;
    const jsni_real near_1 = jsni_log1p(-jsni_less(gap, half, gap, half));
    const jsni_real own = pi1 * jsni_less(gap, half, near_1, jsni_log(pi1 + a * safe));
    const jsni_real other = p * jsni_log1p(pi1 * rest / safe);
    return -factor * (own + a * (other + constant[JSNI_PI_LOG_REST] * rest));
}

/* JS of one view, label or soft target. */
JSNI_ROW static inline jsni_real jsni_js_view(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    if (row->soft)
        return jsni_mixture(row, 1, constant[JSNI_PI_TARGET], constant + JSNI_PI_VIEW,
                            constant[JSNI_PI_FACTOR], grad);
    const jsni_real p = jsni_exp(row->label_logp[0]);
    jsni_real slope;
    const jsni_real value =
        jsni_js_label(constant, p, -jsni_expm1(row->label_logp[0]), &slope);
    grad->target = slope * p;
    return value;
}

#endif /* JSNI_LOSS_MIXTURE_H */
