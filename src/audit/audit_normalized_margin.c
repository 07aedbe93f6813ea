/* audit/audit_normalized_margin.c - how many times more probable another class is than the
 * given one, both measured against what is usual for their class: a class that the model
 * is never sure of is not suspect for that. */
#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const double *usual = facts->thresholds;
    (void)suggested;
    return jsni_audit_log_ratio(row->p[row->other], usual[row->other]) -
           jsni_audit_log_ratio(row->p[row->given], usual[row->given]);
}

const jsni_audit_def jsni_audit_normalized_margin = {
    .info = {"normalized-margin",
             "the margin as a ratio, by what is usual for the classes"},
    .judge = judge,
    .slope = 1.0,
};
