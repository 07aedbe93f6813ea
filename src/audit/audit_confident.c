/* audit/audit_confident.c - confident learning: first the samples that belong confidently
 * to another class than the given one (joint.c), then the others, each by their margin. */
#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const double widest = 2.0; /* of a margin, which lies in [-1, 1] */
    const size_t k = facts->in->classes;
    const size_t confident = jsni_audit_confident_class(facts, row->p);
    const double margin = row->p[row->other] - row->p[row->given];
    if (confident == k || confident == row->given)
        return margin;
    *suggested = confident;
    return margin + widest;
}

const jsni_audit_def jsni_audit_confident = {
    .info = {"confident", "confident learning: class thresholds, then the margin"},
    .judge = judge,
    .slope = 2.0,
};
