/* review/label_decisions.c - corrected labels from an audit folder: scores.csv says what was
 * given and suggested, decisions.csv what a person made of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/csv.h"
#include "review/review_impl.h"

typedef struct decision {
    const char *path, *what, *label; /* of the table */
    size_t row;
} decision;

typedef struct decisions {
    jsni_csv *csv;  /* owned; NULL: nobody has decided anything */
    decision *list; /* [count], owned: by path, the last of each alone */
    size_t count;
} decisions;

static int by_path(const void *left, const void *right)
{
    const decision *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->row < b->row ? -1 : 1);
}

static jsn_status check_decision(const jsni_csv *csv, const decision *d)
{
    static const char *const known[] = {"keep", "relabel", "unsure", "remove"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(d->what, known[i]) == 0)
            return JSN_OK;
    return jsni_fail(JSN_ERR_DATA,
                     "%s:%zu: no decision '%.40s'; keep, relabel, unsure or remove",
                     JSNI_AUDIT_DECISIONS, jsni_csv_line(csv, d->row), d->what);
}

static jsn_status list_decisions(decisions *out)
{
    size_t path = 0, what = 0, label = 0;
    JSNI_TRY(jsni_csv_find(out->csv, "path", &path));
    JSNI_TRY(jsni_csv_find(out->csv, "decision", &what));
    JSNI_TRY(jsni_csv_find(out->csv, "label", &label));
    const size_t rows = jsni_csv_rows(out->csv);
    JSNI_TRY_ALLOC(out->list = jsni_alloc(rows, sizeof *out->list));
    for (size_t i = 0; i < rows; i++) {
        out->list[i] = (decision){jsni_csv_cell(out->csv, i, path),
                                  jsni_csv_cell(out->csv, i, what),
                                  jsni_csv_cell(out->csv, i, label), i};
        JSNI_TRY(check_decision(out->csv, &out->list[i]));
    }
    qsort(out->list, rows, sizeof *out->list, by_path);
    for (size_t i = 0; i < rows; i++)
        if (i + 1 == rows || strcmp(out->list[i].path, out->list[i + 1].path) != 0)
            out->list[out->count++] = out->list[i];
    return JSN_OK;
}

static jsn_status read_decisions(decisions *out, const char *folder)
{
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, JSNI_AUDIT_DECISIONS, &there));
    if (!there)
        return JSN_OK;
    JSNI_TRY(jsni_csv_read_in(&out->csv, folder, JSNI_AUDIT_DECISIONS));
    return list_decisions(out);
}

static int path_order(const void *key, const void *entry)
{
    return strcmp(key, ((const decision *)entry)->path);
}

typedef struct score_columns {
    size_t path, given, suggested, score;
} score_columns;

/* The row of one image. */
static jsn_status correct(const jsni_csv *scores, const score_columns *at, size_t row,
                          const decisions *made, double min_score, jsni_csv_writer *out,
                          jsn_labels_result *result)
{
    const char *path = jsni_csv_cell(scores, row, at->path);
    const char *given = jsni_csv_cell(scores, row, at->given), *label = given;
    const decision *d = made->count == 0 ? NULL
                                         : bsearch(path, made->list, made->count,
                                                   sizeof *made->list, path_order);
    double score = 0.0;
    JSNI_TRY(jsni_csv_real(scores, row, at->score, &score));
    result->images++;
    result->decided += d != NULL;
    if (d != NULL && strcmp(d->what, "remove") == 0) {
        result->removed++;
        return JSN_OK;
    }
    if (d != NULL && strcmp(d->what, "relabel") == 0)
        label = d->label;
    else if (d == NULL && score >= min_score) /* never with NaN */
        label = jsni_csv_cell(scores, row, at->suggested);
    result->changed += strcmp(label, given) != 0;
    jsni_csv_add(out, path);
    jsni_csv_add(out, label);
    jsni_csv_end_row(out);
    return JSN_OK;
}

static jsn_status correct_all(const jsn_labels_job *job, const jsni_csv *scores,
                              const decisions *made, jsn_labels_result *result)
{
    score_columns at;
    jsni_csv_writer out = {0};
    JSNI_TRY(jsni_csv_find(scores, "path", &at.path));
    JSNI_TRY(jsni_csv_find(scores, "given", &at.given));
    JSNI_TRY(jsni_csv_find(scores, "suggested", &at.suggested));
    JSNI_TRY(jsni_csv_find(scores, "score", &at.score));
    jsni_csv_add(&out, "path");
    jsni_csv_add(&out, "label");
    jsni_csv_end_row(&out);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < jsni_csv_rows(scores); i++)
        status = correct(scores, &at, i, made, job->min_score, &out, result);
    if (status == JSN_OK)
        status = out.text.status;
    if (status == JSN_OK)
        status = jsni_file_write(job->out, out.text.data, out.text.length);
    jsni_text_release(&out.text);
    return status;
}

jsn_status jsn_labels_apply(const jsn_labels_job *job, jsn_labels_result *result)
{
    JSNI_NEED(job);
    JSNI_NEED(result);
    JSNI_NEED(job->folder);
    JSNI_NEED(job->out);
    decisions made = {0};
    jsni_csv *scores = NULL;
    *result = (jsn_labels_result){0};
    jsn_status status = jsni_csv_read_in(&scores, job->folder, JSNI_AUDIT_SCORES);
    if (status == JSN_OK)
        status = read_decisions(&made, job->folder);
    if (status == JSN_OK && made.csv == NULL && isnan(job->min_score))
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: nothing is decided yet; review it, or take suggestions "
                           "by --min-score",
                           job->folder);
    if (status == JSN_OK)
        status = correct_all(job, scores, &made, result);
    jsni_free(made.list);
    jsni_csv_destroy(made.csv);
    jsni_csv_destroy(scores);
    return status;
}
