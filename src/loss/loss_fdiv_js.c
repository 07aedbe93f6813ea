/* loss/loss_fdiv_js.c - Jensen-Shannon divergence of labels and predictions, variational form.
 *
 *     L = log(1+e^-p_y) + mean_k (p_k + log(1+e^-p_k)) - 2 log 2
 *
 * after Wei and Liu, "When Optimizing f-Divergence is Robust with Label Noise", ICLR
 * 2021: the divergence between the joint distribution of sample and label and the product
 * of the two. Their product is drawn from other samples; this is its mean over labels
 * drawn from all classes. */
#include "loss/row.h"

#define LOG_4 1.3862943611198906188

JSNI_ROW static inline jsni_real fdiv_js_row(const jsni_row *row, jsni_grad *grad)
{
    jsni_real sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real slope = p * (R(1) / (R(1) + jsni_exp(-p)));
        sum = sum + jsni_inside(row, 0, c, p + jsni_log(R(1) + jsni_exp(-p)));
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    const jsni_real p = jsni_exp(row->label_logp[0]);
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1) / row->classes);
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = -p * (R(1) / (R(1) + jsni_exp(p)));
    return jsni_doubt(row, 0) + jsni_total(row, sum) / row->classes -
           (R(LOG_4) - jsni_log(R(1) + jsni_exp(-p)));
}

JSNI_LOSS_DEFINE(
    fdiv_js, "fdiv-js",
    "Jensen-Shannon divergence, log(1+e^-p_y) + mean_k (p_k + log(1+e^-p_k)) - 2 log 2",
    JSNI_ONE_VIEW | JSNI_HARD_ONLY, NULL, 0, NULL);
