/* loss/loss_ce.c - cross-entropy.
 *
 *     L = -sum_k t_k log p_k        dL/dz = p - t
 *
 * -log p_y for a label. Fits every label, right or wrong: L is not bounded, and the
 * worse a label fits, the larger its gradient. */
#include "loss/row.h"

JSNI_ROW static inline jsni_real ce_row(const jsni_row *row, jsni_grad *grad)
{
    grad->target = jsni_fill(R(-1));
    return -jsni_target_logp(row);
}

JSNI_LOSS_DEFINE(ce, "ce", "cross-entropy, -log p_y", JSNI_ONE_VIEW, NULL, 0, NULL);
