/* review/label_decisions.c - corrected labels from an audit folder: scores.csv says what was
 * given and suggested, decisions.csv what a person made of it. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/csv.h"
#include "review/decisions.h"
#include "review/label_folders.h"
#include "review/review_impl.h"

typedef struct score_columns {
    size_t path, given, suggested, score;
} score_columns;

/* What becomes of one image. */
static jsn_status correct(const jsni_csv *scores, const score_columns *at, size_t row,
                          const jsni_decisions *made, double min_score,
                          jsni_corrected *out, jsn_labels_result *result)
{
    const char *path = jsni_csv_cell(scores, row, at->path);
    const char *given = jsni_csv_cell(scores, row, at->given);
    const jsni_decided *d = jsni_decisions_of(made, path);
    double score = 0.0;
    JSNI_TRY(jsni_csv_real(scores, row, at->score, &score));
    *out = (jsni_corrected){path, given};
    if (d != NULL && d->what == JSNI_DECISION_REMOVE)
        out->label = NULL;
    else if (d != NULL && d->what == JSNI_DECISION_RELABEL)
        out->label = d->label;
    else if (d == NULL && score >= min_score) /* never with NaN */
        out->label = jsni_csv_cell(scores, row, at->suggested);
    result->images++;
    result->decided += d != NULL;
    result->removed += out->label == NULL;
    result->changed += out->label != NULL && strcmp(out->label, given) != 0;
    return JSN_OK;
}

static jsn_status correct_all(const jsn_labels_job *job, const jsni_csv *scores,
                              const jsni_decisions *made, jsni_corrected *list,
                              jsn_labels_result *result)
{
    score_columns at;
    JSNI_TRY(jsni_csv_find(scores, "path", &at.path));
    JSNI_TRY(jsni_csv_find(scores, "given", &at.given));
    JSNI_TRY(jsni_csv_find(scores, "suggested", &at.suggested));
    JSNI_TRY(jsni_csv_find(scores, "score", &at.score));
    for (size_t i = 0; i < jsni_csv_rows(scores); i++)
        JSNI_TRY(correct(scores, &at, i, made, job->min_score, &list[i], result));
    return JSN_OK;
}

static jsn_status write_table(const char *path, const jsni_corrected *list,
                              size_t count)
{
    jsni_csv_writer out = {0};
    jsni_csv_add(&out, "path");
    jsni_csv_add(&out, "label");
    jsni_csv_end_row(&out);
    for (size_t i = 0; i < count; i++) {
        jsni_csv_add(&out, list[i].path);
        /* Without a row the image would keep the label that the data gives it. */
        jsni_csv_add(&out, list[i].label == NULL ? "" : list[i].label);
        jsni_csv_end_row(&out);
    }
    jsn_status status = out.text.status;
    if (status == JSN_OK)
        status = jsni_file_write(path, out.text.data, out.text.length);
    jsni_text_release(&out.text);
    return status;
}

static jsn_status apply(const jsn_labels_job *job, const jsni_csv *scores,
                        const jsni_decisions *made, jsn_labels_result *result)
{
    const size_t count = jsni_csv_rows(scores);
    jsni_corrected *list = jsni_alloc(count, sizeof *list);
    JSNI_TRY_ALLOC(list);
    jsn_status status = correct_all(job, scores, made, list, result);
    if (status == JSN_OK)
        status = job->out != NULL ? write_table(job->out, list, count)
                                  : jsni_labels_to_folders(job, list, count);
    jsni_free(list);
    return status;
}

void jsn_labels_job_init(jsn_labels_job *job)
{
    if (job != NULL)
        *job = (jsn_labels_job){.min_score = NAN};
}

jsn_status jsn_labels_apply(const jsn_labels_job *job, jsn_labels_result *result)
{
    JSNI_NEED(job);
    JSNI_NEED(result);
    JSNI_NEED(job->folder);
    if ((job->out != NULL) + (job->copy != NULL) + job->move != 1)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "labels: choose one of a table, a copy and a move");
    jsni_decisions made = {0};
    jsni_csv *scores = NULL;
    *result = (jsn_labels_result){0};
    JSNI_TRY(jsni_audit_need(job->folder, JSNI_AUDIT_SCORES));
    jsn_status status = jsni_csv_read_in(&scores, job->folder, JSNI_AUDIT_SCORES);
    if (status == JSN_OK)
        status = jsni_decisions_read(&made, job->folder);
    if (status == JSN_OK && made.count == 0 && isnan(job->min_score))
        status = jsni_fail(JSN_ERR_ARGUMENT,
                           "%s: nothing is decided yet; run 'jensen review' first, or "
                           "accept suggestions with --min-score 0.9",
                           job->folder);
    if (status == JSN_OK)
        status = apply(job, scores, &made, result);
    jsni_decisions_release(&made);
    jsni_csv_destroy(scores);
    return status;
}
