/* loss/loss_nfl.c - normalised focal loss.
 *
 *     L = F_y / sum_k F_k,  F_k = -(1 - p_k)^gamma log p_k
 *
 * after Ma et al., "Normalized Loss Functions for Deep Learning with Noisy Labels", ICML
 * 2020. gamma = 0 is nce. */
#include "loss/focal_normalized.h"

enum { NFL_GAMMA };

JSNI_SETUP const jsn_param_info nfl_params[] = {JSNI_GAMMA_PARAM};

JSNI_ROW static inline jsni_real nfl_row(const jsni_row *row, jsni_grad *grad)
{
    return jsni_focal_normalized(row, grad, R(1), row->constant[NFL_GAMMA]);
}

JSNI_LOSS_DEFINE(nfl, "nfl", "normalised focal loss", JSNI_ONE_VIEW | JSNI_HARD_ONLY,
                 nfl_params, JSNI_COUNT_OF(nfl_params), NULL);
