/* review/audited_data.c - the data set behind an audit, and the labels that are judged. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/limit.h"
#include "core/run_mark.h"
#include "core/text.h"
#include "format/csv_match.h"
#include "jensen/noise.h"
#include "review/review_impl.h"
#include "store/run_folder.h"
#include "store/run_record.h"
#include "train/problem.h"

static bool has_files(const char *folder, const char *one, const char *other)
{
    bool there = false;
    return jsni_file_find(folder, one, &there) == JSN_OK && there &&
           jsni_file_find(folder, other, &there) == JSN_OK && there;
}

/* Folders that an audit or a run has made hold no classes of images. */
static bool is_result(const char *folder)
{
    return jsni_folder_exists(folder) &&
           (has_files(folder, JSNI_AUDIT_JSON, JSNI_AUDIT_SCORES) ||
            has_files(folder, JSNI_RUN_CONFIG, JSNI_RUN_ENVIRONMENT));
}

static jsn_status refuse_result(const char *folder)
{
    if (has_files(folder, JSNI_AUDIT_JSON, JSNI_AUDIT_SCORES))
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: this is the folder of an audit; 'jensen review' shows it, "
            "'jensen audit --again' estimates what a review has left",
            folder);
    return jsni_fail(JSN_ERR_DATA,
                     "%s: the run is not finished; the command that started it "
                     "continues it",
                     folder);
}

/* A finished run is named by its folder: its data are audited. */
static jsn_status find_spec(jsni_audited *a, const char *data)
{
    bool there = false;
    if (!jsni_folder_exists(data) ||
        jsni_file_find(data, JSNI_RUN_RESULT, &there) != JSN_OK || !there) {
        JSNI_TRY_ALLOC(a->spec = jsni_text_copy(data));
        return JSN_OK;
    }
    jsni_run_record run;
    JSNI_TRY(jsni_run_record_read(&run, data));
    a->spec = jsni_text_copy(jsni_run_record_setting(&run, "data"));
    a->run = jsni_text_copy(data);
    const char *labels = jsni_run_record_setting(&run, "labels");
    bool lost = a->spec == NULL || a->run == NULL;
    if (labels[0] != '\0')
        lost = (a->file = jsni_text_copy(labels)) == NULL || lost;
    jsni_run_record_release(&run);
    return lost ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status list_samples(jsni_audited *a)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(a->data);
    a->split = jsn_dataset_about(a->data)->main_split;
    a->samples = jsn_dataset_samples(a->data, a->split);
    a->classes = traits->classes;
    JSNI_TRY_ALLOC(a->labels = jsni_alloc(a->samples, sizeof *a->labels));
    JSNI_TRY_ALLOC(a->paths = jsni_alloc(a->samples, sizeof *a->paths));
    JSNI_TRY_ALLOC(a->names = jsni_alloc(a->classes, sizeof *a->names));
    memcpy(a->labels, jsn_dataset_labels(a->data, a->split),
           a->samples * sizeof *a->labels);
    for (size_t i = 0; i < a->samples; i++)
        a->paths[i] = jsn_dataset_path(a->data, a->split, i);
    for (size_t c = 0; c < a->classes; c++)
        a->names[c] = jsn_dataset_class(a->data, c);
    return JSN_OK;
}

/* Labels from a file, by path. */
static jsn_status read_labels(jsni_audited *a, const char *path, const char *column)
{
    char spec[4200];
    jsn_noise *file = NULL;
    jsn_noise_result read = {0};
    jsn_noise_input in;
    const int length = snprintf(spec, sizeof spec, "file:%s,column=%s", path, column);
    if (length < 0 || (size_t)length >= sizeof spec)
        return jsni_fail(JSN_ERR_ARGUMENT, "%.100s...: the path is too long", path);
    if (!jsni_file_exists(path))
        return jsni_fail(JSN_ERR_DATA, "%s: no such file of labels", path);
    jsn_noise_input_init(&in);
    in.labels = a->labels;
    in.samples = a->samples;
    in.classes = a->classes;
    in.class_names = a->names;
    in.paths = a->paths;
    jsn_status status = jsn_noise_create(&file, spec);
    if (status == JSN_OK)
        status = jsn_noise_apply(file, &in, &read);
    if (status == JSN_OK)
        memcpy(a->labels, read.labels, a->samples * sizeof *a->labels);
    jsn_noise_result_release(&read);
    jsn_noise_destroy(file);
    return status;
}

/* The labels that the file of --labels had for a run, for the images that labels.csv does not
 * list: those of its validation part. */
static jsn_status read_file_of_run(jsni_audited *a)
{
    jsni_problem p = {.data = a->data, .classes = a->classes, .names = a->names};
    p.train.split = a->split;
    jsn_status status = jsni_problem_read_labels(&p, a->file, NULL);
    const int32_t *label = p.own.label[a->split];
    for (size_t i = 0; status == JSN_OK && i < a->samples; i++)
        if (label[i] >= 0)
            a->labels[i] = label[i];
    jsni_own_labels_release(&p.own);
    if (status != JSN_ERR_DATA)
        return status;
    char words[600];
    (void)snprintf(words, sizeof words, "%s", jsn_last_error());
    return jsni_fail(JSN_ERR_DATA,
                     "%s; the run was trained with --labels %s, which its validation "
                     "images need: --labels FILE names the file where it is now",
                     words, a->file);
}

/* Whether labels.csv of a run leaves images out: it has those that were trained on. */
static bool lists_all(const size_t *row_of, size_t samples)
{
    size_t i = 0;
    while (i < samples && row_of[i] != JSNI_NO_ROW)
        i++;
    return i == samples;
}

/* The labels of the images that labels.csv of a run lists, and those of --labels for others. */
static jsn_status take_used(jsni_audited *a, const jsni_csv *csv)
{
    size_t at_path = 0, at_used = 0;
    JSNI_TRY(jsni_csv_find(csv, "path", &at_path));
    JSNI_TRY(jsni_csv_find(csv, "used", &at_used));
    size_t *row_of = jsni_alloc(a->samples, sizeof *row_of);
    JSNI_TRY_ALLOC(row_of);
    jsn_status status = jsni_csv_match(csv, at_path, a->paths, a->samples, row_of);
    if (status == JSN_OK && a->file != NULL && !lists_all(row_of, a->samples))
        status = read_file_of_run(a);
    for (size_t i = 0; status == JSN_OK && i < a->samples; i++) {
        int64_t label = a->labels[i];
        if (row_of[i] != JSNI_NO_ROW)
            status = jsni_csv_int(csv, row_of[i], at_used, &label);
        if (status == JSN_OK && label >= 0 && (size_t)label < a->classes)
            a->labels[i] = (int32_t)label;
    }
    jsni_free(row_of);
    return status;
}

/* The labels that a run was trained with. */
static jsn_status read_run_labels(jsni_audited *a)
{
    jsni_csv *csv = NULL;
    jsn_status status = jsni_csv_read_in(&csv, a->run, JSNI_RUN_LABELS);
    if (status == JSN_OK)
        status = take_used(a, csv);
    jsni_csv_destroy(csv);
    return status;
}

static jsn_status open_all(jsni_audited *a, const jsn_audit_job *job)
{
    jsn_dataset_options opening;
    jsn_dataset_options_init(&opening);
    opening.logger = job->logger;
    JSNI_TRY(find_spec(a, job->data));
    jsn_status status = jsn_dataset_open(&a->data, a->spec, &opening);
    if (status == JSN_ERR_DATA && a->run != NULL)
        return jsni_fail(status, "%s: the data of this run: %s", job->data,
                         jsn_last_error());
    if (status == JSN_ERR_DATA && is_result(job->data))
        return refuse_result(job->data);
    JSNI_TRY(status);
    JSNI_TRY(list_samples(a));
    if (a->classes > JSN_MATRIX_MAX_CLASSES)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu classes; an audit takes at most %d",
                         job->data, a->classes, JSN_MATRIX_MAX_CLASSES);
    if (a->samples == 0 || a->classes < 2)
        return is_result(job->data)
                   ? refuse_result(job->data)
                   : jsni_fail(JSN_ERR_DATA,
                               "%s: an audit needs images of at least 2 classes",
                               job->data);
    if (job->labels != NULL) {
        jsni_free(a->file);
        JSNI_TRY_ALLOC(a->file = jsni_text_copy(job->labels));
        return read_labels(a, job->labels, "label");
    }
    return a->run != NULL ? read_run_labels(a) : JSN_OK;
}

jsn_status jsni_audited_open(jsni_audited *out, const jsn_audit_job *job)
{
    *out = (jsni_audited){0};
    const jsn_status status = open_all(out, job);
    if (status != JSN_OK)
        jsni_audited_close(out);
    return status;
}

jsn_status jsni_audit_need(const char *folder, const char *file)
{
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, file, &there));
    return there ? JSN_OK
                 : jsni_fail(JSN_ERR_DATA,
                             "%s: not the folder of an audit (there is no %s in it); "
                             "'jensen audit DATA' makes one",
                             folder, file);
}

/* The specification of the data of an audit; `doc` holds it unless it was given. */
static jsn_status read_spec(const char *folder, const char *data, jsni_json **doc,
                            const char **spec)
{
    char *text = NULL;
    size_t length = 0;
    *spec = data;
    JSNI_TRY(jsni_audit_need(folder, JSNI_AUDIT_JSON));
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_JSON, folder, JSNI_AUDIT_JSON, &text, &length));
    jsn_status status = jsni_json_parse(doc, JSNI_AUDIT_JSON, text, length);
    jsni_free(text);
    return status == JSN_OK && data == NULL ? jsni_json_get_text(*doc, "data", spec)
                                            : status;
}

jsn_status jsni_audited_find_root(const char *folder, const char *data, char **root)
{
    static const char prefix[] = "folder:";
    jsni_json *doc = NULL;
    jsni_audited a = {0};
    const char *spec = NULL;
    *root = NULL;
    jsn_status status = read_spec(folder, data, &doc, &spec);
    if (status == JSN_OK)
        status = find_spec(&a, spec);
    if (status == JSN_OK) {
        const bool named = strncmp(a.spec, prefix, sizeof prefix - 1) == 0;
        const char *path = a.spec + (named ? sizeof prefix - 1 : 0);
        char *place = jsni_text_copy_n(path, named ? strcspn(path, ",") : strlen(path));
        if (place == NULL)
            status = JSN_ERR_MEMORY;
        else if (jsni_folder_exists(place))
            *root = place;
        else
            jsni_free(place);
    }
    jsni_audited_close(&a);
    jsni_json_destroy(doc);
    return status;
}

jsn_status jsni_audited_open_folder(jsni_audited *out, const char *folder,
                                    const char *data, const jsn_logger *logger)
{
    jsni_json *doc = NULL;
    const char *spec = NULL;
    *out = (jsni_audited){0};
    jsn_status status = read_spec(folder, data, &doc, &spec);
    if (status == JSN_OK) {
        jsn_audit_job job;
        jsn_audit_job_init(&job);
        job.data = spec;
        job.logger = logger;
        status = jsni_audited_open(out, &job);
        if (status == JSN_ERR_DATA && data == NULL)
            status = jsni_fail(status, "%s: the audited data: %s; --data names them",
                               folder, jsn_last_error());
    }
    jsni_json_destroy(doc);
    return status;
}

void jsni_audited_close(jsni_audited *audited)
{
    jsn_dataset_close(audited->data);
    jsni_free(audited->spec);
    jsni_free(audited->run);
    jsni_free(audited->file);
    jsni_free(audited->labels);
    jsni_free(audited->paths);
    jsni_free(audited->names);
    *audited = (jsni_audited){0};
}
