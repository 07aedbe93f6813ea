/* loss/mixture_clamped.h - js and gjs as the published code computes them: in the notation
 * of loss/mixture.h and loss/clamped.h, with M_k = log max(m_k, 1e-7), v_k = [m_k >= 1e-7],
 *
 *     D = w_0 sum_k t_k (log t_k - M_k) + sum_j w_j sum_k p_jk (C_jk - M_k)
 *     dD/dl_jk = w_j p_jk (C_jk - M_k + u_jk - v_k)
 */
#ifndef JSNI_LOSS_MIXTURE_CLAMPED_H
#define JSNI_LOSS_MIXTURE_CLAMPED_H

#include "loss/clamped.h"
#include "loss/mixture.h"

JSNI_ROW static inline jsni_real jsni_mixture_clamped(const jsni_row *row, size_t views,
                                                      jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_scalar w0 = constant[JSNI_PI_TARGET];
    const jsni_scalar *w = constant + JSNI_PI_VIEW;
    const jsni_scalar factor = constant[JSNI_PI_FACTOR];
    const jsni_real least = jsni_fill(R(JSNI_KL_FLOOR)), one = jsni_fill(R(1));
    jsni_real value = jsni_fill(R(0)), slopes[JSN_LOSS_MAX_VIEWS];
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++)
        slopes[j] = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real t = jsni_target(row, c);
        jsni_real m = w0 * t;
        JSNI_UNROLL
        for (size_t j = 0; j < views; j++)
            m = jsni_fma(jsni_p(row, j, c), jsni_fill(w[j]), m);
        const jsni_real log_m = jsni_log(jsni_max(least, m));
        const jsni_real kept = jsni_less(m, least, jsni_fill(R(0)), one);
        value = value - w0 * t * log_m;
        JSNI_UNROLL
        for (size_t j = 0; j < views; j++) {
            const jsni_real l = jsni_logp(row, j, c), p = jsni_p(row, j, c);
            const jsni_real gap = jsni_clamped_log(l) - log_m;
            const jsni_real q = p * (gap + jsni_uncut(l, one) - kept);
            value = value + w[j] * p * gap;
            slopes[j] = slopes[j] + q;
            jsni_put(row, j, c, q);
        }
    }
    JSNI_UNROLL
    for (size_t j = 0; j < views; j++) {
        grad[j].dense = 1;
        grad[j].dense_scale = jsni_fill(factor * w[j]);
        grad[j].dense_sum = factor * w[j] * jsni_total(row, slopes[j]);
    }
    return factor * (jsni_total(row, value) + w0 * row->target_plogp);
}

#endif /* JSNI_LOSS_MIXTURE_CLAMPED_H */
