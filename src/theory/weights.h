/* theory/weights.h - checks of weights and distributions, shared by the formulas. */
#ifndef JSNI_THEORY_WEIGHTS_H
#define JSNI_THEORY_WEIGHTS_H

#include <stddef.h>

#include "jensen/status.h"

/* JSN_ERR_ARGUMENT if one of the two is NULL. */
JSN_MUST_CHECK jsn_status jsni_theory_given(const void *a, const void *b);

/* weights is [views+1], the label's first. Statuses as jsn_theory_bounds_weighted(). */
JSN_MUST_CHECK jsn_status jsni_weights_check(size_t classes, size_t views,
                                             const double *weights);

/* Fills weights [views+1] with pi1 and equal shares of the rest. */
JSN_MUST_CHECK jsn_status jsni_weights_equal(size_t classes, size_t views, double pi1,
                                             double *weights);

/* JSN_ERR_RANGE, naming `what`, unless p [count] is a probability distribution. */
JSN_MUST_CHECK jsn_status jsni_distribution_check(size_t count, const double *p,
                                                  const char *what);

#endif /* JSNI_THEORY_WEIGHTS_H */
