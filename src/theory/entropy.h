/* theory/entropy.h - the scalar functions that the formulas are made of, in forms that
 * keep their digits at the ends of their domains. */
#ifndef JSNI_THEORY_ENTROPY_H
#define JSNI_THEORY_ENTROPY_H

/* h(x) = -x log x, h(0) = 0. */
double jsni_entropy_term(double x);

/* h(x) where 1 - x is known better than x: near 1 the logarithm is taken of the
 * complement. */
double jsni_entropy_of_complement(double one_minus_x);

/* x - log(1 + x) >= 0 for x > -1, without cancellation around 0. */
double jsni_log_excess(double x);

#endif /* JSNI_THEORY_ENTROPY_H */
