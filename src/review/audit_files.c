/* review/audit_files.c - audit.json, suspects.csv and scores.csv. */
#include <math.h>

#include <stdlib.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "format/csv.h"
#include "review/image_faults.h"
#include "review/review_impl.h"

/* How often each fault of an image was found. */
static void put_faults(const jsni_audit_record *r, jsni_json_writer *w)
{
    size_t count[JSNI_FAULTS] = {0};
    for (size_t i = 0; r->faults != NULL && i < r->audited->samples; i++)
        count[r->faults[i]]++;
    jsni_json_begin_object(w, "image_faults");
    for (int f = JSNI_FAULT_NONE + 1; r->faults != NULL && f < JSNI_FAULTS; f++)
        jsni_json_put_int(w, jsni_fault_name((jsni_fault)f), (int64_t)count[f]);
    jsni_json_end(w);
}

static void put_estimates(const jsni_audit_record *r, jsni_json_writer *w)
{
    const jsn_audit_result *result = r->result;
    const size_t k = result->classes;
    jsni_json_put_real(w, "noise_rate", result->noise_rate);
    jsni_json_put_real(w, "noise_low", result->noise_low);
    jsni_json_put_real(w, "noise_high", result->noise_high);
    jsni_json_put_real(w, "confidence", r->job->how.confidence);
    jsni_json_put_real(w, "expected_errors", result->expected_errors);
    jsni_json_begin_array(w, "classes");
    for (size_t c = 0; c < k; c++)
        jsni_json_put_text(w, NULL, r->audited->names[c]);
    jsni_json_end(w);
    jsni_json_begin_array(w, "class_rates");
    for (size_t c = 0; c < k; c++)
        jsni_json_put_real(w, NULL, result->class_rates[c]);
    jsni_json_end(w);
    jsni_json_begin_array(w, "matrix");
    for (size_t given = 0; given < k; given++) {
        jsni_json_begin_array(w, NULL);
        for (size_t c = 0; c < k; c++)
            jsni_json_put_real(w, NULL, result->matrix[given * k + c]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static jsn_status write_json(const jsni_audit_record *r, const char *folder,
                             char **json)
{
    jsni_json_writer *w = NULL;
    const bool own = r->job->posteriors != NULL || r->in_sample;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "audit", folder);
    jsni_json_put_text(w, "data", r->audited->spec);
    jsni_json_put_text(w, "labels", r->audited->file);
    jsni_json_put_int(w, "images", (int64_t)r->result->samples);
    jsni_json_put_int(w, "suspects", (int64_t)r->result->suspects);
    put_faults(r, w);
    put_estimates(r, w);
    jsni_json_put_text(w, "method", r->job->how.method);
    jsni_json_put_real(w, "cutoff", r->job->how.cutoff);
    jsni_json_put_int(w, "folds", own ? 0 : (int64_t)r->job->folds);
    jsni_json_put_text(w, "posteriors", r->job->posteriors);
    jsni_json_put_real(w, "agreement", r->agreement);
    jsni_json_put_bool(w, "in_sample", r->in_sample);
    jsni_json_put_real(w, "seconds", r->seconds);
    jsni_json_end(w);
    char *text = NULL;
    jsni_text lines = {0};
    jsn_status status = jsni_json_writer_take(w, &text);
    jsni_json_writer_destroy(w);
    if (status == JSN_OK)
        jsni_text_format(&lines, "%s\n", text);
    if (status == JSN_OK)
        status = lines.status;
    if (status == JSN_OK)
        status = jsni_file_write_in(folder, JSNI_AUDIT_JSON, lines.data, lines.length);
    jsni_text_release(&lines);
    if (status == JSN_OK)
        *json = text;
    else
        jsni_free(text);
    return status;
}

static void add_real(jsni_csv_writer *csv, double value)
{
    char text[32];
    (void)jsni_format(text, sizeof text, "%.6g", value);
    jsni_csv_add(csv, text);
}

/* path,given,suggested,score,p_given,p_suggested,kind; nothing is suggested for an image
 * that is at fault itself. */
static void add_sample(jsni_csv_writer *csv, const jsni_audit_record *r, size_t sample,
                       jsni_fault fault)
{
    const int32_t given = r->audited->labels[sample];
    const int32_t suggested = r->result->suggested[sample];
    jsni_csv_add(csv, r->audited->paths[sample]);
    jsni_csv_add(csv, r->audited->names[given]);
    jsni_csv_add(csv, fault == JSNI_FAULT_NONE ? r->audited->names[suggested] : "");
    add_real(csv, (double)r->result->score[sample]);
    add_real(csv, jsni_record_chance(r, sample, given));
    add_real(csv, jsni_record_chance(r, sample, suggested));
    jsni_csv_add(csv, fault == JSNI_FAULT_NONE
                          ? jsn_audit_kind_name((jsn_audit_kind)r->result->kind[sample])
                          : jsni_fault_name(fault));
    jsni_csv_end_row(csv);
}

static void add_header(jsni_csv_writer *csv)
{
    static const char *const columns[] = {
        "path", "given", "suggested", "score", "p_given", "p_suggested", "kind"};
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        jsni_csv_add(csv, columns[c]);
    jsni_csv_end_row(csv);
}

/* A table that goes to its file in pieces: there may be millions of rows. */
typedef struct table_file {
    jsni_file_writer file;
    jsni_csv_writer csv;
} table_file;

static jsn_status add_piece(table_file *t, size_t least)
{
    JSNI_TRY(t->csv.text.status);
    if (t->csv.text.length < least)
        return JSN_OK;
    const jsn_status status =
        jsni_file_add(&t->file, t->csv.text.data, t->csv.text.length);
    t->csv.text.length = 0;
    return status;
}

static jsn_status end_table(table_file *t, jsn_status status)
{
    if (status == JSN_OK)
        status = add_piece(t, 0);
    jsni_text_release(&t->csv.text);
    return jsni_file_end(&t->file, status);
}

enum { PIECE = 1 << 16 };

static jsn_status write_scores(const jsni_audit_record *r, const char *folder)
{
    table_file t = {0};
    JSNI_TRY(jsni_file_begin(&t.file, folder, JSNI_AUDIT_SCORES));
    jsn_status status = JSN_OK;
    add_header(&t.csv);
    for (size_t i = 0; status == JSN_OK && i < r->result->samples; i++) {
        add_sample(&t.csv, r, i, JSNI_FAULT_NONE);
        status = add_piece(&t, PIECE);
    }
    return end_table(&t, status);
}

static jsn_status add_suspect(table_file *t, const jsni_audit_record *r, size_t rank,
                              size_t sample, jsni_fault fault)
{
    jsni_csv_add_int(&t->csv, (int64_t)rank);
    add_sample(&t->csv, r, sample, fault);
    return add_piece(t, PIECE);
}

/* An image that is at fault itself, and the chance that its label is wrong. */
typedef struct faulty {
    size_t sample;
    double score;
} faulty;

static int by_score(const void *a, const void *b)
{
    const faulty *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* Images at fault whose labels are no suspects, best first; *out is the caller's. */
static jsn_status list_faulty(const jsni_audit_record *r, faulty **out, size_t *count)
{
    const size_t samples = r->audited->samples;
    uint8_t *listed = jsni_alloc_zero(samples, 1);
    faulty *list = jsni_alloc(samples, sizeof *list);
    *count = 0;
    *out = list;
    if (listed == NULL || list == NULL) {
        jsni_free(listed);
        return JSN_ERR_MEMORY;
    }
    for (size_t i = 0; i < r->result->suspects; i++)
        listed[r->result->order[i]] = 1;
    for (size_t i = 0; r->faults != NULL && i < samples; i++)
        if (r->faults[i] != JSNI_FAULT_NONE && !listed[i])
            list[(*count)++] = (faulty){i, (double)r->result->score[i]};
    qsort(list, *count, sizeof *list, by_score);
    jsni_free(listed);
    return JSN_OK;
}

/* An image has one row. Those of faulty images, whose scores are below the cut-off, follow. */
static jsn_status write_suspects(const jsni_audit_record *r, const char *folder)
{
    table_file t = {0};
    faulty *list = NULL;
    size_t rank = 0, count = 0;
    jsn_status status = list_faulty(r, &list, &count);
    if (status == JSN_OK)
        status = jsni_file_begin(&t.file, folder, JSNI_AUDIT_SUSPECTS);
    if (status != JSN_OK) {
        jsni_free(list);
        return status;
    }
    jsni_csv_add(&t.csv, "rank");
    add_header(&t.csv);
    for (size_t i = 0; status == JSN_OK && i < r->result->suspects; i++)
        status = add_suspect(&t, r, ++rank, r->result->order[i], JSNI_FAULT_NONE);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = add_suspect(&t, r, ++rank, list[i].sample,
                             (jsni_fault)r->faults[list[i].sample]);
    jsni_free(list);
    return end_table(&t, status);
}

jsn_status jsni_audit_write_files(const jsni_audit_record *record, const char *folder,
                                  char **json)
{
    JSNI_TRY(write_scores(record, folder));
    JSNI_TRY(write_suspects(record, folder));
    return write_json(record, folder, json);
}
