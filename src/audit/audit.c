/* audit/audit.c - judges every label by a method of the table, and makes chances of what
 * the method says. Knows no method by name. */
#include "jensen/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/names.h"
#include "jensen/limit.h"

#define ROW(id) &jsni_audit_##id,
static const jsni_audit_def *const table[] = {JSNI_AUDIT_LIST(ROW)};
#undef ROW

/* Samples of a piece of work; the result does not depend on who does which. */
enum { PIECE = 1024 };

jsn_entry jsni_audit_entry(size_t index)
{
    if (index >= JSNI_COUNT_OF(table))
        return (jsn_entry){0};
    return (jsn_entry){.name = table[index]->info.name,
                       .summary = table[index]->info.summary};
}

void jsn_audit_input_init(jsn_audit_input *in)
{
    if (in != NULL)
        *in = (jsn_audit_input){0};
}

void jsn_audit_options_init(jsn_audit_options *options)
{
    if (options != NULL)
        *options = (jsn_audit_options){
            .method = table[0]->info.name, .cutoff = 0.5, .confidence = 0.9};
}

const char *jsn_audit_kind_name(jsn_audit_kind kind)
{
    static const char *const names[JSN_AUDIT_KINDS] = {"none", "label", "ambiguous",
                                                       "outlier"};
    return (unsigned)kind < JSN_AUDIT_KINDS ? names[kind] : NULL;
}

void jsn_audit_result_release(jsn_audit_result *result)
{
    if (result == NULL)
        return;
    jsni_free(result->score);
    jsni_free(result->suggested);
    jsni_free(result->kind);
    jsni_free(result->order);
    jsni_free(result->matrix);
    jsni_free(result->class_rates);
    jsni_free(result->thresholds);
    *result = (jsn_audit_result){0};
}

static jsn_status find_method(const char *name, const jsni_audit_def **out)
{
    jsni_names names;
    jsni_names_begin(&names, name, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++) {
        jsni_names_add(&names, table[i]->info.name);
        if (strcmp(name, table[i]->info.name) == 0) {
            *out = table[i];
            return JSN_OK;
        }
    }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "audit: no method '%s'",
                           names.word);
}

jsn_status jsni_audit_check_method(const char *name)
{
    const jsni_audit_def *def = NULL;
    return find_method(name, &def);
}

static jsn_status check_input(const jsn_audit_input *in,
                              const jsn_audit_options *options)
{
    if (in->labels == NULL || (in->posteriors == NULL) == (in->posteriors64 == NULL))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "audit: needs labels, and probabilities in one of two types");
    if ((in->views == NULL) != (in->view_count == 0) || in->view_count > 1000)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "audit: %zu views; expected up to 1000, and an array of them",
                         in->view_count);
    if (in->samples == 0 || in->samples > UINT32_MAX || in->classes < 2 ||
        in->classes > JSN_MATRIX_MAX_CLASSES)
        return jsni_fail(JSN_ERR_RANGE,
                         "audit: %zu samples of %zu classes; at least 1 "
                         "sample, 2 to %d classes",
                         in->samples, in->classes, JSN_MATRIX_MAX_CLASSES);
    if (!(options->cutoff > 0.0 && options->cutoff <= 1.0))
        return jsni_fail(JSN_ERR_RANGE, "audit: the cut-off %g is not in (0, 1]",
                         options->cutoff);
    if (!(options->confidence > 0.0 && options->confidence < 1.0))
        return jsni_fail(JSN_ERR_RANGE, "audit: the confidence %g is not inside (0, 1)",
                         options->confidence);
    for (size_t i = 0; i < in->samples; i++)
        if (in->labels[i] < 0 || (size_t)in->labels[i] >= in->classes)
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "audit: label %ld of sample %zu, %zu classes",
                             (long)in->labels[i], i, in->classes);
    return JSN_OK;
}

typedef struct judging {
    const jsni_audit_def *def;
    const jsni_audit_facts *facts;
    jsn_audit_result *out;
    double *rows;       /* [threads][2][classes] */
    int32_t *confident; /* [samples], -1: none; NULL: not wanted */
} judging;

/* What a suspect would be. Probabilities count against what is usual for their class. */
static jsn_audit_kind kind_of(const jsni_audit_facts *facts, const jsni_audit_row *row)
{
    const double given = row->p[row->given], other = row->p[row->other];
    const double usual = facts->thresholds[given > other ? row->given : row->other];
    if (fmax(given, other) < 0.5 * usual)
        return JSN_AUDIT_OUTLIER;
    return given > 0.5 * other ? JSN_AUDIT_AMBIGUOUS : JSN_AUDIT_LABEL;
}

static void judge_piece(void *user, size_t piece, size_t worker)
{
    const judging *j = user;
    const jsn_audit_input *in = j->facts->in;
    const size_t k = in->classes;
    const size_t first = piece * PIECE;
    const size_t end = first + PIECE < in->samples ? first + PIECE : in->samples;
    double *p = &j->rows[2 * worker * k], *q = p + k;
    for (size_t i = first; i < end; i++) {
        (void)jsni_audit_row_read(in, i, p);
        jsni_audit_row row = {.p = p, .sample = i, .given = (size_t)in->labels[i]};
        row.other = row.given == 0;
        for (size_t c = 0; c < k; c++)
            if (c != row.given && p[c] > p[row.other])
                row.other = c;
        size_t suggested = row.other;
        j->out->kind[i] = (uint8_t)kind_of(j->facts, &row);
        if (j->def->transition) {
            jsni_audit_calibrate(j->facts, p, q);
            row.p = q;
        }
        j->out->score[i] = (float)j->def->judge(j->facts, &row, &suggested);
        j->out->suggested[i] = (int32_t)suggested;
        if (j->confident != NULL) {
            const size_t c = jsni_audit_confident_class(j->facts, p);
            j->confident[i] = c == k ? -1 : (int32_t)c;
        }
    }
}

static jsn_status judge(const jsni_audit_def *def, const jsni_audit_facts *facts,
                        jsni_pool *pool, double confidence, jsn_audit_result *out)
{
    judging j = {.def = def, .facts = facts, .out = out};
    jsn_status status = JSN_ERR_MEMORY;
    j.rows = jsni_alloc(2 * jsni_pool_threads(pool) * out->classes, sizeof *j.rows);
    if (!def->transition)
        j.confident = jsni_alloc(out->samples, sizeof *j.confident);
    if (j.rows != NULL && (def->transition || j.confident != NULL)) {
        jsni_pool_run(pool, (out->samples + PIECE - 1) / PIECE, judge_piece, &j);
        if (def->transition)
            jsni_audit_estimate_surest(facts, confidence, out);
        else
            jsni_audit_estimate_joint(facts, j.confident, confidence, out);
        status = JSN_OK;
    }
    jsni_free(j.confident);
    jsni_free(j.rows);
    return status;
}

static double chance(double slope, double raw, double shift)
{
    return 1.0 / (1.0 + exp(-(slope * raw + shift)));
}

/* What a method gives becomes the log-odds of a wrong label by its slope and a shift, which
 * is that of this data set: the chances add up to the expected number of wrong labels. */
static void scale_scores(double slope, jsn_audit_result *out)
{
    enum { HALVINGS = 40 };
    double low = -40.0, high = 40.0;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = 0.5 * (low + high);
        double sum = 0.0;
        for (size_t i = 0; i < out->samples; i++)
            sum += chance(slope, (double)out->score[i], middle);
        if (sum > out->expected_errors)
            high = middle;
        else
            low = middle;
    }
    for (size_t i = 0; i < out->samples; i++)
        out->score[i] = (float)chance(slope, (double)out->score[i], 0.5 * (low + high));
}

typedef struct suspect {
    float score;
    uint32_t sample;
} suspect;

static int by_score(const void *left, const void *right)
{
    const suspect *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->sample < b->sample ? -1 : 1;
}

static jsn_status list_suspects(double cutoff, jsn_audit_result *out)
{
    size_t count = 0;
    for (size_t i = 0; i < out->samples; i++) {
        if ((double)out->score[i] >= cutoff)
            count++;
        else
            out->kind[i] = JSN_AUDIT_NONE;
    }
    suspect *list = jsni_alloc(count, sizeof *list);
    out->order = jsni_alloc(count, sizeof *out->order);
    if (list == NULL || out->order == NULL) {
        jsni_free(list);
        return JSN_ERR_MEMORY;
    }
    for (size_t i = 0; i < out->samples; i++)
        if (out->kind[i] != JSN_AUDIT_NONE)
            list[out->suspects++] = (suspect){out->score[i], (uint32_t)i};
    qsort(list, count, sizeof *list, by_score);
    for (size_t i = 0; i < count; i++)
        out->order[i] = list[i].sample;
    jsni_free(list);
    return JSN_OK;
}

static jsn_status begin_result(const jsn_audit_input *in, jsn_audit_result *out)
{
    const size_t n = in->samples, k = in->classes;
    out->samples = n;
    out->classes = k;
    JSNI_TRY_ALLOC(out->score = jsni_alloc(n, sizeof *out->score));
    JSNI_TRY_ALLOC(out->suggested = jsni_alloc(n, sizeof *out->suggested));
    JSNI_TRY_ALLOC(out->kind = jsni_alloc(n, sizeof *out->kind));
    JSNI_TRY_ALLOC(out->matrix = jsni_alloc_zero(k * k, sizeof *out->matrix));
    JSNI_TRY_ALLOC(out->class_rates = jsni_alloc_zero(k, sizeof *out->class_rates));
    JSNI_TRY_ALLOC(out->thresholds = jsni_alloc(k, sizeof *out->thresholds));
    return JSN_OK;
}

static jsn_status audit(const jsni_audit_def *def, const jsn_audit_input *in,
                        const jsn_audit_options *options, jsn_audit_result *out)
{
    jsni_pool *pool = NULL;
    jsni_audit_facts facts = {0};
    jsn_status status = begin_result(in, out);
    if (status == JSN_OK)
        status = jsni_pool_create(&pool, options->threads);
    if (status == JSN_OK)
        status = jsni_audit_measure(&facts, in, pool);
    if (status == JSN_OK && def->transition)
        status = jsni_audit_find_transition(&facts);
    if (status == JSN_OK && def->transition)
        status = jsni_audit_fit_labels(&facts);
    if (status == JSN_OK)
        status = judge(def, &facts, pool, options->confidence, out);
    if (status == JSN_OK) {
        memcpy(out->thresholds, facts.thresholds,
               out->classes * sizeof *out->thresholds);
        scale_scores(def->slope, out);
        status = list_suspects(options->cutoff, out);
    }
    jsni_audit_facts_release(&facts);
    jsni_pool_destroy(pool);
    return status;
}

jsn_status jsn_audit(const jsn_audit_input *in, const jsn_audit_options *options,
                     jsn_audit_result *out)
{
    JSNI_NEED(in);
    JSNI_NEED(out);
    *out = (jsn_audit_result){0};
    jsn_audit_options usual;
    jsn_audit_options_init(&usual);
    if (options == NULL)
        options = &usual;
    const jsni_audit_def *def = NULL;
    JSNI_TRY(
        find_method(options->method == NULL ? usual.method : options->method, &def));
    JSNI_TRY(check_input(in, options));
    const jsn_status status = audit(def, in, options, out);
    if (status != JSN_OK)
        jsn_audit_result_release(out);
    return status;
}
