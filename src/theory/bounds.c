/* theory/bounds.c - B_L, B_U, C1 and C2 of JS and GJS.
 *
 * The sum over all labels is convex in every view, so its largest value is at unit
 * vectors: views are assigned to classes, class k collects the weight q_k, and the sum
 * is sum_k phi(q_k) with phi(q) = h(pi1 + q) + (K-1) h(q). phi is concave, so spreading
 * the views wins: one class a view while there are enough classes, else the most even
 * split. The smallest value is at the uniform prediction, where it is K times the JS of
 * a label and the uniform distribution.
 */
#include <math.h>

#include "core/fail.h"
#include "core/words.h"
#include "jensen/theory.h"
#include "theory/entropy.h"
#include "theory/weights.h"

/* Up to here every way to put views together is tried: Bell(12) = 4.2 million. */
enum { EXACT_VIEWS = 12 };

typedef struct spread {
    double pi1;
    double classes; /* K */
    size_t slots;   /* classes that views can be put on */
    const double *views;
    size_t count;
    double held[EXACT_VIEWS]; /* weight on each used class */
    double best;
} spread;

/* phi(q); the argument of the first entropy is near 1 when q holds nearly all the
 * weight, hence the complement. */
static double phi(double pi1, double classes, double q)
{
    const double rest = (1.0 - pi1) - q;
    const double first = rest < 0.5
                             ? jsni_entropy_of_complement(rest > 0.0 ? rest : 0.0)
                             : jsni_entropy_term(pi1 + q);
    return first + (classes - 1.0) * jsni_entropy_term(q);
}

/* Puts view `index` on each class in use or on the next unused one. */
static void try_spreads(spread *s, size_t index, size_t used)
{
    if (index == s->count) {
        double sum = ((double)s->slots - (double)used) * jsni_entropy_term(s->pi1);
        for (size_t k = 0; k < used; k++)
            sum += phi(s->pi1, s->classes, s->held[k]);
        s->best = sum > s->best ? sum : s->best;
        return;
    }
    const size_t end = used < s->slots ? used + 1 : used;
    for (size_t k = 0; k < end; k++) {
        const double before = k < used ? s->held[k] : 0.0;
        s->held[k] = before + s->views[index];
        try_spreads(s, index + 1, k < used ? used : used + 1);
        s->held[k] = before;
    }
}

/* B_U for more views than classes, weights `w` of the views. */
static double upper_crowded(double pi1, size_t classes, size_t views, const double *w,
                            bool *tight)
{
    const double all = 1.0 - pi1;
    bool equal = true;
    for (size_t j = 1; j < views; j++)
        equal = equal && w[j] == w[0];
    if (equal) {
        const size_t share = views / classes, more = views % classes;
        const double w0 = all / (double)views;
        return (double)more * phi(pi1, (double)classes, (double)(share + 1) * w0) +
               (double)(classes - more) * phi(pi1, (double)classes, (double)share * w0);
    }
    if (views > EXACT_VIEWS) {
        *tight = false;
        return (double)classes * phi(pi1, (double)classes, all / (double)classes);
    }
    spread s = {pi1, (double)classes, classes, w, views, {0}, 0.0};
    try_spreads(&s, 0, 0);
    return s.best;
}

jsn_status jsn_theory_bounds_weighted(jsn_theory_bounds *out, size_t classes,
                                      size_t views, const double *weights)
{
    JSNI_TRY(jsni_theory_given(out, weights));
    JSNI_TRY(jsni_weights_check(classes, views, weights));
    const double pi1 = weights[0];
    const double k = (double)classes;
    const double *w = weights + 1;
    jsn_theory_bounds b = {.classes = classes, .views = views, .pi1 = pi1};
    b.upper_tight = true;
    b.z = jsni_entropy_of_complement(pi1);
    b.lower = k * b.z * jsn_theory_js(pi1, 1.0 / k);
    b.c2 = jsni_entropy_term(pi1) + b.z;
    b.upper_js = (k - 1.0) * b.c2;
    b.c1 = jsni_entropy_term(pi1);
    for (size_t j = 0; j < views; j++)
        b.c1 += views == 1 ? b.z : jsni_entropy_term(w[j]);
    if (views == 1) {
        b.upper = b.upper_js;
    } else if (views <= classes) {
        b.upper = (k - (double)views) * jsni_entropy_term(pi1);
        for (size_t j = 0; j < views; j++)
            b.upper += phi(pi1, k, w[j]);
    } else {
        b.upper = upper_crowded(pi1, classes, views, w, &b.upper_tight);
    }
    *out = b;
    return JSN_OK;
}

jsn_status jsn_theory_bounds_equal(jsn_theory_bounds *out, size_t classes, size_t views,
                                   double pi1)
{
    double weights[JSN_THEORY_MAX_VIEWS + 1];
    JSNI_TRY(jsni_weights_equal(classes, views, pi1, weights));
    return jsn_theory_bounds_weighted(out, classes, views, weights);
}

jsn_status jsn_theory_label_sum(jsn_theory_loss loss, double parameter, size_t classes,
                                double *lower, double *upper)
{
    const double k = (double)classes;
    JSNI_TRY(jsni_theory_given(lower, upper));
    if (classes < 2)
        return jsni_fail(JSN_ERR_ARGUMENT, "%zu %s too few, 2 are needed", classes,
                         jsni_noun(classes, "class is", "classes are"));
    switch (loss) {
    case JSN_THEORY_CE:
        *lower = k * log(k);
        *upper = INFINITY;
        return JSN_OK;
    case JSN_THEORY_MAE:
        *lower = *upper = 2.0 * (k - 1.0);
        return JSN_OK;
    case JSN_THEORY_GCE:
        if (!(parameter > 0.0 && parameter <= 1.0))
            return jsni_fail(JSN_ERR_RANGE, "q = %g is not in (0, 1]", parameter);
        *lower = -k * expm1(-parameter * log(k)) / parameter;
        *upper = (k - 1.0) / parameter;
        return JSN_OK;
    case JSN_THEORY_JS: {
        jsn_theory_bounds b;
        JSNI_TRY(jsn_theory_bounds_equal(&b, classes, 1, parameter));
        *lower = b.lower / b.z;
        *upper = b.upper / b.z;
        return JSN_OK;
    }
    }
    return jsni_fail(JSN_ERR_ARGUMENT, "no loss has the number %d", (int)loss);
}
