/* review/review_reply.c - see review_reply.h. */
#include "review/review_reply.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"

enum { TOP = 5, ALIKE = 6, MOST = 6 };

static jsn_status take(jsni_json_writer *w, char **out)
{
    const jsn_status status = jsni_json_writer_take(w, out);
    jsni_json_writer_destroy(w);
    return status;
}

/* Three digits are what is shown, and keep the text short. */
static void put_share(jsni_json_writer *w, float value)
{
    jsni_json_put_real(w, NULL, round((double)value * 1e4) / 1e4);
}

/* One array a column is half as long as one object a suspect. */
static void put_suspects(const jsni_session *s, jsni_json_writer *w)
{
    jsni_json_begin_object(w, "suspects");
    jsni_json_begin_array(w, "sample");
    for (size_t i = 0; i < s->count; i++)
        jsni_json_put_int(w, NULL, s->suspects[i].sample);
    jsni_json_end(w);
    jsni_json_begin_array(w, "suggested");
    for (size_t i = 0; i < s->count; i++)
        jsni_json_put_int(w, NULL, s->suspects[i].suggested);
    jsni_json_end(w);
    jsni_json_begin_array(w, "score");
    for (size_t i = 0; i < s->count; i++)
        put_share(w, s->suspects[i].score);
    jsni_json_end(w);
    jsni_json_begin_array(w, "kind");
    for (size_t i = 0; i < s->count; i++)
        jsni_json_put_text(w, NULL, s->suspects[i].kind);
    jsni_json_end(w);
    jsni_json_begin_array(w, "given");
    for (size_t i = 0; i < s->count; i++)
        jsni_json_put_int(w, NULL, s->suspects[i].given);
    jsni_json_end(w);
    jsni_json_begin_array(w, "path");
    for (size_t i = 0; i < s->count; i++)
        jsni_json_put_text(w, NULL, s->audited.paths[s->suspects[i].sample]);
    jsni_json_end(w);
    jsni_json_end(w);
}

jsn_status jsni_reply_data(jsni_session *session, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "folder", session->folder);
    jsni_json_put_text(w, "data", session->audited.spec);
    jsni_json_put_int(w, "images", (int64_t)session->audited.samples);
    jsni_json_begin_array(w, "classes");
    for (size_t c = 0; c < session->audited.classes; c++)
        jsni_json_put_text(w, NULL, session->audited.names[c]);
    jsni_json_end(w);
    put_suspects(session, w);
    jsni_json_end(w);
    return take(w, out);
}

/* The rows behind the first `seen`; the session is locked. */
static jsn_status write_news(const jsni_session *s, size_t seen, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_begin_array(w, "rows");
    for (size_t i = seen; i < s->row_count; i++) {
        const jsni_decided_row *row = &s->rows[i];
        jsni_json_begin_array(w, NULL);
        jsni_json_put_int(w, NULL, row->sample);
        jsni_json_put_text(w, NULL, jsni_decision_name(row->what));
        jsni_json_put_int(w, NULL, row->label);
        jsni_json_put_text(w, NULL, row->time);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsni_json_put_int(w, "seen", (int64_t)s->row_count);
    jsni_json_end(w);
    return take(w, out);
}

jsn_status jsni_reply_news(jsni_session *session, size_t seen, char **out)
{
    jsni_session_lock(session);
    jsn_status status = jsni_session_refresh(session);
    if (status == JSN_OK)
        status = write_news(session, seen, out);
    jsni_session_unlock(session);
    return status;
}

static double chance(const jsni_session *s, size_t sample, size_t label)
{
    const size_t at = sample * s->audited.classes + label;
    return s->posteriors.dtype == JSN_DTYPE_FLOAT32
               ? (double)((const float *)s->posteriors.data)[at]
               : ((const double *)s->posteriors.data)[at];
}

/* The items with the largest values, the largest first; of equal ones the first. */
typedef struct best_few {
    size_t count, room;
    size_t item[MOST];
    double value[MOST];
} best_few;

static void offer(best_few *best, size_t item, double value)
{
    size_t at = best->count < best->room ? best->count++ : best->room;
    for (; at > 0 && value > best->value[at - 1]; at--)
        if (at < best->room) {
            best->item[at] = best->item[at - 1];
            best->value[at] = best->value[at - 1];
        }
    if (at < best->room) {
        best->item[at] = item;
        best->value[at] = value;
    }
}

static void put_top(const jsni_session *s, uint32_t sample, jsni_json_writer *w)
{
    best_few best = {.room = TOP};
    for (size_t c = 0; c < s->audited.classes; c++)
        offer(&best, c, chance(s, sample, c));
    jsni_json_begin_array(w, "top");
    for (size_t i = 0; i < best.count; i++) {
        jsni_json_begin_array(w, NULL);
        jsni_json_put_int(w, NULL, (int64_t)best.item[i]);
        put_share(w, (float)best.value[i]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

/* How alike two images are to the network: the Bhattacharyya coefficient of their
 * probabilities. */
static double likeness(const jsni_session *s, size_t a, size_t b)
{
    double sum = 0.0;
    for (size_t c = 0; c < s->audited.classes; c++)
        sum += sqrt(chance(s, a, c) * chance(s, b, c));
    return sum;
}

/* The images most like the sample among those whose label is `label` and not in doubt. */
static void put_alike(const jsni_session *s, uint32_t sample, int32_t label,
                      jsni_json_writer *w)
{
    best_few best = {.room = ALIKE};
    for (size_t i = 0; i < s->audited.samples; i++)
        if (s->audited.labels[i] == label && !s->doubted[i] && i != sample)
            offer(&best, i, likeness(s, sample, i));
    jsni_json_begin_array(w, NULL);
    jsni_json_put_int(w, NULL, label);
    jsni_json_begin_array(w, NULL);
    for (size_t i = 0; i < best.count; i++)
        jsni_json_put_int(w, NULL, (int64_t)best.item[i]);
    jsni_json_end(w);
    jsni_json_end(w);
}

/* What the network would call it, if that is not what it is called. */
static int32_t other_class(const jsni_session *s, uint32_t sample)
{
    const int32_t given = s->audited.labels[sample];
    int32_t best = -1;
    for (size_t i = 0; i < s->count; i++)
        if (s->suspects[i].sample == sample && s->suspects[i].suggested >= 0)
            return s->suspects[i].suggested;
    for (int32_t c = 0; (size_t)c < s->audited.classes; c++)
        if (c != given && (best < 0 || chance(s, sample, (size_t)c) >
                                           chance(s, sample, (size_t)best)))
            best = c;
    return best;
}

jsn_status jsni_reply_about(jsni_session *session, uint32_t sample, char **out)
{
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    put_top(session, sample, w);
    jsni_json_begin_array(w, "like");
    put_alike(session, sample, session->audited.labels[sample], w);
    put_alike(session, sample, other_class(session, sample), w);
    jsni_json_end(w);
    jsni_json_end(w);
    return take(w, out);
}

static jsn_status refuse(const char *what)
{
    return jsni_fail(JSN_ERR_ARGUMENT, "a decision needs %s", what);
}

static jsn_status read_samples(const jsni_session *s, const jsni_json *doc,
                               uint32_t **out, size_t *count)
{
    const jsni_json *list = jsni_json_get(doc, "samples");
    *count = jsni_json_count(list);
    if (jsni_json_kind_of(list) != JSNI_JSON_ARRAY || *count == 0)
        return refuse("'samples', a list of images");
    JSNI_TRY_ALLOC(*out = jsni_alloc(*count, sizeof **out));
    const jsni_json *entry = NULL;
    for (size_t i = 0; i < *count; i++) {
        entry = jsni_json_at(list, i);
        const int64_t sample = jsni_json_int(entry);
        if (!jsni_json_is_int(entry) || sample < 0 ||
            (uint64_t)sample >= s->audited.samples)
            return refuse("images that the data has");
        (*out)[i] = (uint32_t)sample;
    }
    return JSN_OK;
}

static jsn_status read_ruling(const jsni_session *s, const jsni_json *doc,
                              uint32_t **samples, jsni_ruling *out)
{
    const jsni_json *label = jsni_json_get(doc, "label");
    const jsni_json *seen = jsni_json_get(doc, "seen");
    out->what = jsni_decision_find(jsni_json_text(jsni_json_get(doc, "decision")));
    if (out->what == JSNI_DECISION_KINDS)
        return refuse("'decision': keep, relabel, unsure, remove or undo");
    if (!jsni_json_is_int(seen) || jsni_json_int(seen) < 0)
        return refuse("'seen', the number of decisions that were seen");
    out->seen = (size_t)jsni_json_int(seen);
    if (out->what == JSNI_DECISION_RELABEL) {
        if (!jsni_json_is_int(label) || jsni_json_int(label) < 0 ||
            (uint64_t)jsni_json_int(label) >= s->audited.classes)
            return refuse("'label', a class of the data");
        out->label = (int32_t)jsni_json_int(label);
    }
    JSNI_TRY(read_samples(s, doc, samples, &out->count));
    out->samples = *samples;
    return JSN_OK;
}

jsn_status jsni_reply_decide(jsni_session *session, const char *body, size_t length,
                             char **out, bool *conflict)
{
    jsni_json *doc = NULL;
    uint32_t *samples = NULL;
    jsni_ruling ruling = {0};
    jsn_status status = jsni_json_parse(&doc, "decision", body, length);
    if (status == JSN_ERR_DATA)
        status = JSN_ERR_ARGUMENT;
    if (status == JSN_OK)
        status = read_ruling(session, doc, &samples, &ruling);
    jsni_json_destroy(doc);
    if (status == JSN_OK) {
        jsni_session_lock(session);
        status = jsni_session_decide(session, &ruling, conflict);
        if (status == JSN_OK)
            status = write_news(session, ruling.seen, out);
        jsni_session_unlock(session);
    }
    jsni_free(samples);
    return status;
}
