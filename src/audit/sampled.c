/* audit/sampled.c - how many labels are wrong, from a random sample of them that was looked at.
 *
 * `wrong` of `sample` labels, drawn without replacement from `population`, have the
 * hypergeometric distribution. The interval is exact (as Clopper and Pearson's for shares): it
 * holds every number of wrong labels for which as many, or as few, in the sample would not be
 * less likely than half of 1 - confidence. */
#include "audit/sampled.h"

#include <math.h>
#include <stdint.h>

#include "core/fail.h"

/* The chance of at least `least` wrong labels in the sample, and of at most `least`, when `bad`
 * of the population are wrong. Terms are taken relative to the largest one, outwards. */
static void tails(double population, double bad, double sample, double least,
                  double *above, double *below)
{
    const double first = fmax(0.0, sample - (population - bad));
    const double last = fmin(sample, bad);
    const double mode = fmin(
        last, fmax(first, floor((sample + 1.0) * (bad + 1.0) / (population + 2.0))));
    double all = 0.0, term = 1.0;
    *above = *below = 0.0;
    for (double k = mode; k <= last && term > 0.0; k += 1.0) {
        all += term;
        *above += k >= least ? term : 0.0;
        *below += k <= least ? term : 0.0;
        term *= (bad - k) * (sample - k) /
                ((k + 1.0) * (population - bad - sample + k + 1.0));
    }
    term = 1.0;
    for (double k = mode; k > first && term > 0.0; k -= 1.0) {
        term *= k * (population - bad - sample + k) /
                ((bad - k + 1.0) * (sample - k + 1.0));
        all += term;
        *above += k - 1.0 >= least ? term : 0.0;
        *below += k - 1.0 <= least ? term : 0.0;
    }
    *above /= all;
    *below /= all;
}

jsn_status jsni_audit_sampled(size_t population, size_t sample, size_t wrong,
                              double confidence, size_t *low, size_t *high)
{
    if (sample == 0 || sample > population || wrong > sample ||
        population > UINT32_MAX || !(confidence > 0.0 && confidence < 1.0))
        return jsni_fail(JSN_ERR_RANGE,
                         "audit: %zu wrong of %zu in a sample of %zu, confidence %g",
                         wrong, population, sample, confidence);
    const double half = 0.5 * (1.0 - confidence);
    double above = 0.0, below = 0.0;
    size_t least = wrong, most = population - (sample - wrong);
    *low = least;
    for (size_t end = most; *low < end;) { /* the first that is likely enough */
        const size_t middle = *low + (end - *low) / 2;
        tails((double)population, (double)middle, (double)sample, (double)wrong, &above,
              &below);
        if (above > half)
            end = middle;
        else
            *low = middle + 1;
    }
    *high = most;
    for (size_t begin = least; begin < *high;) { /* the last one */
        const size_t middle = *high - (*high - begin) / 2;
        tails((double)population, (double)middle, (double)sample, (double)wrong, &above,
              &below);
        if (below > half)
            begin = middle;
        else
            *high = middle - 1;
    }
    return JSN_OK;
}
