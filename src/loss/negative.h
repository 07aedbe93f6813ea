/* loss/negative.h - normalised negative losses: how far the others are from the worst,
 * after Ye et al., "Active Negative Loss Functions for Learning with Noisy Labels",
 * NeurIPS 2023. With a loss F of one class that is cut at F(min) = A,
 *
 *     N = 1 - (A - F_y) / sum_k (A - F_k)
 *     dN/dl_k = -U' [k = y] u'_y / U + u_y u'_k / U^2,   u = A - F, U = sum_k u_k
 *
 * where u is 0, and its derivative too, for p_k below min. */
#ifndef JSNI_LOSS_NEGATIVE_H
#define JSNI_LOSS_NEGATIVE_H

#include "loss/focal_term.h"

enum { JSNI_ANL_ALPHA, JSNI_ANL_BETA, JSNI_ANL_MIN, JSNI_ANL_GAMMA, JSNI_ANL_TOP = 6 };

#define JSNI_ANL_PARAMS                                                                \
    {"alpha", "weight of the normalised loss", 5, 0, 1e4, JSN_PARAM_REAL},             \
        {"beta", "weight of the normalised negative loss", 5, 0, 1e4, JSN_PARAM_REAL}, \
    {                                                                                  \
        "min", "probabilities below count as this one", 1e-7, 1e-30, 1e-3,             \
            JSN_PARAM_REAL                                                             \
    }

/* A. */
jsn_status jsni_anl_prepare(const char *spec, const jsni_spec_value *values,
                            size_t views, jsni_loss_setup *setup);

/* What `x` counts for a class of probability p: nothing below min. */
JSNI_ROW static inline jsni_real jsni_anl_counted(const jsni_scalar *constant,
                                                  jsni_real p, jsni_real x)
{
    return jsni_less(jsni_fill(constant[JSNI_ANL_MIN]), p, x, jsni_fill(R(0)));
}

/* u = A - F(l) and its derivative, 0 below min. */
JSNI_ROW static inline jsni_real jsni_anl_term(const jsni_scalar *constant, jsni_real l,
                                               jsni_real p, jsni_real *slope)
{
    const jsni_real value =
        constant[JSNI_ANL_TOP] - jsni_focal_term(l, p, constant[JSNI_ANL_GAMMA], slope);
    *slope = jsni_anl_counted(constant, p, -*slope);
    return jsni_anl_counted(constant, p, value);
}

/* Adds weight times the loss to a gradient that has no dense part; returns it. */
JSNI_ROW static inline jsni_real jsni_negative(const jsni_row *row, jsni_grad *grad,
                                               jsni_scalar weight)
{
    const jsni_scalar *constant = row->constant;
    const jsni_real l = row->label_logp[0];
    jsni_real slope, sum = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real value =
            jsni_anl_term(constant, jsni_logp(row, 0, c), jsni_p(row, 0, c), &slope);
        sum = sum + jsni_inside(row, 0, c, value);
        slope = jsni_inside(row, 0, c, slope);
        slopes = slopes + slope;
        jsni_put(row, 0, c, slope);
    }
    sum = jsni_total(row, sum);
    const jsni_real own = jsni_anl_term(constant, l, jsni_exp(l), &slope);
    const jsni_real share = own / sum;
    grad->dense = grad->mixed = 1;
    grad->dense_scale = weight * share / sum;
    grad->dense_sum = grad->dense_scale * jsni_total(row, slopes);
    grad->target = grad->target - weight * slope / sum;
    return weight * (R(1) - share);
}

#endif /* JSNI_LOSS_NEGATIVE_H */
