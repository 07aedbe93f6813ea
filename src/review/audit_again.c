/* review/audit_again.c - how many labels are wrong after a review: from a random sample of the
 * labels that nobody has decided about. check.csv is the sample, in the columns of suspects.csv,
 * so that the page asks for it as for any suspect. */
#include <math.h>

#include "audit/sampled.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/rng.h"
#include "review/review_session.h"

enum { USUAL_SAMPLE = 50 };

void jsn_audit_check_init(jsn_audit_check *job)
{
    if (job != NULL)
        *job = (jsn_audit_check){.confidence = 0.9};
}

static void add_row(jsni_csv_writer *csv, const jsni_session *s, uint32_t sample,
                    size_t rank, size_t population)
{
    const jsni_audited *a = &s->audited;
    jsni_csv_add_int(csv, (int64_t)rank);
    jsni_csv_add(csv, a->paths[sample]);
    jsni_csv_add(csv, a->names[a->labels[sample]]);
    jsni_csv_add(csv, ""); /* nothing is suggested: a look of one's own counts */
    jsni_csv_add_int(csv, 0);
    jsni_csv_add_int(csv, 0);
    jsni_csv_add_int(csv, 0);
    jsni_csv_add(csv, JSNI_KIND_CHECK);
    jsni_csv_add_int(csv, (int64_t)population);
    jsni_csv_end_row(csv);
}

/* Draws the sample. What it is depends on what was decided, so a new one is another one. */
static jsn_status draw(const jsni_session *s, size_t wanted, uint32_t *open)
{
    static const char header[] =
        "rank,path,given,suggested,score,p_given,p_suggested,kind,population\n";
    size_t count = 0;
    for (uint32_t i = 0; i < s->audited.samples; i++)
        if (!jsni_session_is_decided(s, i))
            open[count++] = i;
    if (count == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: all labels were looked at", s->folder);
    jsni_rng rng = jsni_rng_stream(0, JSNI_RNG_AUDIT, 0, (uint32_t)s->row_count, 0);
    jsni_rng_shuffle(&rng, open, count);
    jsni_csv_writer csv = {0};
    jsni_text_add(&csv.text, header);
    for (size_t i = 0; i < wanted && i < count; i++)
        add_row(&csv, s, open[i], i + 1, count);
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_file_write_in(s->folder, JSNI_AUDIT_CHECK, csv.text.data,
                                    csv.text.length);
    jsni_text_release(&csv.text);
    return status;
}

/* Counts what was found among the sample, which the session has read as suspects. */
static void count_checked(const jsni_session *s, jsn_audit_left *out)
{
    size_t decided = 0;
    for (size_t i = s->check_first; i < s->count; i++) {
        const uint32_t sample = s->suspects[i].sample;
        out->sample++;
        if (!jsni_session_is_decided(s, sample))
            continue;
        const jsni_decision what = s->rows[s->latest[sample] - 1].what;
        out->checked++;
        out->wrong += what == JSNI_DECISION_RELABEL || what == JSNI_DECISION_REMOVE;
        out->unsure += what == JSNI_DECISION_UNSURE;
    }
    for (uint32_t i = 0; i < s->audited.samples; i++)
        decided += jsni_session_is_decided(s, i);
    out->images = s->audited.samples;
    out->population = s->checked_of;
    const size_t before = out->images - out->population + out->checked;
    out->later = decided > before ? decided - before : 0;
}

/* From the whole sample: wrong labels that were found are put right, the others are left. One
 * that nobody was sure of is right for the lower end and wrong for the upper one. */
static jsn_status estimate(jsn_audit_left *out, double confidence)
{
    size_t low = 0, high = 0, unused = 0;
    const size_t most = out->wrong + out->unsure;
    out->left = out->low = out->high = NAN;
    if (out->checked < out->sample)
        return JSN_OK;
    JSNI_TRY(jsni_audit_sampled(out->population, out->sample, out->wrong, confidence,
                                &low, &unused));
    JSNI_TRY(jsni_audit_sampled(out->population, out->sample, most, confidence, &unused,
                                &high));
    out->left = (double)out->wrong / (double)out->sample *
                (double)(out->population - out->sample);
    out->low = (double)(low - out->wrong);
    out->high = (double)(high - out->wrong);
    return JSN_OK;
}

static jsn_status look(jsni_session *s, const jsn_audit_check *job, bool *drawn,
                       jsn_audit_left *out)
{
    uint32_t *open = NULL;
    jsn_status status = JSN_OK;
    *drawn = s->checked_of == 0 || job->draw > 0;
    if (!*drawn) {
        count_checked(s, out);
        return estimate(out, job->confidence);
    }
    JSNI_TRY_ALLOC(open = jsni_alloc(s->audited.samples, sizeof *open));
    status = draw(s, job->draw > 0 ? job->draw : USUAL_SAMPLE, open);
    jsni_free(open);
    return status;
}

jsn_status jsn_audit_again(const jsn_audit_check *job, jsn_audit_left *out)
{
    JSNI_NEED(job);
    JSNI_NEED(job->folder);
    JSNI_NEED(out);
    if (!(job->confidence > 0.0 && job->confidence < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "audit: the confidence %g is not inside (0, 1)",
                         job->confidence);
    jsn_audit_check again = *job;
    bool drawn = true;
    while (drawn) { /* what was drawn is read, and counted */
        jsni_session *session = NULL;
        *out = (jsn_audit_left){0};
        JSNI_TRY(jsni_session_open(&session, job->folder, job->data, job->logger));
        jsni_session_lock(session);
        const jsn_status status = look(session, &again, &drawn, out);
        jsni_session_unlock(session);
        jsni_session_close(session);
        JSNI_TRY(status);
        again.draw = 0;
    }
    return JSN_OK;
}
