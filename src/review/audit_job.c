/* review/audit_job.c - an audit from the data to its folder. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "audit/audit_impl.h"
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/sha256.h"
#include "core/text.h"
#include "data/sample_file.h"
#include "format/npy.h"
#include "review/image_faults.h"
#include "review/review_impl.h"

void jsn_audit_job_init(jsn_audit_job *job)
{
    if (job == NULL)
        return;
    *job = (jsn_audit_job){.folds = 5};
    jsn_audit_options_init(&job->how);
}

static void add_text(jsni_sha256 *sha, const char *text)
{
    if (text != NULL)
        jsni_sha256_add(sha, text, strlen(text));
    jsni_sha256_add(sha, "", 1);
}

/* The digits are of what was asked for: the same command finds the folder again. */
char *jsni_audit_usual_folder(const jsn_audit_job *job)
{
    char hex[65], folds[24], word[48];
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    add_text(&sha, job->data);
    add_text(&sha, job->labels);
    add_text(&sha, job->posteriors);
    (void)snprintf(folds, sizeof folds, "%zu", job->folds);
    add_text(&sha, folds);
    for (size_t i = 0; job->set != NULL && i < job->set->count; i++)
        add_text(&sha, job->set->items[i]);
    jsni_sha256_hex(&sha, hex);
    size_t length = 0;
    size_t end = strlen(job->data);
    while (end > 1 && job->data[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && job->data[begin - 1] != '/')
        begin--;
    for (size_t i = begin; i < end && length < sizeof word - 1; i++)
        word[length++] =
            (char)(isalnum((unsigned char)job->data[i]) ? job->data[i] : '-');
    word[length] = '\0';
    jsni_text path = {0};
    jsni_text_format(&path, "audits/%s-%.8s", word, hex);
    char *out = NULL;
    return jsni_text_take(&path, &out) == JSN_OK ? out : NULL;
}

double jsni_record_chance(const jsni_audit_record *record, size_t sample, int32_t label)
{
    const size_t at = sample * record->audited->classes + (size_t)label;
    return record->posteriors->dtype == JSN_DTYPE_FLOAT32
               ? (double)((const float *)record->posteriors->data)[at]
               : ((const double *)record->posteriors->data)[at];
}

/* As jsn_audit() sees it: the first of equal ones. */
static double find_agreement(const jsni_audit_record *r)
{
    const size_t n = r->audited->samples, k = r->audited->classes;
    size_t same = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t top = 0;
        for (size_t c = 1; c < k; c++)
            if (jsni_record_chance(r, i, (int32_t)c) > jsni_record_chance(r, i, top))
                top = (int32_t)c;
        same += top == r->audited->labels[i];
    }
    return (double)same / (double)n;
}

bool jsni_record_is_guess(const jsni_audit_record *record)
{
    size_t most = 0;
    const jsni_audited *a = record->audited;
    for (size_t c = 0; c < a->classes; c++) {
        size_t count = 0;
        for (size_t i = 0; i < a->samples; i++)
            count += (size_t)a->labels[i] == c;
        most = count > most ? count : most;
    }
    return record->agreement < 1.5 * (double)most / (double)a->samples &&
           record->agreement < 0.75;
}

static jsn_status write_folder(const jsni_audit_record *record, const char *folder,
                               char **json)
{
    jsn_status status =
        jsni_array_write_in(record->posteriors, folder, JSNI_AUDIT_POSTERIORS);
    if (status == JSN_OK)
        status = jsni_audit_write_files(record, folder, json);
    if (status == JSN_OK)
        status = jsni_audit_write_page(record, folder);
    return status;
}

/* Looks at the images as well, and writes the folder. */
static jsn_status finish(jsni_audit_record *record, const char *folder, char **json)
{
    const jsn_audit_job *job = record->job;
    uint8_t *faults = NULL;
    jsn_status status = JSN_OK;
    if (!job->labels_only) {
        JSNI_TRY_ALLOC(faults = jsni_alloc_zero(record->audited->samples, 1));
        status =
            jsni_find_faults(record->audited, job->how.threads, job->logger, faults);
    }
    record->faults = faults;
    record->agreement = find_agreement(record);
    if (status == JSN_OK)
        status = write_folder(record, folder, json);
    jsni_free(faults);
    return status;
}

/* Networks say the same of all classes where an image cannot be read. Nothing is known of
 * its label then: it is no suspect. */
static void leave_out_unread(const jsni_audit_record *r, jsn_audit_result *result)
{
    const size_t k = result->classes;
    const float *row = r->posteriors->data;
    size_t kept = 0;
    for (size_t i = 0; i < result->samples; i++, row += k) {
        size_t same = 1;
        while (same < k && row[same] == row[0])
            same++;
        if (same == k) {
            result->score[i] = 0.0f;
            result->kind[i] = JSN_AUDIT_NONE;
        }
    }
    for (size_t i = 0; i < result->suspects; i++)
        if (result->kind[result->order[i]] != JSN_AUDIT_NONE)
            result->order[kept++] = result->order[i];
    result->suspects = kept;
}

static jsn_status audit_into(const jsni_audited *audited, const jsn_audit_job *job,
                             const char *folder, char **json)
{
    const time_t begin = time(NULL);
    jsn_array posteriors = {0}, views = {0};
    jsn_audit_result result = {0};
    jsn_audit_input in;
    jsni_audit_record record = {
        .audited = audited, .job = job, .posteriors = &posteriors, .result = &result};
    JSNI_TRY(jsni_class_chances(audited, job, folder, &posteriors, &views,
                                &record.in_sample));
    jsn_audit_input_init(&in);
    in.labels = audited->labels;
    in.samples = audited->samples;
    in.classes = audited->classes;
    if (posteriors.dtype == JSN_DTYPE_FLOAT32)
        in.posteriors = posteriors.data;
    else
        in.posteriors64 = posteriors.data;
    if (views.data != NULL) {
        in.views = views.data;
        in.view_count = views.shape[0];
    }
    jsn_status status = jsn_audit(&in, &job->how, &result);
    if (status == JSN_ERR_DATA && job->posteriors != NULL)
        status = jsni_fail(status, "%s: %s", job->posteriors, jsn_last_error());
    if (status == JSN_OK && job->posteriors == NULL)
        leave_out_unread(&record, &result);
    jsn_array_release(&views);
    record.seconds = difftime(time(NULL), begin);
    if (status == JSN_OK)
        status = finish(&record, folder, json);
    if (status == JSN_OK && job->logger != NULL && job->logger->message != NULL &&
        jsni_record_is_guess(&record))
        job->logger->message(job->logger->user, JSN_LOG_WARNING, JSNI_AUDIT_GUESS);
    jsn_audit_result_release(&result);
    jsn_array_release(&posteriors);
    return status;
}

static bool is_the_data(const jsni_audited *a, const char *folder)
{
    const char *root = jsni_sample_root(a->data, a->split);
    return root != NULL && strcmp(jsn_dataset_about(a->data)->kind, "folder") == 0 &&
           jsni_path_inside(root, folder) && jsni_path_inside(folder, root);
}

/* Removes what a killed audit has left. */
static void tidy(const char *folder)
{
    static const char *const places[] = {".", JSNI_AUDIT_PICTURES, "folds"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        jsni_file_remove_left(folder, places[i]);
}

jsn_status jsn_audit_data(const jsn_audit_job *job, char **folder, char **json)
{
    JSNI_NEED(job);
    JSNI_NEED(job->data);
    jsni_audited audited;
    char *text = NULL;
    if (job->folds < 2 || job->folds > 100)
        return jsni_fail(JSN_ERR_RANGE, "audit: %zu folds; 2 to 100", job->folds);
    if (job->how.method != NULL)
        JSNI_TRY(jsni_audit_check_method(job->how.method));
    JSNI_TRY(jsni_folds_check(job));
    JSNI_TRY(jsni_audited_open(&audited, job));
    if (job->out != NULL && is_the_data(&audited, job->out)) {
        jsni_audited_close(&audited);
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: the folder of the data, in which the audit's pictures "
                         "would be a class; choose another --out",
                         job->out);
    }
    char *place =
        job->out != NULL ? jsni_text_copy(job->out) : jsni_audit_usual_folder(job);
    const size_t existing = place == NULL ? 0 : jsni_folder_existing(place);
    jsn_status status = place == NULL ? JSN_ERR_MEMORY : jsni_folder_create(place);
    if (status == JSN_OK) {
        tidy(place);
        status = audit_into(&audited, job, place, &text);
    }
    if (status != JSN_OK && place != NULL)
        jsni_folder_remove_made(place, existing);
    if (status == JSN_OK && folder != NULL) {
        *folder = place;
        place = NULL;
    }
    if (status == JSN_OK && json != NULL) {
        *json = text;
        text = NULL;
    }
    jsni_free(text);
    jsni_free(place);
    jsni_audited_close(&audited);
    return status;
}
