/* review/label_import.c - what was decided in other programs becomes rows of decisions.csv. The
 * whole file is understood before the first row is added, and what is decided already is not
 * added again: an import that was interrupted can be given once more. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "review/label_format.h"

/* What a file says of a sample: a class, or one of these. */
enum { SAYS_NOTHING = -1, SAYS_OPEN = -2, SAYS_REMOVE = -3 };

typedef struct importing {
    const jsn_labels_exchange *job;
    const jsni_label_format *format;
    jsni_session *session;
    jsni_bare_names bare; /* of the images, for formats that name them so */
    int32_t *says;        /* [samples] */
    size_t answers;
} importing;

/* The image that a name ends in: other programs may put their own folders before it. */
static int64_t find_image(const importing *in, const char *name)
{
    for (const char *at = name; at != NULL && *at != '\0';) {
        int64_t sample = jsni_name_index_find(&in->session->paths, at);
        if (sample < 0 && in->format->bare)
            sample = jsni_name_index_find(&in->bare.index, at);
        if (sample >= 0)
            return sample;
        at = strchr(at, '/');
        at = at == NULL ? NULL : at + 1;
    }
    return -1;
}

static jsn_status find_label(const importing *in, const jsni_label_answer *a,
                             int32_t *says)
{
    const jsni_audited *audited = &in->session->audited;
    if (a->remove || a->label == NULL) {
        *says = a->remove ? SAYS_REMOVE : SAYS_OPEN;
        return JSN_OK;
    }
    const int64_t label = jsni_name_index_find(&in->session->classes, a->label);
    *says = (int32_t)label;
    if (label >= 0)
        return JSN_OK;
    jsni_names names;
    jsni_names_begin(&names, a->label, NULL);
    for (size_t c = 0; c < audited->classes; c++)
        jsni_names_add(&names, audited->names[c]);
    return jsni_names_fail(&names, JSN_ERR_DATA,
                           "%s:%zu: entry %zu: no class '%.60s' in the data",
                           in->job->file, a->line, a->entry, a->label);
}

/* A jsni_label_answer_fn. */
static jsn_status take_answer(void *user, const jsni_label_answer *a)
{
    importing *in = user;
    int32_t says = SAYS_NOTHING;
    const int64_t sample = find_image(in, a->image);
    if (sample < 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s:%zu: entry %zu: no image '%.200s' in the audited data",
                         in->job->file, a->line, a->entry, a->image);
    JSNI_TRY(find_label(in, a, &says));
    if (in->says[sample] != SAYS_NOTHING && in->says[sample] != says)
        return jsni_fail(JSN_ERR_DATA,
                         "%s:%zu: entry %zu: '%.200s' had another label before; an "
                         "image has one",
                         in->job->file, a->line, a->entry, a->image);
    in->answers += in->says[sample] == SAYS_NOTHING;
    in->says[sample] = says;
    return JSN_OK;
}

/* What is to be added for a sample; JSNI_DECISION_KINDS: nothing. Locked. */
static jsni_decision decide(const importing *in, uint32_t sample)
{
    const jsni_session *s = in->session;
    const int32_t says = in->says[sample], given = s->audited.labels[sample];
    const bool decided = jsni_session_is_decided(s, sample);
    const jsni_decided_row *row = decided ? &s->rows[s->latest[sample] - 1] : NULL;
    const int32_t before =
        decided && row->what == JSNI_DECISION_RELABEL ? row->label : given;
    jsni_decision what = says == given ? JSNI_DECISION_KEEP : JSNI_DECISION_RELABEL;
    if (says == SAYS_NOTHING ||
        (says == before && !in->format->asked && !in->job->checked))
        return JSNI_DECISION_KINDS;
    if (says == SAYS_OPEN || says == SAYS_REMOVE)
        what = says == SAYS_OPEN ? JSNI_DECISION_UNSURE : JSNI_DECISION_REMOVE;
    const bool same = decided && row->what == what &&
                      (what != JSNI_DECISION_RELABEL || row->label == says);
    return same ? JSNI_DECISION_KINDS : what;
}

typedef struct verdict {
    jsni_decision what;
    int32_t label;
    uint32_t sample;
} verdict;

static int by_ruling(const void *left, const void *right)
{
    const verdict *a = left, *b = right;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return a->sample < b->sample ? -1 : 1;
}

/* Adds the verdicts of one kind, and of one class where they are about classes. Locked. */
static jsn_status add_ruling(importing *in, const verdict *list, size_t count,
                             uint32_t *samples)
{
    bool conflict = false;
    const jsni_ruling ruling = {samples, count, list->what, list->label,
                                in->session->row_count};
    for (size_t i = 0; i < count; i++)
        samples[i] = list[i].sample;
    JSNI_TRY(jsni_session_decide(in->session, &ruling, &conflict));
    return conflict ? jsni_fail(JSN_ERR_DATA,
                                "%s: somebody decided at the same moment; import again",
                                in->job->folder)
                    : JSN_OK;
}

/* Locked. */
static jsn_status add_rulings(importing *in, verdict *list, uint32_t *samples,
                              jsn_labels_imported *result)
{
    size_t *const added[JSNI_DECISION_KINDS] = {
        [JSNI_DECISION_KEEP] = &result->kept,
        [JSNI_DECISION_RELABEL] = &result->changed,
        [JSNI_DECISION_UNSURE] = &result->unsure,
        [JSNI_DECISION_REMOVE] = &result->removed,
    };
    size_t count = 0;
    for (uint32_t i = 0; i < in->session->audited.samples; i++) {
        const jsni_decision what = decide(in, i);
        const int32_t label = what == JSNI_DECISION_RELABEL ? in->says[i] : -1;
        if (what != JSNI_DECISION_KINDS)
            list[count++] = (verdict){what, label, i};
    }
    qsort(list, count, sizeof *list, by_ruling);
    for (size_t i = 0, end = 0; i < count; i = end) {
        while (end < count && list[end].what == list[i].what &&
               list[end].label == list[i].label)
            end++;
        JSNI_TRY(add_ruling(in, &list[i], end - i, samples));
        *added[list[i].what] += end - i;
    }
    return JSN_OK;
}

static jsn_status add_decisions(importing *in, jsn_labels_imported *result)
{
    const size_t n = in->session->audited.samples;
    verdict *list = jsni_alloc(n, sizeof *list);
    uint32_t *samples = jsni_alloc(n, sizeof *samples);
    jsn_status status = list == NULL || samples == NULL ? JSN_ERR_MEMORY : JSN_OK;
    result->answers = in->answers;
    jsni_session_lock(in->session);
    if (status == JSN_OK)
        status = jsni_session_refresh(in->session);
    if (status == JSN_OK)
        status = add_rulings(in, list, samples, result);
    jsni_session_unlock(in->session);
    jsni_free(samples);
    jsni_free(list);
    return status;
}

static jsn_status import_file(importing *in, jsn_labels_imported *result)
{
    const jsni_audited *a = &in->session->audited;
    JSNI_TRY_ALLOC(in->says = jsni_alloc(a->samples, sizeof *in->says));
    for (size_t i = 0; i < a->samples; i++)
        in->says[i] = SAYS_NOTHING;
    if (in->format->bare)
        JSNI_TRY(jsni_bare_names_make(&in->bare, a->paths, a->samples));
    JSNI_TRY(in->format->read(in->job->file, take_answer, in));
    return add_decisions(in, result);
}

jsn_status jsn_labels_import(const jsn_labels_exchange *job,
                             jsn_labels_imported *result)
{
    JSNI_NEED(job);
    JSNI_NEED(job->folder);
    JSNI_NEED(job->file);
    JSNI_NEED(job->format);
    JSNI_NEED(result);
    importing in = {.job = job};
    *result = (jsn_labels_imported){0};
    JSNI_TRY(jsni_label_format_find(job->format, &in.format));
    JSNI_TRY(jsni_session_open(&in.session, job->folder, job->data, job->logger));
    const jsn_status status = import_file(&in, result);
    jsni_bare_names_release(&in.bare);
    jsni_free(in.says);
    jsni_session_close(in.session);
    return status;
}
