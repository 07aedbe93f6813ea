/* loss/loss_fdiv_tv.c - total variation of labels and predictions, variational form.
 *
 *     L = mean_k tanh(p_k)/2 - tanh(p_y)/2
 *
 * after Wei and Liu, "When Optimizing f-Divergence is Robust with Label Noise", ICLR
 * 2021: the divergence between the joint distribution of sample and label and the product
 * of the two. Their product is drawn from other samples; this is its mean over labels
 * drawn from all classes. */
#include "loss/row.h"

/* tanh(p) for p in [0, 1]. In float a polynomial of p^2, off by at most 4e-9 of it. */
JSNI_ROW static inline jsni_real tanh_of(jsni_real p)
{
    if (JSNI_EXACT) {
        const jsni_real grown = jsni_expm1(R(2) * p);
        return grown / (grown + R(2));
    }
    const jsni_real x = p * p;
    jsni_real t = jsni_fill(R(-3.574567189e-4));
    t = jsni_fma(t, x, jsni_fill(R(2.29665468e-3)));
    t = jsni_fma(t, x, jsni_fill(R(-7.937338199e-3)));
    t = jsni_fma(t, x, jsni_fill(R(2.147843331e-2)));
    t = jsni_fma(t, x, jsni_fill(R(-5.387569896e-2)));
    t = jsni_fma(t, x, jsni_fill(R(1.333223992e-1)));
    t = jsni_fma(t, x, jsni_fill(R(-3.333328373e-1)));
    t = jsni_fma(t, x, jsni_fill(R(9.999999963e-1)));
    return t * p;
}

JSNI_ROW static inline jsni_real fdiv_tv_row(const jsni_row *row, jsni_grad *grad)
{
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c), t = tanh_of(p);
        const jsni_real slope = p * (R(0.5) * (R(1) - t * t));
        sum = sum + R(0.5) * t;
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    const jsni_real p = jsni_exp(row->label_logp[0]), t = tanh_of(p);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1) / row->classes);
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = -p * (R(0.5) * (R(1) - t * t));
    return jsni_doubt(row, 0) + jsni_total(row, sum) / row->classes - R(0.5) * t;
}

JSNI_LOSS_DEFINE(fdiv_tv, "fdiv-tv",
                 "total variation, mean_k tanh(p_k)/2 - tanh(p_y)/2",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, NULL, 0, NULL);
