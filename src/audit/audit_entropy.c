/* audit/audit_entropy.c - the entropy of the probabilities over that of the given label:
 * suspect is a label that is improbable where the model is undecided. */
#include <math.h>

#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    double entropy = 0.0;
    (void)suggested;
    for (size_t c = 0; c < facts->in->classes; c++)
        if (row->p[c] > 0.0)
            entropy -= row->p[c] * log(row->p[c]);
    return jsni_audit_log_ratio(entropy, row->p[row->given]);
}

const jsni_audit_def jsni_audit_entropy = {
    .info = {"entropy", "entropy over the given label's probability"},
    .judge = judge,
    .slope = 1.0,
};
