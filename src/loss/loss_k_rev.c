/* loss/loss_k_rev.c - reverse K divergence, K' in the literature, the prediction's half
 * of js.
 *
 *     L = KL(p || (t + p) / 2)
 *       = p_y log(2 p_y / (1 + p_y)) + (1 - p_y) log 2 for a label
 *     dL/dl_k = p_k (log(2 p_k / (t_k + p_k)) - p_k / (t_k + p_k))
 *
 * up to multiples of p_k. Between the absolute error, to which it tends for large
 * label weights, and log 2. */
#include "loss/dissect.h"

JSNI_SETUP const jsn_param_info k_rev_params[] = {JSNI_DISSECT_PARAMS};

JSNI_ROW static inline jsni_real k_rev_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar factor = row->constant[JSNI_DISSECT_FACTOR];
    const jsni_scalar log_2 = R(JSNI_LOG_2);
    if (!row->soft) {
        const jsni_real l = row->label_logp[0];
        const jsni_real p = jsni_exp(l);
        const jsni_real rest = -jsni_expm1(l);
        const jsni_real log_ratio = l - jsni_log1p(p); /* log(p / (1 + p)) */
        grad->target = factor * p * (log_ratio + R(1) / (R(1) + p));
        return factor * (p * (log_2 + log_ratio) + rest * log_2);
    }
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    jsni_real sum = jsni_fill(R(0));
    jsni_real slope = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_target(row, c);
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real both = jsni_max(tiny, t + p);
        const jsni_real r = jsni_logp(row, 0, c) - jsni_log(both) + log_2;
        const jsni_real q = p * (r - p / both);
        sum = jsni_fma(p, r, sum);
        slope = slope + q;
        jsni_put(row, 0, c, q);
    }
    grad->dense = 1;
    grad->dense_scale = jsni_fill(factor);
    grad->dense_sum = factor * jsni_total(row, slope);
    return factor * jsni_total(row, sum);
}

JSNI_LOSS_DEFINE(k_rev, "k-rev", "reverse K divergence, KL(p || (t+p)/2)",
                 JSNI_ONE_VIEW, k_rev_params, JSNI_COUNT_OF(k_rev_params),
                 jsni_dissect_prepare);
