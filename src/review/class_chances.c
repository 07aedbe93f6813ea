/* review/class_chances.c - class probabilities for an audit: read from a file, out of sample
 * by folds, or of a run's own training images. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/progress.h"
#include "core/rng.h"
#include "core/text.h"
#include "format/csv.h"
#include "format/npy.h"
#include "jensen/classifier.h"
#include "jensen/report.h"
#include "jensen/train.h"
#include "review/fold_ear.h"
#include "review/review_impl.h"
#include "store/run_record.h"
#include "train/classifier_stream.h"
#include "train/spec_check.h"
#include "train/train_one_of.h"

/* Type and shape; releases what does not fit. */
static jsn_status check_chances(const jsni_audited *a, const char *path, jsn_array *out)
{
    jsn_status status = JSN_OK;
    if (out->dtype != JSN_DTYPE_FLOAT32 && out->dtype != JSN_DTYPE_FLOAT64)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: %s; class probabilities are float32 or "
                           "float64",
                           path, jsn_dtype_name(out->dtype));
    else if (out->rank != 2 || out->shape[0] != a->samples ||
             out->shape[1] != a->classes)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: not the probabilities of %zu images and %zu classes, "
                           "[%zu][%zu]",
                           path, a->samples, a->classes, a->samples, a->classes);
    if (status != JSN_OK)
        jsn_array_release(out);
    return status;
}

jsn_status jsni_chances_read(const jsni_audited *a, const char *folder, jsn_array *out)
{
    char *path = jsni_path_join(folder, JSNI_AUDIT_POSTERIORS);
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_array_read_in(out, folder, JSNI_AUDIT_POSTERIORS);
    if (status == JSN_OK)
        status = check_chances(a, path, out);
    jsni_free(path);
    return status;
}

/* What is read of a file as float32. */
static jsn_status narrow(jsn_array *array)
{
    jsn_array narrowed = {0};
    if (array->dtype == JSN_DTYPE_FLOAT32)
        return JSN_OK;
    JSNI_TRY(jsn_array_create(&narrowed, JSN_DTYPE_FLOAT32, array->rank, array->shape));
    const double *from = array->data;
    const size_t count = array->shape[0] * array->shape[1] * array->shape[2];
    for (size_t i = 0; i < count; i++)
        ((float *)narrowed.data)[i] = (float)from[i];
    jsn_array_release(array);
    *array = narrowed;
    return JSN_OK;
}

/* The mean of views, float32 [views][samples][classes], as an array of its own. */
static jsn_status average(const jsn_array *views, jsn_array *out)
{
    const size_t count = views->shape[1] * views->shape[2];
    const float *from = views->data;
    JSNI_TRY(jsn_array_create(out, JSN_DTYPE_FLOAT32, 2, &views->shape[1]));
    for (size_t i = 0; i < count; i++) {
        double sum = 0.0;
        for (size_t v = 0; v < views->shape[0]; v++)
            sum += (double)from[v * count + i];
        ((float *)out->data)[i] = (float)(sum / (double)views->shape[0]);
    }
    return JSN_OK;
}

/* A file of probabilities, with or without views. */
static jsn_status read_file(const jsni_audited *a, const char *path, jsn_array *out,
                            jsn_array *views)
{
    JSNI_TRY(jsn_array_read(out, path));
    if (out->rank != 3)
        return check_chances(a, path, out);
    jsn_array read = *out;
    *out = (jsn_array){0};
    jsn_status status = JSN_OK;
    if ((read.dtype != JSN_DTYPE_FLOAT32 && read.dtype != JSN_DTYPE_FLOAT64) ||
        read.shape[0] == 0 || read.shape[0] > 1000 || read.shape[1] != a->samples ||
        read.shape[2] != a->classes)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: not float32 or float64 probabilities of up to 1000 "
                           "views, %zu images and %zu classes",
                           path, a->samples, a->classes);
    if (status == JSN_OK)
        status = narrow(&read);
    if (status == JSN_OK)
        status = average(&read, out);
    if (status == JSN_OK)
        *views = read;
    else
        jsn_array_release(&read);
    return status;
}

typedef struct predicting {
    const jsni_audited *a;
    const jsn_audit_job *job;
    const uint32_t *index; /* of the images */
    float *chances;        /* [samples][classes]; the rows of `index` are filled */
    bool mirrored;
} predicting;

/* Left becomes right. */
static void mirror(jsn_image *image)
{
    for (size_t y = 0; y < image->height; y++) {
        uint8_t *row = &image->data[3 * y * image->width];
        for (size_t i = 0, j = image->width - 1; i < j; i++, j--)
            for (size_t c = 0; c < 3; c++) {
                const uint8_t left = row[3 * i + c];
                row[3 * i + c] = row[3 * j + c];
                row[3 * j + c] = left;
            }
    }
}

static jsn_status read_sample(void *user, size_t index, jsn_image *image)
{
    const predicting *p = user;
    JSNI_TRY(jsn_dataset_image(p->a->data, p->a->split, p->index[index], image));
    if (p->mirrored)
        mirror(image);
    return JSN_OK;
}

/* An image that cannot be read fits every class alike. */
static jsn_status keep_chances(void *user, const jsni_streamed *image)
{
    const predicting *p = user;
    const size_t k = p->a->classes;
    float *row = p->chances + p->index[image->index] * k;
    for (size_t c = 0; c < k; c++)
        row[c] = image->probabilities != NULL ? (float)image->probabilities[c]
                                              : (float)(1.0 / (double)k);
    if (p->job->stop != NULL && p->job->stop(p->job->user))
        return jsni_fail(JSN_ERR_STOPPED, "stopped; the same command continues");
    return JSN_OK;
}

/* What a run says of the images of `index`. */
static jsn_status predict(const jsni_audited *a, const jsn_audit_job *job,
                          const char *run, const uint32_t *index, size_t count,
                          bool mirrored, float *chances)
{
    predicting p = {a, job, index, chances, mirrored};
    jsni_stream stream = {
        .count = count, .read = read_sample, .tell = keep_chances, .user = &p};
    jsn_status status =
        jsn_classifier_open(&stream.classifier, run, "auto", job->how.threads);
    if (status == JSN_OK && jsn_classifier_classes(stream.classifier) != a->classes)
        status = jsni_fail(JSN_ERR_DATA, "%s: a run of %zu classes, the data has %zu",
                           run, jsn_classifier_classes(stream.classifier), a->classes);
    if (status == JSN_OK)
        status = jsni_stream_run(&stream);
    jsn_classifier_close(stream.classifier);
    return status;
}

/* The same into all views: of the images, and of their mirror images where they are wanted. */
static jsn_status predict_views(const jsni_audited *a, const jsn_audit_job *job,
                                const char *run, const uint32_t *index, size_t count,
                                float *views)
{
    JSNI_TRY(predict(a, job, run, index, count, false, views));
    return job->mirror ? predict(a, job, run, index, count, true,
                                 views + a->samples * a->classes)
                       : JSN_OK;
}

/* The labels of the samples that a fold trains on, as a file in the folder. */
static jsn_status write_labels(const jsni_audited *a, const uint8_t *fold_of,
                               size_t fold, const char *folder, const char *name)
{
    jsni_csv_writer csv = {0};
    jsni_csv_add(&csv, "path");
    jsni_csv_add(&csv, "label");
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < a->samples; i++)
        if (fold_of[i] != fold) {
            jsni_csv_add(&csv, a->paths[i]);
            jsni_csv_add(&csv, a->names[a->labels[i]]);
            jsni_csv_end_row(&csv);
        }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_file_write_in(folder, name, csv.text.data, csv.text.length);
    jsni_text_release(&csv.text);
    return status;
}

/* What the folds are made of, which nobody else may say. */
static bool is_own_option(const char *name)
{
    static const char *const own[] = {"data", "noise", "labels", "val-fraction", "out"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    return false;
}

static jsn_status set_options(jsn_train_config *config, const jsn_texts *set)
{
    for (size_t i = 0; set != NULL && i < set->count; i++) {
        char name[64];
        const char *equal = strchr(set->items[i], '=');
        if (equal == NULL || (size_t)(equal - set->items[i]) >= sizeof name)
            return jsni_fail(JSN_ERR_ARGUMENT, "--set '%s': must be OPTION=VALUE",
                             set->items[i]);
        memcpy(name, set->items[i], (size_t)(equal - set->items[i]));
        name[equal - set->items[i]] = '\0';
        if (is_own_option(name))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--set %s: the audit sets this itself; --labels gives "
                             "other labels ('jensen noise' makes wrong ones)",
                             name);
        JSNI_TRY(jsn_train_config_set(config, name, equal + 1));
    }
    return JSN_OK;
}

jsn_status jsni_folds_check(const jsn_audit_job *job)
{
    jsn_train_config config;
    jsn_train_config_clear(&config);
    jsn_status status = set_options(&config, job->set);
    if (status == JSN_OK)
        status = jsni_train_check_specs(&config);
    jsn_train_config_release(&config);
    return status;
}

/* The labels of a fold as its noise. One that was begun keeps the spelling that it has, as
 * long as that leads to the same file: another way to write the folder is no other audit. */
static void spell_noise(const char *labels, const char *run, char *out, size_t room)
{
    static const char rest[] = ",column=label,missing=val";
    char begun[4300];
    jsni_run_record record;
    (void)snprintf(out, room, "file:%.4096s%s", labels, rest);
    if (jsni_run_record_read(&record, run) != JSN_OK)
        return;
    const char *noise = jsni_run_record_setting(&record, "noise");
    const size_t length = noise == NULL ? 0 : strlen(noise);
    if (length > 5 + sizeof rest && length < sizeof begun &&
        strncmp(noise, "file:", 5) == 0) {
        (void)snprintf(begun, sizeof begun, "%.*s", (int)(length - 5 - strlen(rest)),
                       noise + 5);
        if (jsni_file_same(begun, labels))
            (void)snprintf(out, room, "%s", noise);
    }
    jsni_run_record_release(&record);
}

/* Whether --set says what the networks start from. */
static bool says_init(const jsn_texts *set)
{
    for (size_t i = 0; set != NULL && i < set->count; i++)
        if (strncmp(set->items[i], "init=", 5) == 0)
            return true;
    return false;
}

/* All folds start from what the first one started from, also when the cache has changed. */
static jsn_status set_start(jsn_train_config *config, const jsn_audit_job *job,
                            const char *first)
{
    jsni_run_record record;
    if (first == NULL || says_init(job->set))
        return JSN_OK;
    JSNI_TRY(jsni_run_record_read(&record, first));
    const char *init = jsni_run_record_setting(&record, "init");
    const jsn_status status = jsn_train_config_set(
        config, "init", init == NULL || init[0] == '\0' ? "none" : init);
    jsni_run_record_release(&record);
    return status;
}

/* Trains on all samples but those of the fold, or continues. `first`: the finished run of the
 * first fold, or NULL; `after`: so many folds follow. */
static jsn_status train_fold(const jsni_audited *a, const jsn_audit_job *job,
                             const char *labels, const char *run, const char *first,
                             size_t after)
{
    char noise[4300];
    jsn_train_config config;
    jsn_train_result result;
    spell_noise(labels, run, noise, sizeof noise);
    jsn_train_config_clear(&config);
    jsn_status status = set_options(&config, job->set);
    if (status == JSN_OK)
        status = set_start(&config, job, first);
    const char *const own[][2] = {
        {"data", a->spec}, {"noise", noise}, {"val-fraction", "0"}, {"out", run}};
    for (size_t i = 0; status == JSN_OK && i < sizeof own / sizeof own[0]; i++)
        status = jsn_train_config_set(&config, own[i][0], own[i][1]);
    jsni_fold_ear ear =
        jsni_fold_ear_of(job->logger, job->stop, job->user, first == NULL);
    const jsn_logger logger = jsni_fold_ear_logger(&ear);
    const jsn_watcher watcher = jsni_fold_ear_watcher(&ear);
    if (status == JSN_OK)
        status = jsni_train_one_of(&config, after, &logger, &watcher, &result);
    if (status == JSN_OK) /* every run of a program has one */
        status = jsn_report_run(run, true);
    jsn_train_config_release(&config);
    return status;
}

/* Which of the runs the sentences that follow are of. */
static void say_fold(const jsn_audit_job *job, size_t fold)
{
    jsni_say(job->logger, JSN_LOG_INFO,
             "fold %zu of %zu: training on the others, to judge its labels", fold + 1,
             job->folds);
}

/* `whole`: the same folder from the root on, in which the files of labels are named. What is in
 * it is the audit's own: the folder of a run is not reached through a link. */
static jsn_status one_fold(const jsni_audited *a, const jsn_audit_job *job,
                           const char *folder, const char *whole,
                           const uint8_t *fold_of, size_t fold, uint32_t *index,
                           float *chances)
{
    char name[32];
    size_t count = 0;
    bool there = false;
    for (size_t i = 0; i < a->samples; i++)
        if (fold_of[i] == fold)
            index[count++] = (uint32_t)i;
    (void)snprintf(name, sizeof name, "fold-%zu", fold + 1);
    JSNI_TRY(jsni_folder_find(folder, name, &there));
    char *run = jsni_path_join(folder, name);
    (void)snprintf(name, sizeof name, "fold-%zu.csv", fold + 1);
    char *labels = jsni_path_join(whole, name);
    char *first = jsni_path_join(folder, "fold-1");
    jsn_status status =
        run == NULL || labels == NULL || first == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK)
        status = write_labels(a, fold_of, fold, folder, name);
    if (status == JSN_OK)
        status = train_fold(a, job, labels, run, fold > 0 ? first : NULL,
                            job->folds - fold - 1);
    if (status == JSN_OK)
        status = predict_views(a, job, run, index, count, chances);
    jsni_free(first);
    jsni_free(labels);
    jsni_free(run);
    return status;
}

/* Each class is spread over the folds evenly, in random order. */
static void draw_folds(const jsni_audited *a, size_t folds, uint32_t *order,
                       uint8_t *fold_of)
{
    jsni_rng rng = jsni_rng_stream(0, JSNI_RNG_SPLIT, 0, (uint32_t)folds, 1);
    for (size_t i = 0; i < a->samples; i++)
        order[i] = (uint32_t)i;
    jsni_rng_shuffle(&rng, order, a->samples);
    size_t next = 0;
    for (size_t c = 0; c < a->classes; c++)
        for (size_t i = 0; i < a->samples; i++)
            if ((size_t)a->labels[order[i]] == c)
                fold_of[order[i]] = (uint8_t)(next++ % folds);
}

static jsn_status by_folds(const jsni_audited *a, const jsn_audit_job *job,
                           const char *folder, float *chances)
{
    uint8_t *fold_of = jsni_alloc(a->samples, 1);
    uint32_t *index = jsni_alloc(a->samples, sizeof *index);
    char *runs = jsni_path_join(folder, "folds");
    jsn_status status = fold_of == NULL || index == NULL || runs == NULL
                            ? JSN_ERR_MEMORY
                            : jsni_folder_create_in(folder, "folds");
    if (status == JSN_OK)
        draw_folds(a, job->folds, index, fold_of);
    char *whole = status == JSN_OK ? realpath(runs, NULL) : NULL;
    if (status == JSN_OK && whole == NULL)
        status = jsni_fail(JSN_ERR_IO, "%s: %s", runs, strerror(errno));
    for (size_t f = 0; status == JSN_OK && f < job->folds; f++) {
        say_fold(job, f);
        status = one_fold(a, job, runs, whole, fold_of, f, index, chances);
    }
    free(whole);
    jsni_free(runs);
    jsni_free(index);
    jsni_free(fold_of);
    return status;
}

static jsn_status by_run(const jsni_audited *a, const jsn_audit_job *job,
                         float *chances)
{
    uint32_t *index = jsni_alloc(a->samples, sizeof *index);
    JSNI_TRY_ALLOC(index);
    for (size_t i = 0; i < a->samples; i++)
        index[i] = (uint32_t)i;
    const jsn_status status = predict_views(a, job, a->run, index, a->samples, chances);
    jsni_free(index);
    return status;
}

/* By networks: *out is [views][samples][classes]. */
static jsn_status by_networks(const jsni_audited *a, const jsn_audit_job *job,
                              const char *folder, jsn_array *out)
{
    const size_t shape[3] = {job->mirror ? 2 : 1, a->samples, a->classes};
    JSNI_TRY(jsn_array_create(out, JSN_DTYPE_FLOAT32, 3, shape));
    const jsn_status status = a->run != NULL ? by_run(a, job, out->data)
                                             : by_folds(a, job, folder, out->data);
    if (status != JSN_OK)
        jsn_array_release(out);
    return status;
}

jsn_status jsni_class_chances(const jsni_audited *audited, const jsn_audit_job *job,
                              const char *folder, jsn_array *out, jsn_array *views,
                              bool *in_sample)
{
    *in_sample = job->posteriors == NULL && audited->run != NULL;
    if (job->posteriors != NULL)
        return read_file(audited, job->posteriors, out, views);
    JSNI_TRY(by_networks(audited, job, folder, views));
    const jsn_status status = average(views, out);
    if (status != JSN_OK || !job->mirror)
        jsn_array_release(views);
    return status;
}
