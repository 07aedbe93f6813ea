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
    const jsni_scalar gamma = constant[JSNI_ANL_GAMMA];
    jsni_real slope, fall;
    jsni_real sum = jsni_fill(R(0)), lack = jsni_fill(R(0)), slopes = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real l = jsni_logp(row, 0, c);
        sum = sum + jsni_inside(row, 0, c, jsni_focal_term(l, gamma, &slope));
        lack = lack + jsni_inside(row, 0, c, jsni_anl_term(constant, l, &fall));
    }
    sum = jsni_total(row, sum);
    lack = jsni_total(row, lack);
    const jsni_real own = jsni_focal_term(row->label_logp[0], gamma, &slope);
    const jsni_real left = jsni_anl_term(constant, row->label_logp[0], &fall);
    const jsni_real active = constant[JSNI_ANL_ALPHA] * (own / sum);
    const jsni_real share = left / lack;
    const jsni_real of_active = -active / sum;
    const jsni_real of_negative = constant[JSNI_ANL_BETA] * share / lack;
    grad->target =
        constant[JSNI_ANL_ALPHA] * slope / sum - constant[JSNI_ANL_BETA] * fall / lack;
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real l = jsni_logp(row, 0, c);
        (void)jsni_focal_term(l, gamma, &slope);
        (void)jsni_anl_term(constant, l, &fall);
        const jsni_real q =
            jsni_inside(row, 0, c, of_active * slope + of_negative * fall);
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
