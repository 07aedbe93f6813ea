/* theory/weights.c - see theory/weights.h. Comparisons are written so that NaN fails. */
#include "theory/weights.h"

#include <math.h>

#include "core/fail.h"
#include "core/words.h"
#include "jensen/theory.h"

/* How far a sum may be off 1: weights are typed with a few decimals. */
static const double sum_slack = 1e-6;

static jsn_status check_counts(size_t classes, size_t views)
{
    if (classes < 2)
        return jsni_fail(JSN_ERR_ARGUMENT, "%zu %s too few, 2 are needed", classes,
                         jsni_noun(classes, "class is", "classes are"));
    if (views < 1 || views > JSN_THEORY_MAX_VIEWS)
        return jsni_fail(JSN_ERR_ARGUMENT, "%zu views are not between 1 and %d", views,
                         (int)JSN_THEORY_MAX_VIEWS);
    return JSN_OK;
}

jsn_status jsni_theory_given(const void *a, const void *b)
{
    return a != NULL && b != NULL
               ? JSN_OK
               : jsni_fail(JSN_ERR_ARGUMENT, "theory: an argument is NULL");
}

jsn_status jsni_weights_check(size_t classes, size_t views, const double *weights)
{
    JSNI_TRY(check_counts(classes, views));
    double sum = 0.0;
    for (size_t j = 0; j <= views; j++) {
        if (!(weights[j] > 0.0 && weights[j] < 1.0))
            return jsni_fail(JSN_ERR_RANGE, "weight pi%zu = %g is not inside (0, 1)",
                             j + 1, weights[j]);
        sum += weights[j];
    }
    if (!(fabs(sum - 1.0) <= sum_slack))
        return jsni_fail(JSN_ERR_RANGE, "the weights sum to %.9g, not to 1", sum);
    return JSN_OK;
}

jsn_status jsni_weights_equal(size_t classes, size_t views, double pi1, double *weights)
{
    JSNI_TRY(check_counts(classes, views));
    if (!(pi1 > 0.0 && pi1 < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "pi1 = %g is not inside (0, 1)", pi1);
    weights[0] = pi1;
    /* A label weight too small to move 1 - pi1 off 1 would leave a lone view with
     * weight 1; the nearest number below stands for it. */
    const double share = (1.0 - pi1) / (double)views;
    for (size_t j = 1; j <= views; j++)
        weights[j] = share < 1.0 ? share : nextafter(1.0, 0.0);
    return JSN_OK;
}

jsn_status jsni_distribution_check(size_t count, const double *p, const char *what)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        if (!(p[k] >= 0.0 && p[k] <= 1.0))
            return jsni_fail(JSN_ERR_RANGE, "%s: entry %zu is %g, not in [0, 1]", what,
                             k, p[k]);
        sum += p[k];
    }
    if (!(fabs(sum - 1.0) <= sum_slack))
        return jsni_fail(JSN_ERR_RANGE, "%s: sums to %.9g, not to 1", what, sum);
    return JSN_OK;
}
