/* loss/loss_fdiv_js.c - Jensen-Shannon divergence of labels and predictions, variational form.
 *
 *     L = log(1+e^-p_y) + mean_k (p_k + log(1+e^-p_k)) - 2 log 2
 *
 * after Wei and Liu, "When Optimizing f-Divergence is Robust with Label Noise", ICLR
 * 2021: the divergence between the joint distribution of sample and label and the product
 * of the two. Their product is drawn from other samples; this is its mean over labels
 * drawn from all classes. */
#include "loss/row.h"

#define LOG_2 0.69314718055994530942

/* log(1+e^p), and its derivative, for p in [-1, 1]: log 2 + p/2 + log cosh(p/2). In float a
 * polynomial of p^2 each, off by at most 4e-9. */
JSNI_ROW static inline jsni_real softplus(jsni_real p, jsni_real *slope)
{
    if (JSNI_EXACT) {
        const jsni_real e = jsni_exp(-p);
        *slope = R(1) / (R(1) + e);
        return p + jsni_log(R(1) + e);
    }
    const jsni_real x = p * p;
    jsni_real s = jsni_fill(R(1.674931402e-5)), v = jsni_fill(R(1.743116055e-6));
    s = jsni_fma(s, x, jsni_fill(R(-2.070087494e-4)));
    v = jsni_fma(v, x, jsni_fill(R(-2.602480565e-5)));
    s = jsni_fma(s, x, jsni_fill(R(2.082016767e-3)));
    v = jsni_fma(v, x, jsni_fill(R(3.471085943e-4)));
    s = jsni_fma(s, x, jsni_fill(R(-2.083317239e-2)));
    v = jsni_fma(v, x, jsni_fill(R(-5.208319399e-3)));
    s = jsni_fma(s, x, jsni_fill(R(2.499999968e-1)));
    v = jsni_fma(v, x, jsni_fill(R(1.249999997e-1)));
    *slope = jsni_fma(s, p, jsni_fill(R(0.5)));
    return jsni_fma(v, x, jsni_fma(jsni_fill(R(0.5)), p, jsni_fill(R(LOG_2))));
}

JSNI_ROW static inline jsni_real fdiv_js_row(const jsni_row *row, jsni_grad *grad)
{
    jsni_real slope, sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        sum = sum + jsni_inside(row, 0, c, softplus(p, &slope) - R(LOG_2));
        slopes = slopes + p * slope;
        jsni_put(row, 0, c, p * slope);
    }
    const jsni_real p = jsni_exp(row->label_logp[0]);
    const jsni_real own = softplus(-p, &slope);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1) / row->classes);
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = -p * slope;
    return jsni_doubt(row, 0) + jsni_total(row, sum) / row->classes - (R(LOG_2) - own);
}

JSNI_LOSS_DEFINE(
    fdiv_js, "fdiv-js",
    "Jensen-Shannon divergence, log(1+e^-p_y) + mean_k (p_k + log(1+e^-p_k)) - 2 log 2",
    JSNI_ONE_VIEW | JSNI_HARD_ONLY, NULL, 0, NULL);
