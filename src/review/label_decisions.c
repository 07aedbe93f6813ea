/* review/label_decisions.c - corrected labels from an audit folder: scores.csv says what was
 * given and suggested, decisions.csv what a person made of it. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/file.h"
#include "format/csv.h"
#include "review/decisions.h"
#include "review/review_impl.h"

typedef struct score_columns {
    size_t path, given, suggested, score;
} score_columns;

/* The row of one image. */
static jsn_status correct(const jsni_csv *scores, const score_columns *at, size_t row,
                          const jsni_decisions *made, double min_score,
                          jsni_csv_writer *out, jsn_labels_result *result)
{
    const char *path = jsni_csv_cell(scores, row, at->path);
    const char *given = jsni_csv_cell(scores, row, at->given), *label = given;
    const jsni_decided *d = jsni_decisions_of(made, path);
    double score = 0.0;
    JSNI_TRY(jsni_csv_real(scores, row, at->score, &score));
    result->images++;
    result->decided += d != NULL;
    if (d != NULL && d->what == JSNI_DECISION_REMOVE) {
        result->removed++;
        return JSN_OK;
    }
    if (d != NULL && d->what == JSNI_DECISION_RELABEL)
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
                              const jsni_decisions *made, jsn_labels_result *result)
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
    jsni_decisions made = {0};
    jsni_csv *scores = NULL;
    *result = (jsn_labels_result){0};
    jsn_status status = jsni_csv_read_in(&scores, job->folder, JSNI_AUDIT_SCORES);
    if (status == JSN_OK)
        status = jsni_decisions_read(&made, job->folder);
    if (status == JSN_OK && made.count == 0 && isnan(job->min_score))
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: nothing is decided yet; review it, or take suggestions "
                           "by --min-score",
                           job->folder);
    if (status == JSN_OK)
        status = correct_all(job, scores, &made, result);
    jsni_decisions_release(&made);
    jsni_csv_destroy(scores);
    return status;
}
