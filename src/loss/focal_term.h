/* loss/focal_term.h - the term of the focal losses as a function of l = log p,
 *
 *     F = -(1-p)^gamma l
 *     dF/dl = -(1-p)^gamma + gamma (1-p)^(gamma-1) p l
 *
 * Of the second part l / (1-p) is formed first, which tends to -1 as p -> 1, where the
 * power alone may be infinite. Published code takes (1-p)^gamma for a constant in the
 * gradient; the paper's definition, and this, does not. */
#ifndef JSNI_LOSS_FOCAL_TERM_H
#define JSNI_LOSS_FOCAL_TERM_H

#include "loss/row.h"

#define JSNI_GAMMA_PARAM                                                               \
    {                                                                                  \
        "gamma", "how fast samples that fit stop to count", 0.5, 0, 10, JSN_PARAM_REAL \
    }

JSNI_ROW static inline jsni_real jsni_focal_term(jsni_real l, jsni_scalar gamma,
                                                 jsni_real *slope)
{
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    const jsni_real rest = -jsni_expm1(l);
    const jsni_real power = jsni_pow(jsni_max(tiny, rest), gamma);
    const jsni_real ratio =
        jsni_less(tiny, rest, l / jsni_max(tiny, rest), jsni_fill(R(-1)));
    *slope = power * (gamma * jsni_exp(l) * ratio - R(1));
    return -power * l;
}

#endif /* JSNI_LOSS_FOCAL_TERM_H */
