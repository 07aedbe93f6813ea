/* loss/loss_rce.c - reverse cross-entropy.
 *
 *     L = -sum_k p_k log max(t_k, 1e-4)  =  9.21 (1 - p_y) for a label
 *
 * after Wang et al., "Symmetric Cross Entropy for Robust Learning with Noisy Labels",
 * ICCV 2019: cross-entropy with target and prediction exchanged. For labels it is a
 * multiple of the mean absolute error. */
#include "loss/clamped.h"

enum { RCE_CLAMP };

JSNI_SETUP const jsn_param_info rce_params[] = {JSNI_CLAMP_PARAM};

JSNI_SETUP jsn_status rce_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "clamp", values[RCE_CLAMP].real);
}

JSNI_ROW static inline jsni_real rce_row(const jsni_row *row, jsni_grad *grad)
{
    if (row->constant[RCE_CLAMP] != R(0))
        return jsni_clamped_reverse(row, grad, R(1));
    return jsni_reverse(row, grad, R(1), R(JSNI_RCE_FLOOR), R(JSNI_RCE_LOG_FLOOR), 0);
}

JSNI_LOSS_DEFINE(rce, "rce", "reverse cross-entropy, -sum_k p_k log max(t_k, 1e-4)",
                 JSNI_ONE_VIEW, rce_params, JSNI_COUNT_OF(rce_params), rce_prepare);
