/* audit/label_facts.c - one look at all probabilities: whether they are any, and what is
 * to be known of the classes before a sample is judged. */
#include <math.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/fail.h"

/* The pieces are the same for any number of threads, and so are the sums. */
enum { PIECES = 64 };

typedef struct measuring {
    jsni_audit_facts *facts;
    size_t per_piece;
    double *rows;       /* [threads][classes] */
    double *sums;       /* [PIECES][classes], of the given label's probability */
    size_t bad[PIECES]; /* the first row that is refused; samples: none */
} measuring;

double jsni_audit_row_read(const jsn_audit_input *in, size_t sample, double *row)
{
    const size_t k = in->classes;
    double sum = 0.0;
    bool negative = false;
    for (size_t c = 0; c < k; c++) {
        row[c] = in->posteriors != NULL ? (double)in->posteriors[sample * k + c]
                                        : in->posteriors64[sample * k + c];
        negative |= row[c] < 0.0;
        sum += row[c];
    }
    for (size_t c = 0; c < k; c++)
        row[c] /= sum;
    return negative ? NAN : sum;
}

size_t jsni_audit_view_count(const jsn_audit_input *in)
{
    return in->view_count > 0 ? in->view_count : 1;
}

const float *jsni_audit_view(const jsn_audit_input *in, size_t view, size_t sample)
{
    return in->views == NULL ? NULL
                             : &in->views[(view * in->samples + sample) * in->classes];
}

static bool views_are_sound(const jsn_audit_input *in, size_t sample)
{
    for (size_t v = 0; v < in->view_count; v++) {
        const float *row = jsni_audit_view(in, v, sample);
        double sum = 0.0;
        for (size_t c = 0; c < in->classes; c++)
            sum += row[c] >= 0.0F ? (double)row[c] : NAN;
        if (!(sum >= 0.98 && sum <= 1.02))
            return false;
    }
    return true;
}

static void measure_piece(void *user, size_t piece, size_t worker)
{
    measuring *m = user;
    jsni_audit_facts *facts = m->facts;
    const size_t k = facts->in->classes, n = facts->in->samples;
    const size_t first = piece * m->per_piece;
    const size_t end = first + m->per_piece < n ? first + m->per_piece : n;
    double *row = &m->rows[worker * k];
    m->bad[piece] = n;
    for (size_t i = first; i < end; i++) {
        const double sum = jsni_audit_row_read(facts->in, i, row);
        if (!(sum >= 0.98 && sum <= 1.02) || /* also NaN */
            !views_are_sound(facts->in, i)) {
            m->bad[piece] = i;
            return;
        }
        size_t top = 0;
        for (size_t c = 1; c < k; c++)
            if (row[c] > row[top])
                top = c;
        facts->top[i] = (int32_t)top;
        facts->top_probability[i] = (float)row[top];
        const size_t given = (size_t)facts->in->labels[i];
        m->sums[piece * k + given] += row[given];
    }
}

/* The status of the pieces, and their sums as thresholds. */
static jsn_status combine(const measuring *m)
{
    jsni_audit_facts *facts = m->facts;
    const size_t k = facts->in->classes, n = facts->in->samples;
    for (size_t piece = 0; piece < PIECES; piece++)
        if (m->bad[piece] < n)
            return jsni_fail(
                JSN_ERR_DATA,
                "audit: row %zu of the probabilities has a negative entry, "
                "or a sum that is not 1",
                m->bad[piece]);
    for (size_t i = 0; i < n; i++)
        facts->labelled[facts->in->labels[i]]++;
    for (size_t c = 0; c < k; c++) {
        double sum = 0.0;
        for (size_t piece = 0; piece < PIECES; piece++)
            sum += m->sums[piece * k + c];
        facts->thresholds[c] =
            facts->labelled[c] > 0 ? sum / (double)facts->labelled[c] : 1.0;
    }
    return JSN_OK;
}

jsn_status jsni_audit_measure(jsni_audit_facts *facts, const jsn_audit_input *in,
                              jsni_pool *pool)
{
    const size_t k = in->classes, n = in->samples;
    *facts = (jsni_audit_facts){.in = in};
    measuring m = {.facts = facts, .per_piece = (n + PIECES - 1) / PIECES};
    jsn_status status = JSN_ERR_MEMORY;
    m.rows = jsni_alloc(jsni_pool_threads(pool) * k, sizeof *m.rows);
    m.sums = jsni_alloc_zero(PIECES * k, sizeof *m.sums);
    facts->labelled = jsni_alloc_zero(k, sizeof *facts->labelled);
    facts->thresholds = jsni_alloc(k, sizeof *facts->thresholds);
    facts->top = jsni_alloc(n, sizeof *facts->top);
    facts->top_probability = jsni_alloc(n, sizeof *facts->top_probability);
    if (m.rows != NULL && m.sums != NULL && facts->labelled != NULL &&
        facts->thresholds != NULL && facts->top != NULL &&
        facts->top_probability != NULL) {
        jsni_pool_run(pool, PIECES, measure_piece, &m);
        status = combine(&m);
    }
    jsni_free(m.rows);
    jsni_free(m.sums);
    if (status != JSN_OK)
        jsni_audit_facts_release(facts);
    return status;
}

void jsni_audit_facts_release(jsni_audit_facts *facts)
{
    jsni_free(facts->labelled);
    jsni_free(facts->thresholds);
    jsni_free(facts->top);
    jsni_free(facts->top_probability);
    jsni_free(facts->transition);
    jsni_free(facts->joint);
    jsni_free(facts->offset);
    *facts = (jsni_audit_facts){0};
}

double jsni_audit_log_ratio(double a, double b)
{
    const double least = 1e-7; /* what a float32 next to 1 can tell from it */
    return log(a > least ? a : least) - log(b > least ? b : least);
}
