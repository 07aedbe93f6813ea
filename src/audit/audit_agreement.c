/* audit/audit_agreement.c - how many of the views, epochs or members take the image for its given
 * class. The probability counts as one vote more: it decides among equal votes, and alone where
 * there is one view. */
#include "audit/audit_impl.h"

/* The most probable class of a view. */
static size_t vote(const jsni_audit_facts *facts, const jsni_audit_row *row,
                   size_t view)
{
    const float *p = jsni_audit_view(facts->in, view, row->sample);
    size_t top = 0;
    for (size_t c = 1; c < facts->in->classes; c++)
        if (p != NULL ? p[c] > p[top] : row->p[c] > row->p[top])
            top = c;
    return top;
}

static double judge(const jsni_audit_facts *facts, const jsni_audit_row *row,
                    size_t *suggested)
{
    const size_t views = jsni_audit_view_count(facts->in);
    double given = 0.0, most = 0.0;
    for (size_t v = 0; v < views; v++) {
        const size_t top = vote(facts, row, v);
        double votes = row->p[top];
        for (size_t w = 0; top != row->given && w < views; w++)
            votes += vote(facts, row, w) == top;
        given += top == row->given;
        if (top != row->given && votes > most) {
            most = votes;
            *suggested = top;
        }
    }
    const double share = (given + row->p[row->given]) / (double)(views + 1);
    return jsni_audit_log_ratio(1.0 - share, share);
}

const jsni_audit_def jsni_audit_agreement = {
    .info = {"agreement", "few views, epochs or members agree with the label"},
    .judge = judge,
    .slope = 1.0,
};
