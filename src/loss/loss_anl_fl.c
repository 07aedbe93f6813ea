/* loss/loss_anl_fl.c - active negative loss of the focal loss.
 *
 *     L = alpha NFL + beta NNFL,  NNFL = 1 - u_y / sum_k u_k,  u_k = A - F_k,
 *     F_k = -(1 - p_k)^gamma log p_k,  A = F at p = min, u_k = 0 for p_k < min
 *
 * after Ye et al., "Active Negative Loss Functions for Learning with Noisy Labels",
 * NeurIPS 2023. Both parts are dense: they are formed together, class by class. */
#include "loss/negative.h"

JSNI_SETUP const jsn_param_info anl_fl_params[] = {JSNI_ANL_PARAMS, JSNI_GAMMA_PARAM};

JSNI_ROW static inline jsni_real anl_fl_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar *constant = row->constant;
    const jsni_scalar gamma = constant[JSNI_ANL_GAMMA], top = constant[JSNI_ANL_TOP];
    jsni_real slope, sum = jsni_fill(R(0)), lack = jsni_fill(R(0)), slopes = sum;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real p = jsni_p(row, 0, c);
        const jsni_real f = jsni_focal_term(jsni_logp(row, 0, c), p, gamma, &slope);
        sum = sum + jsni_inside(row, 0, c, f);
        lack = lack + jsni_inside(row, 0, c, jsni_anl_counted(constant, p, top - f));
        jsni_put(row, 0, c, jsni_inside(row, 0, c, slope));
    }
    sum = jsni_total(row, sum);
    lack = jsni_total(row, lack);
    const jsni_real l = row->label_logp[0], p = jsni_exp(l);
    const jsni_real own = jsni_focal_term(l, p, gamma, &slope);
    const jsni_real active = constant[JSNI_ANL_ALPHA] * (own / sum);
    const jsni_real share = jsni_anl_counted(constant, p, top - own) / lack;
    const jsni_real of_active = -active / sum;
    const jsni_real of_negative = constant[JSNI_ANL_BETA] * share / lack;
    grad->target =
        constant[JSNI_ANL_ALPHA] * slope / sum +
        jsni_anl_counted(constant, p, constant[JSNI_ANL_BETA] * slope / lack);
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real part =
            of_active - jsni_anl_counted(constant, jsni_p(row, 0, c), of_negative);
        const jsni_real q = part * row->d[jsni_at(row, 0, c)];
        slopes = slopes + q;
        jsni_put(row, 0, c, q);
    }
    grad->dense = grad->mixed = 1;
    grad->dense_scale = jsni_fill(R(1));
    grad->dense_sum = jsni_total(row, slopes);
    return active + constant[JSNI_ANL_BETA] * (R(1) - share);
}

JSNI_LOSS_DEFINE(anl_fl, "anl-fl",
                 "active negative loss, alpha nfl + beta nnfl; see --l1",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, anl_fl_params,
                 JSNI_COUNT_OF(anl_fl_params), jsni_anl_prepare);
