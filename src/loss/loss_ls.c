/* loss/loss_ls.c - label smoothing.
 *
 *     q = (1 - epsilon) t + epsilon / K,    L = -sum_k q_k log p_k
 *
 * after Szegedy et al., "Rethinking the Inception Architecture for Computer Vision",
 * CVPR 2016. `kl=1` subtracts the entropy of q, a constant: KL(q || p), the value that
 * published robust-loss code reports. dL/dz = p - q either way. */
#include "loss/row.h"

enum { LS_EPSILON, LS_KL };

JSNI_SETUP const jsn_param_info ls_params[] = {
    {"epsilon", "share of the target spread over all classes", 0.1, 0, 1,
     JSN_PARAM_REAL},
    {"kl", "1: subtract the entropy of the smoothed target", 0, 0, 1, JSN_PARAM_REAL},
};

JSNI_SETUP jsn_status ls_prepare(const char *spec, const jsni_spec_value *values,
                                 size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "kl", values[LS_KL].real);
}

/* sum_k q_k log q_k. */
JSNI_ROW static inline jsni_real smoothed_plogp(const jsni_row *row, jsni_scalar keep,
                                                jsni_scalar share)
{
    if (!row->soft)
        return jsni_xlogx(jsni_fill(keep + share)) +
               (row->classes - R(1)) * jsni_xlogx(jsni_fill(share));
    /* Where t = 0 the terms are equal, and t = 0 also in padding lanes, so the sum runs
     * over the difference to such a term. */
    const jsni_real empty = jsni_xlogx(jsni_fill(share));
    jsni_real sum = jsni_fill(R(0));
    JSNI_UNROLL
    for (size_t c = 0; c < row->chunks; c++)
        sum = sum + (jsni_xlogx(keep * jsni_target(row, c) + share) - empty);
    return jsni_total(row, sum) + row->classes * empty;
}

JSNI_ROW static inline jsni_real ls_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar epsilon = row->constant[LS_EPSILON];
    const jsni_scalar keep = R(1) - epsilon;
    const jsni_scalar share = epsilon / row->classes;
    grad->target = jsni_fill(-keep);
    grad->uniform = jsni_fill(-share);
    const jsni_real value =
        -(keep * jsni_target_logp(row) + share * jsni_sum_logp(row));
    if (row->constant[LS_KL] == R(0))
        return value;
    return value + smoothed_plogp(row, keep, share);
}

JSNI_LOSS_DEFINE(ls, "ls",
                 "label smoothing, cross-entropy to (1-epsilon) t + epsilon/K",
                 JSNI_ONE_VIEW, ls_params, JSNI_COUNT_OF(ls_params), ls_prepare);
