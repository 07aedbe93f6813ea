/* loss/loss_fdiv_pearson.c - Pearson divergence of labels and predictions, variational form.
 *
 *     L = mean_k (p_k + p_k^2/4) - p_y
 *
 * after Wei and Liu, "When Optimizing f-Divergence is Robust with Label Noise", ICLR
 * 2021: the divergence between the joint distribution of sample and label and the product
 * of the two. Their product is drawn from other samples; this is its mean over labels
 * drawn from all classes. */
#include "loss/row.h"

JSNI_ROW static inline jsni_real fdiv_pearson_row(const jsni_row *row, jsni_grad *grad)
{
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real slope = p * (R(1) + R(0.5) * p);
        sum = sum + (p + R(0.25) * p * p);
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    const jsni_real p = jsni_exp(row->label_logp[0]);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1) / row->classes);
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = -p * (jsni_fill(R(1)));
    return jsni_doubt(row, 0) + jsni_total(row, sum) / row->classes - p;
}

JSNI_LOSS_DEFINE(fdiv_pearson, "fdiv-pearson",
                 "Pearson divergence, mean_k (p_k + p_k^2/4) - p_y",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, NULL, 0, NULL);
