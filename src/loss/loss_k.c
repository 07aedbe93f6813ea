/* loss/loss_k.c - K divergence, the label's half of js.
 *
 *     L = KL(t || (t + p) / 2)  =  -log((1 + p_y) / 2) for a label
 *     dL/dl_k = -t_k p_k / (t_k + p_k)
 *
 * after Lin, "Divergence Measures Based on the Shannon Entropy", IEEE Transactions on
 * Information Theory, 1991. Bounded by log 2. For a label it is evaluated as
 * -log1p(-(1 - p_y) / 2), which does not cancel as p_y -> 1. */
#include "loss/dissect.h"

JSNI_SETUP const jsn_param_info k_params[] = {JSNI_DISSECT_PARAMS};

JSNI_ROW static inline jsni_real k_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar factor = row->constant[JSNI_DISSECT_FACTOR];
    if (!row->soft) {
        const jsni_real p = jsni_exp(row->label_logp[0]);
        grad->target = -factor * p / (R(1) + p);
        return -factor * jsni_log1p(R(0.5) * jsni_expm1(row->label_logp[0]));
    }
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    jsni_real sum = jsni_fill(R(0));
    jsni_real slope = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_target(row, c);
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real both = jsni_max(tiny, t + p);
        const jsni_real q = -t * p / both;
        sum = jsni_fma(-t, jsni_log(both) - R(JSNI_LOG_2), sum);
        slope = slope + q;
        jsni_put(row, 0, c, q);
    }
    grad->dense = 1;
    grad->dense_scale = jsni_fill(factor);
    grad->dense_sum = factor * jsni_total(row, slope);
    /* the logarithm of bits takes NaN for a number; the difference is 0, or NaN */
    const jsni_real unknown = row->log_sum[0] - row->log_sum[0];
    return factor * (jsni_total(row, sum) + row->target_plogp + unknown);
}

JSNI_LOSS_DEFINE(k, "k", "K divergence, KL(t || (t+p)/2)", JSNI_ONE_VIEW, k_params,
                 JSNI_COUNT_OF(k_params), jsni_dissect_prepare);
