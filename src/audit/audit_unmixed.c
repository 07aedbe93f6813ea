/* audit/audit_unmixed.c - the chance of a wrong label when labels come from true classes as
 * the surest samples show it (unmix.c). */
#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const double wrong = jsni_audit_unmix(facts, row, suggested);
    return jsni_audit_log_ratio(wrong, 1.0 - wrong);
}

const jsni_audit_def jsni_audit_unmixed = {
    .info = {"unmixed", "true classes by the transition that the surest samples show"},
    .judge = judge,
    .slope = 0.66,
    .transition = true,
};
