/* loss/loss_focal.c - focal loss.
 *
 *     L = -(1 - p_y)^gamma log p_y
 *
 * after Lin et al., "Focal Loss for Dense Object Detection", ICCV 2017: samples that fit
 * count less. gamma = 0 is cross-entropy. Not robust by itself; the normalised form and
 * the active negative loss are. */
#include "loss/focal_term.h"

enum { FOCAL_GAMMA };

JSNI_SETUP const jsn_param_info focal_params[] = {JSNI_GAMMA_PARAM};

JSNI_ROW static inline jsni_real focal_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_real l = row->label_logp[0];
    return jsni_focal_term(l, jsni_exp(l), row->constant[FOCAL_GAMMA], &grad->target);
}

JSNI_LOSS_DEFINE(focal, "focal", "focal loss, -(1-p_y)^gamma log p_y",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, focal_params,
                 JSNI_COUNT_OF(focal_params), NULL);
