/* theory/risk.c - how much worse training on noisy labels can make the risk: Theorems 1
 * and 2 and Proposition 4.
 *
 * Under symmetric noise the noisy risk is the clean one, shrunk, plus eta/(K-1) times
 * the mean of the sum over all labels, which lies between B_L and B_U: hence the
 * bounds. Where the consistency term does not favour f*_eta, it may be dropped from the
 * comparison, and what remains is JS with its much smaller B_U - B_L and with C1 = C2.
 */
#include <math.h>

#include "core/fail.h"
#include "jensen/theory.h"
#include "theory/weights.h"

/* (B_U - B_L)/Z, of JS where Proposition 4 applies. */
static double gap(const jsn_theory_bounds *b, bool consistent)
{
    return ((consistent ? b->upper_js : b->upper) - b->lower) / b->z;
}

jsn_status jsn_theory_risk_symmetric(jsn_theory_risk *out,
                                     const jsn_theory_bounds *bounds, double eta,
                                     bool consistent)
{
    JSNI_TRY(jsni_theory_given(out, bounds));
    const double k = (double)bounds->classes;
    if (!(eta >= 0.0 && eta * k < k - 1.0))
        return jsni_fail(JSN_ERR_RANGE,
                         "noise rate eta = %g is not in [0, (K-1)/K = %g)", eta,
                         (k - 1.0) / k);
    const double width = eta * gap(bounds, consistent);
    out->noisy_lowest = 0.0;
    out->noisy_highest = width / (k - 1.0);
    out->clean_lowest = -width / (k - 1.0 - eta * k);
    out->clean_highest = 0.0;
    return JSN_OK;
}

static jsn_status check_row(size_t classes, const double *row, size_t y)
{
    JSNI_TRY(jsni_distribution_check(classes, row, "a row of the transition matrix"));
    for (size_t i = 0; i < classes; i++)
        if (i != y && !(row[i] < row[y]))
            return jsni_fail(JSN_ERR_RANGE,
                             "class %zu turns into %zu with probability %g, not below "
                             "the %g of staying; the theorem needs that",
                             y, i, row[i], row[y]);
    return JSN_OK;
}

jsn_status jsn_theory_risk_asymmetric(jsn_theory_risk *out,
                                      const jsn_theory_bounds *bounds,
                                      const double *transition, const double *prior,
                                      bool consistent)
{
    JSNI_TRY(jsni_theory_given(out, bounds));
    JSNI_TRY(jsni_theory_given(transition, transition));
    const size_t classes = bounds->classes;
    if (prior != NULL)
        JSNI_TRY(jsni_distribution_check(classes, prior, "the prior"));
    double stay = 0.0, excess = 0.0;
    for (size_t y = 0; y < classes; y++) {
        const double *row = transition + y * classes;
        JSNI_TRY(check_row(classes, row, y));
        const double weight = prior != NULL ? prior[y] : 1.0 / (double)classes;
        stay += weight * row[y];
        for (size_t i = 0; i < classes; i++)
            excess += i == y ? 0.0 : weight * (row[y] - row[i]);
    }
    const double loss_gap = consistent ? 0.0 : (bounds->c1 - bounds->c2) / bounds->z;
    out->noisy_lowest = 0.0;
    out->noisy_highest = gap(bounds, consistent) * stay + loss_gap * excess;
    out->clean_lowest = -INFINITY;
    out->clean_highest = 0.0;
    return JSN_OK;
}
