/* loss/loss_sce.c - symmetric cross-entropy.
 *
 *     L = alpha CE + beta RCE
 *
 * after Wang et al., "Symmetric Cross Entropy for Robust Learning with Noisy Labels",
 * ICCV 2019. CE learns, the reverse part, bounded, resists wrong labels. */
#include "loss/reverse.h"

enum { SCE_ALPHA, SCE_BETA };

JSNI_SETUP const jsn_param_info sce_params[] = {
    {"alpha", "weight of cross-entropy", 0.1, 0, 1e4, JSN_PARAM_REAL},
    {"beta", "weight of reverse cross-entropy", 1.0, 0, 1e4, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real sce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar alpha = row->constant[SCE_ALPHA];
    const jsni_real ce = -jsni_target_logp(row);
    grad->target = jsni_fill(-alpha);
    return alpha * ce + jsni_reverse(row, grad, row->constant[SCE_BETA],
                                     R(JSNI_RCE_FLOOR), R(JSNI_RCE_LOG_FLOOR), 0);
}

JSNI_LOSS_DEFINE(sce, "sce", "symmetric cross-entropy, alpha ce + beta rce",
                 JSNI_ONE_VIEW, sce_params, JSNI_COUNT_OF(sce_params), NULL);
