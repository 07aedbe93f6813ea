/* audit/audit_margin.c - by how much another class is more probable than the given one. */
#include "audit/audit_impl.h"

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    (void)facts;
    (void)suggested;
    return row->p[row->other] - row->p[row->given];
}

const jsni_audit_def jsni_audit_margin = {
    .info = {"margin", "another class is more probable than the given one"},
    .judge = judge,
    .slope = 4.0,
};
