/* loss/loss_mae.c - mean absolute error.
 *
 *     L = sum_k |t_k - p_k|  =  2 (1 - p_y) for a label
 *
 * after Ghosh, Kumar and Sastry, "Robust Loss Functions under Label Noise for Deep
 * Neural Networks", AAAI 2017. Its sum over all labels is constant, hence robust to
 * symmetric noise, and hard to train with. `half=1` is 1 - p_y, the limit of js for
 * pi1 -> 1. dL/dp_k = sign(p_k - t_k). */
#include "loss/row.h"

enum { MAE_HALF };

JSNI_SETUP const jsn_param_info mae_params[] = {
    {"half", "1: half of it, 1 - p_y", 0, 0, 1, JSN_PARAM_REAL},
};

JSNI_SETUP jsn_status mae_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "half", values[MAE_HALF].real);
}

JSNI_ROW static inline jsni_real mae_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar height = R(2) - row->constant[MAE_HALF];
    if (!row->soft) {
        grad->target = -height * jsni_exp(row->label_logp[0]);
        return -height * jsni_expm1(row->label_logp[0]);
    }
    const jsni_real zero = jsni_fill(R(0));
    jsni_real sum = zero;
    jsni_real signed_sum = zero;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real gap = p - jsni_target(row, c);
        const jsni_real q = jsni_less(gap, zero, -p, jsni_less(zero, gap, p, zero));
        sum = sum + jsni_abs(gap);
        signed_sum = signed_sum + q;
        jsni_put(row, 0, c, q);
    }
    const jsni_scalar scale = R(0.5) * height;
    grad->dense = 1;
    grad->dense_scale = jsni_fill(scale);
    grad->dense_sum = scale * jsni_total(row, signed_sum);
    return scale * jsni_total(row, sum);
}

JSNI_LOSS_DEFINE(mae, "mae", "mean absolute error, sum_k |t_k - p_k|", JSNI_ONE_VIEW,
                 mae_params, JSNI_COUNT_OF(mae_params), mae_prepare);
