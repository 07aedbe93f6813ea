/* audit/audit_consistency.c - the generalised Jensen-Shannon divergence of the label and all views,
 * as the loss GJS has it: with half of the weight on the label,
 *
 *     D = H(m) - sum_v w H(p_v),   m = e / 2 + sum_v w p_v,   w = 1 / (2 views),
 *
 * where e is 1 at the label. It is large where the views contradict the label, and larger where
 * they contradict each other as well. Taken as log-odds against the largest value that it can
 * have. With one view it follows the given label's probability alone. */
#include <math.h>

#include "audit/audit_impl.h"

/* -x log x */
static double surprise(double x)
{
    return x > 0.0 ? -x * log(x) : 0.0;
}

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const size_t views = jsni_audit_view_count(facts->in);
    const double weight = 0.5 / (double)views;
    double divergence = 0.0;
    (void)suggested;
    for (size_t c = 0; c < facts->in->classes; c++) {
        double mean = c == row->given ? 0.5 : 0.0;
        for (size_t v = 0; v < views; v++) {
            const float *view = jsni_audit_view(facts->in, v, row->sample);
            const double p = view != NULL ? (double)view[c] : row->p[c];
            mean += weight * p;
            divergence -= weight * surprise(p);
        }
        divergence += surprise(mean);
    }
    const double most = surprise(0.5) + (double)views * surprise(weight);
    return jsni_audit_log_ratio(divergence, most - divergence);
}

const jsni_audit_def jsni_audit_consistency = {
    .info = {"consistency", "GJS: the views contradict the label, or each other"},
    .judge = judge,
    .slope = 1.0,
};
