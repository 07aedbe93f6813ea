/* audit/audit_combined.c - the log-odds of a wrong label as the sum of two: those of unmix.c,
 * which know what is labelled as what, and the given label's improbability, which holds
 * whatever the labels come from. The weights are those of a logistic regression on other data
 * sets than those that docs/audit.md judges it on; it says which. */
#include "audit/audit_impl.h"

#define WEIGHT_UNMIXED    0.47
#define WEIGHT_IMPROBABLE 0.56

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const double wrong = jsni_audit_unmix(facts, row, suggested);
    return WEIGHT_UNMIXED * jsni_audit_log_ratio(wrong, 1.0 - wrong) +
           WEIGHT_IMPROBABLE * jsni_audit_log_ratio(1.0, row->p[row->given]);
}

const jsni_audit_def jsni_audit_combined = {
    .info = {"combined", "unmixed and self-confidence, weighted by measurement"},
    .judge = judge,
    .slope = 1.0,
    .transition = true,
};
