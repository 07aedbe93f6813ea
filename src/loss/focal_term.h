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

/* 1 - p without the digits that a subtraction loses for p near 1. In float a polynomial of l
 * there, off by at most 2e-8 of it. */
JSNI_ROW static inline jsni_real jsni_rest_of(jsni_real l, jsni_real p)
{
    if (JSNI_EXACT)
        return -jsni_expm1(l);
    jsni_real q = jsni_fill(R(7.184513486e-3));
    q = jsni_fma(q, -l, jsni_fill(R(-4.131550868e-2)));
    q = jsni_fma(q, -l, jsni_fill(R(1.666222557e-1)));
    q = jsni_fma(q, -l, jsni_fill(R(-4.999980248e-1)));
    q = jsni_fma(q, -l, jsni_fill(R(9.999999859e-1)));
    return jsni_less(jsni_fill(R(0.7)), p, q * -l, R(1) - p);
}

/* `p` is exp(l), which rows have at hand. Without gamma nothing is left but l; a half, the
 * authors' choice, is a root. */
JSNI_ROW static inline jsni_real jsni_focal_term(jsni_real l, jsni_real p,
                                                 jsni_scalar gamma, jsni_real *slope)
{
    if (gamma == R(0)) {
        *slope = jsni_fill(R(-1));
        return -l;
    }
    const jsni_real tiny = jsni_fill(R(JSNI_TINY));
    const jsni_real rest = jsni_rest_of(l, p), some = jsni_max(tiny, rest);
    if (gamma == R(0.5)) {
        const jsni_real root = jsni_sqrt(some);
        *slope = gamma * p * (l / root) - root;
        return -root * l;
    }
    if (gamma == R((int)gamma)) { /* products, of 1 - p as it is */
        jsni_real below = rest;
        for (int i = 2; i < (int)gamma; i++)
            below = below * rest;
        if (gamma == R(1))
            below = jsni_fill(R(1));
        *slope = below * (gamma * p * l - rest);
        return -(below * rest) * l;
    }
    const jsni_real power = jsni_pow(some, gamma);
    const jsni_real ratio = jsni_less(tiny, rest, l / some, jsni_fill(R(-1)));
    *slope = power * (gamma * p * ratio - R(1));
    return -power * l;
}

#endif /* JSNI_LOSS_FOCAL_TERM_H */
