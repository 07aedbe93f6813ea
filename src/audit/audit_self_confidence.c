/* audit/audit_self_confidence.c - the less probable the given label, the more suspect. */
#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    (void)facts;
    (void)suggested;
    const double given = row->p[row->given];
    return jsni_audit_log_ratio(1.0 - given, given);
}

const jsni_audit_def jsni_audit_self_confidence = {
    .info = {"self-confidence", "the given label's probability is low"},
    .judge = judge,
    .slope = 1.0,
};
