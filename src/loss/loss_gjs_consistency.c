/* loss/loss_gjs_consistency.c - the part of gjs that asks the views to agree.
 *
 *     mean = sum_j pi_j p_j / (1 - pi_1)
 *     L = sum_j pi_j KL(p_j || mean) / Z,  Z = -(1-pi_1) log(1-pi_1)
 *
 * gjs = gjs-nocons + gjs-consistency, exactly. Reads no target. */
#include "loss/mixture.h"

JSNI_SETUP const jsn_param_info gjs_consistency_params[] = {JSNI_PI_PARAMS};

JSNI_ROW static inline jsni_real gjs_consistency_row(const jsni_row *row,
                                                     jsni_grad *grad)
{
    const jsni_scalar rest = row->constant[JSNI_PI_REST];
    const jsni_scalar factor = row->constant[JSNI_PI_FACTOR] * rest;
    jsni_scalar shares[JSN_LOSS_MAX_VIEWS];
    for (size_t j = 0; j < row->views; j++)
        shares[j] = row->constant[JSNI_PI_VIEW + j] / rest;
    if (row->views == 2) /* the usual case, unrolled */
        return jsni_mixture(row, 2, R(0), shares, factor, grad);
    return jsni_mixture(row, row->views, R(0), shares, factor, grad);
}

JSNI_LOSS_DEFINE(gjs_consistency, "gjs-consistency",
                 "the part of gjs that compares the views", JSNI_JOINT,
                 gjs_consistency_params, JSNI_COUNT_OF(gjs_consistency_params),
                 jsni_pi_prepare);
