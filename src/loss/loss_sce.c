/* loss/loss_sce.c - symmetric cross-entropy.
 *
 *     L = alpha CE + beta RCE
 *
 * after Wang et al., "Symmetric Cross Entropy for Robust Learning with Noisy Labels",
 * ICCV 2019. CE learns, the reverse part, bounded, resists wrong labels. */
#include "loss/clamped.h"

enum { SCE_ALPHA, SCE_BETA, SCE_CLAMP };

JSNI_SETUP const jsn_param_info sce_params[] = {
    {"alpha", "weight of cross-entropy", 0.1, 0, 1e4, JSN_PARAM_REAL},
    {"beta", "weight of reverse cross-entropy", 1.0, 0, 1e4, JSN_PARAM_REAL},
    JSNI_CLAMP_PARAM,
};

JSNI_SETUP jsn_status sce_prepare(const char *spec, const jsni_spec_value *values,
                                  size_t views, jsni_loss_setup *setup)
{
    (void)views;
    (void)setup;
    return jsni_loss_flag(spec, "clamp", values[SCE_CLAMP].real);
}

JSNI_ROW static inline jsni_real sce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar alpha = row->constant[SCE_ALPHA];
    const jsni_real ce = -jsni_target_logp(row);
    grad->target = jsni_fill(-alpha);
    if (row->constant[SCE_CLAMP] != R(0))
        return alpha * ce + jsni_clamped_reverse(row, grad, row->constant[SCE_BETA]);
    return alpha * ce + jsni_reverse(row, grad, row->constant[SCE_BETA],
                                     R(JSNI_RCE_FLOOR), R(JSNI_RCE_LOG_FLOOR), 0);
}

JSNI_LOSS_DEFINE(sce, "sce", "symmetric cross-entropy, alpha ce + beta rce",
                 JSNI_ONE_VIEW, sce_params, JSNI_COUNT_OF(sce_params), sce_prepare);
