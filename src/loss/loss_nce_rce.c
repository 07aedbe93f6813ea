/* loss/loss_nce_rce.c - normalised plus reverse cross-entropy.
 *
 *     L = alpha NCE + beta RCE
 *
 * after Ma et al., "Normalized Loss Functions for Deep Learning with Noisy Labels",
 * ICML 2020: an active and a passive robust loss. */
#include "loss/normalized.h"
#include "loss/reverse.h"

enum { NCE_RCE_ALPHA, NCE_RCE_BETA };

JSNI_SETUP const jsn_param_info nce_rce_params[] = {
    {"alpha", "weight of normalised cross-entropy", 10, 0, 1e4, JSN_PARAM_REAL},
    {"beta", "weight of reverse cross-entropy", 0.1, 0, 1e4, JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real nce_rce_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_real nce = jsni_normalized(row, grad, row->constant[NCE_RCE_ALPHA]);
    return nce + jsni_reverse(row, grad, row->constant[NCE_RCE_BETA], R(JSNI_RCE_FLOOR),
                              R(JSNI_RCE_LOG_FLOOR), 0);
}

JSNI_LOSS_DEFINE(nce_rce, "nce+rce", "active-passive loss, alpha nce + beta rce",
                 JSNI_ONE_VIEW, nce_rce_params, JSNI_COUNT_OF(nce_rce_params), NULL);
