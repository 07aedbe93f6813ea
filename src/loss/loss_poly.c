/* loss/loss_poly.c - PolyLoss of the first order.
 *
 *     L = CE + epsilon (1 - p_y)
 *
 * after Leng et al., "PolyLoss: A Polynomial Expansion Perspective of Classification Loss
 * Functions", ICLR 2022; epsilon = 2 for ImageNet. */
#include "loss/row.h"

enum { POLY_EPSILON };

JSNI_SETUP const jsn_param_info poly_params[] = {
    {"epsilon", "what is added to the first coefficient of the series", 2, -1, 1e3,
     JSN_PARAM_REAL},
};

JSNI_ROW static inline jsni_real poly_row(const jsni_row *row, jsni_grad *grad)
{
    const jsni_scalar epsilon = row->constant[POLY_EPSILON];
    const jsni_real l = row->label_logp[0];
    grad->target = -(R(1) + epsilon * jsni_exp(l));
    return -l - epsilon * jsni_expm1(l);
}

JSNI_LOSS_DEFINE(poly, "poly", "PolyLoss, ce + epsilon (1 - p_y)",
                 JSNI_ONE_VIEW | JSNI_HARD_ONLY, poly_params,
                 JSNI_COUNT_OF(poly_params), NULL);
