/* loss/asymmetric.h - the asymmetric losses of Zhou et al., "Asymmetric Loss Functions for
 * Learning with Noisy Labels", ICML 2021 (and TPAMI 2023), alone and beside nce.
 *
 *     AGCE = ((a+1)^q - (a+p)^q) / q          dL/dp = -(a+p)^(q-1)
 *     AUL  = ((a-p)^q - (a-1)^q) / q          dL/dp = -(a-p)^(q-1)
 *     AEL  = exp(-p / a)                      dL/dp = -exp(-p/a) / a
 *
 * with p = p_y. The differences of powers are formed by expm1 of logarithms of 1 + x with
 * x in proportion to 1 - p, so that nothing cancels as p -> 1. */
#ifndef JSNI_LOSS_ASYMMETRIC_H
#define JSNI_LOSS_ASYMMETRIC_H

#include "loss/row.h"

/* Each adds weight times the loss to the gradient and returns it. */
JSNI_ROW static inline jsni_real jsni_agce(const jsni_row *row, jsni_grad *grad,
                                           jsni_scalar weight, jsni_scalar a,
                                           jsni_scalar q)
{
    const jsni_real p = jsni_exp(row->label_logp[0]);
    const jsni_real rest = -jsni_expm1(row->label_logp[0]);
    const jsni_real top = jsni_pow(jsni_fill(a + R(1)), q);
    grad->target = grad->target - weight * p * jsni_pow(a + p, q - R(1));
    return jsni_doubt(row, 0) -
           weight * top / q * jsni_expm1(q * jsni_log1p(-rest / (a + R(1))));
}

JSNI_ROW static inline jsni_real jsni_aul(const jsni_row *row, jsni_grad *grad,
                                          jsni_scalar weight, jsni_scalar a,
                                          jsni_scalar q)
{
    const jsni_scalar gap = a - R(1);
    const jsni_real p = jsni_exp(row->label_logp[0]);
    const jsni_real rest = -jsni_expm1(row->label_logp[0]);
    const jsni_real low = jsni_pow(jsni_fill(gap), q);
    grad->target = grad->target - weight * p * jsni_pow(gap + rest, q - R(1));
    return jsni_doubt(row, 0) +
           weight * low / q * jsni_expm1(q * jsni_log1p(rest / gap));
}

JSNI_ROW static inline jsni_real jsni_ael(const jsni_row *row, jsni_grad *grad,
                                          jsni_scalar weight, jsni_scalar a)
{
    const jsni_real p = jsni_exp(row->label_logp[0]);
    const jsni_real value = jsni_doubt(row, 0) + weight * jsni_exp(-p / a);
    grad->target = grad->target - value * p / a;
    return value;
}

/* What the sums with nce share. */
#define JSNI_ALPHA_BETA_PARAMS(alpha, beta, passive)                                \
    {"alpha", "weight of normalised cross-entropy", alpha, 0, 1e4, JSN_PARAM_REAL}, \
    {                                                                               \
        "beta", "weight of " passive, beta, 0, 1e4, JSN_PARAM_REAL                  \
    }

#endif /* JSNI_LOSS_ASYMMETRIC_H */
