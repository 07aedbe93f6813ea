/* loss/loss_fdiv_tv.c - total variation of labels and predictions, variational form.
 *
 *     L = mean_k tanh(p_k)/2 - tanh(p_y)/2
 *
 * after Wei and Liu, "When Optimizing f-Divergence is Robust with Label Noise", ICLR
 * 2021: the divergence between the joint distribution of sample and label and the product
 * of the two. Their product is drawn from other samples; this is its mean over labels
 * drawn from all classes. */
#include "loss/row.h"

/* tanh(p) for p in [0, 1]: 1 - 2 / (exp(2p) + 1), by expm1. */
JSNI_ROW static inline jsni_real tanh_of(jsni_real p)
{
    const jsni_real grown = jsni_expm1(R(2) * p);
    return grown / (grown + R(2));
}

JSNI_ROW static inline jsni_real fdiv_tv_row(const jsni_row *row, jsni_grad *grad)
{
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real slope = p * (R(0.5) * (R(1) - tanh_of(p) * tanh_of(p)));
        sum = sum + R(0.5) * tanh_of(p);
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    const jsni_real p = jsni_exp(row->label_logp[0]);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1) / row->classes);
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = -p * (R(0.5) * (R(1) - tanh_of(p) * tanh_of(p)));
    return jsni_doubt(row, 0) + jsni_total(row, sum) / row->classes -
           R(0.5) * tanh_of(p);
}

JSNI_LOSS_DEFINE(fdiv_tv, "fdiv-tv",
                 "total variation, mean_k tanh(p_k)/2 - tanh(p_y)/2",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, NULL, 0, NULL);
