/* theory/divergence.c - the divergence D, its f-divergence form, and the decomposition
 * of GJS.
 *
 * KL(p || m) is summed as sum_k p_k e((m_k - p_k)/p_k) with e(x) = x - log(1+x) >= 0;
 * what is added, sum_j pi_j sum_k (m_k - pj_k), is zero by the definition of m. All
 * terms are non-negative, so nothing cancels, however close the distributions are.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"
#include "jensen/theory.h"
#include "theory/entropy.h"
#include "theory/weights.h"

/* own log(own/m) + m - own, from m and from gap = m - own, which is exact where the two
 * nearly agree while m itself is exact where it is far smaller. */
static double kl_term(double own, double m, double gap)
{
    if (!(own > 0.0) || !(gap / own < INFINITY))
        return gap;
    if (gap < -0.5 * own)
        return gap - own * log(m / own);
    return own * jsni_log_excess(gap / own);
}

/* sum_j w_j KL(pj || m) with w summing to 1 up to rounding; p is [count][classes]. */
static double divergence(size_t count, size_t classes, const double *w, const double *p)
{
    double total = 0.0;
    for (size_t j = 0; j < count; j++) {
        double kl = 0.0;
        for (size_t k = 0; w[j] > 0.0 && k < classes; k++) {
            const double own = p[j * classes + k];
            double m = 0.0, gap = 0.0;
            for (size_t i = 0; i < count; i++) {
                m += w[i] * p[i * classes + k];
                gap += w[i] * (p[i * classes + k] - own);
            }
            kl += kl_term(own, m, gap);
        }
        total += w[j] * kl;
    }
    return total;
}

jsn_status jsn_theory_divergence(size_t count, size_t classes, const double *weights,
                                 const double *p, double *out)
{
    if (count == 0 || classes == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "a divergence of %zu %s over %zu %s", count,
                         jsni_noun(count, "distribution", "distributions"), classes,
                         jsni_noun(classes, "class", "classes"));
    JSNI_TRY(jsni_theory_given(weights, p));
    JSNI_TRY(jsni_theory_given(out, out));
    JSNI_TRY(jsni_distribution_check(count, weights, "weights"));
    for (size_t j = 0; j < count; j++)
        JSNI_TRY(jsni_distribution_check(classes, p + j * classes, "a distribution"));
    *out = divergence(count, classes, weights, p);
    return JSN_OK;
}

double jsn_theory_f(double pi1, double t)
{
    if (!(pi1 > 0.0 && pi1 < 1.0 && t >= 0.0))
        return NAN;
    /* As D above, of masses t and 1 and their mean m = pi1 t + 1 - pi1. */
    const double rest = 1.0 - pi1;
    const double m = pi1 * t + rest;
    return pi1 * kl_term(t, m, rest * (1.0 - t)) +
           rest * kl_term(1.0, m, pi1 * (t - 1.0));
}

double jsn_theory_f_second(double pi1, double t)
{
    if (!(pi1 > 0.0 && pi1 < 1.0 && t >= 0.0))
        return NAN;
    return pi1 * (1.0 - pi1) / (pi1 * t * t + (1.0 - pi1) * t);
}

/* Fills `out` with scratch p of [views+1][classes]: the label, then the views. */
static void decompose(jsn_theory_parts *out, size_t views, size_t classes,
                      const double *weights, double *mean, const double *p)
{
    const double rest = 1.0 - weights[0];
    double w[JSN_THEORY_MAX_VIEWS + 1] = {0};
    double sum = 0.0;
    for (size_t j = 1; j <= views; j++)
        sum += weights[j];
    for (size_t j = 1; j <= views; j++)
        w[j] = weights[j] / sum;
    for (size_t k = 0; k < classes; k++) {
        double m = 0.0;
        for (size_t j = 1; j <= views; j++)
            m += w[j] * p[j * classes + k];
        mean[classes + k] = m;
        mean[k] = p[k];
    }
    const double two[2] = {weights[0], rest};
    out->z = jsni_entropy_of_complement(weights[0]);
    out->gjs = divergence(views + 1, classes, weights, p) / out->z;
    out->js = divergence(2, classes, two, mean) / out->z;
    out->spread = divergence(views, classes, w + 1, p + classes);
    out->consistency = rest * out->spread / out->z;
}

jsn_status jsn_theory_decompose(jsn_theory_parts *out, size_t views, size_t classes,
                                double pi1, const double *weights, size_t label,
                                const double *p)
{
    double equal[JSN_THEORY_MAX_VIEWS + 1];
    JSNI_TRY(jsni_theory_given(out, p));
    if (weights == NULL) {
        JSNI_TRY(jsni_weights_equal(classes, views, pi1, equal));
        weights = equal;
    } else {
        JSNI_TRY(jsni_weights_check(classes, views, weights));
    }
    if (label >= classes)
        return jsni_fail(JSN_ERR_RANGE, "label %zu of %zu %s", label, classes,
                         jsni_noun(classes, "class", "classes"));
    for (size_t j = 0; j < views; j++)
        JSNI_TRY(jsni_distribution_check(classes, p + j * classes, "a prediction"));

    double *all = jsni_alloc_zero(views + 3, classes * sizeof(double));
    if (all == NULL)
        return JSN_ERR_MEMORY;
    all[label] = 1.0;
    for (size_t i = 0; i < views * classes; i++)
        all[classes + i] = p[i];
    decompose(out, views, classes, weights, all + (views + 1) * classes, all);
    jsni_free(all);
    return JSN_OK;
}
