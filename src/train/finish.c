/* train/finish.c - what a run leaves behind when its epochs are done: final weights,
 * evaluation with the most doubtful labels, posteriors, the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/image_decoder.h"
#include "core/text.h"
#include "format/csv.h"
#include "format/json_tree.h"
#include "jensen/array.h"
#include "jensen/image_file.h"
#include "store/record_numbers.h"
#include "train/run.h"

enum { MOST_DOUBTFUL = 60, THUMBNAIL = 96 };

/* Positions of training samples whose label the network contradicts, most confident
 * first. */
typedef struct doubtful {
    uint32_t *position; /* owned */
    size_t count;
    size_t read; /* images that could be */
} doubtful;

typedef struct ranked {
    float confidence;
    uint32_t position;
} ranked;

static int by_confidence(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->confidence != y->confidence)
        return x->confidence < y->confidence ? 1 : -1;
    return (x->position > y->position) - (x->position < y->position);
}

static jsn_status rank_doubtful(const jsni_part *part, const jsni_predictions *seen,
                                doubtful *out)
{
    ranked *all = jsni_alloc(part->count, sizeof *all);
    JSNI_TRY_ALLOC(all);
    size_t count = 0;
    for (size_t i = 0; i < part->count; i++)
        out->read += seen->best[i] >= 0;
    for (size_t i = 0; i < part->count; i++)
        if (seen->best[i] >= 0 && seen->best[i] != part->used[i])
            all[count++] = (ranked){seen->confidence[i], (uint32_t)i};
    qsort(all, count, sizeof *all, by_confidence);
    out->count = count;
    out->position = jsni_alloc(count, sizeof *out->position);
    for (size_t i = 0; out->position != NULL && i < count; i++)
        out->position[i] = all[i].position;
    jsni_free(all);
    return out->position == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status write_thumbnail(const jsni_part *part, uint32_t position,
                                  const char *path)
{
    jsn_image_part seen = {0};
    jsn_image small = {0};
    size_t enough = 2 * THUMBNAIL;
    jsn_status status =
        jsn_dataset_image_part(part->data, part->split, part->index[position],
                               jsni_image_want_coarse, &enough, &seen);
    jsn_image *image = &seen.image;
    const size_t longer = image->width > image->height ? image->width : image->height;
    if (status == JSN_OK && longer > THUMBNAIL) {
        const size_t width = image->width * THUMBNAIL / longer;
        const size_t height = image->height * THUMBNAIL / longer;
        status =
            jsn_image_create(&small, width > 0 ? width : 1, height > 0 ? height : 1);
        if (status == JSN_OK)
            status = jsn_image_resize(image, NULL, JSN_FILTER_BILINEAR, &small);
    }
    if (status == JSN_OK)
        status = jsn_image_write(path, small.data != NULL ? &small : image);
    jsn_image_release(&small);
    jsn_image_release(image);
    return status;
}

/* Thumbnails are a convenience: a build without PNG, or an image that cannot be read,
 * leaves them out. */
static void put_doubtful(const jsni_run *run, jsn_json_writer *w,
                         const jsni_predictions *seen, const doubtful *list)
{
    const jsni_part *part = &run->problem->train;
    char *folder = jsni_run_file(&run->folder, "doubtful");
    const bool pictures = folder != NULL && jsni_folder_create(folder) == JSN_OK;
    jsn_json_begin_array(w, "doubtful");
    for (size_t i = 0; i < list->count && i < MOST_DOUBTFUL; i++) {
        const uint32_t at = list->position[i];
        char name[48];
        (void)snprintf(name, sizeof name, "doubtful/%02zu.png", i + 1);
        char *path = jsni_run_file(&run->folder, name);
        jsn_json_begin_object(w, NULL);
        jsn_json_put_text(w, "path",
                          jsn_dataset_path(part->data, part->split, part->index[at]));
        jsn_json_put_int(w, "label", part->used[at]);
        jsn_json_put_int(w, "predicted", seen->best[at]);
        jsn_json_put_real(w, "confidence", (double)seen->confidence[at]);
        if (part->truth)
            jsn_json_put_int(w, "true", part->given[at]);
        if (pictures && path != NULL && write_thumbnail(part, at, path) == JSN_OK)
            jsn_json_put_text(w, "thumbnail", name);
        jsn_json_end(w);
        jsni_free(path);
    }
    jsn_json_end(w);
    jsni_free(folder);
}

/* All contradicted labels as a table, by the names of the classes: the list to work
 * through when the labels are to be put right. */
static jsn_status write_doubtful(const jsni_run *run, const jsni_predictions *seen,
                                 const doubtful *list)
{
    const jsni_part *part = &run->problem->train;
    const jsn_dataset *data = run->problem->data;
    jsni_csv_writer csv = {0};
    jsni_csv_add(&csv, "path");
    jsni_csv_add(&csv, "label");
    jsni_csv_add(&csv, "predicted");
    jsni_csv_add(&csv, "confidence");
    if (part->truth)
        jsni_csv_add(&csv, "true");
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t at = list->position[i];
        char confidence[32];
        (void)jsni_format(confidence, sizeof confidence, "%.6f",
                          (double)seen->confidence[at]);
        jsni_csv_add(&csv, jsn_dataset_path(part->data, part->split, part->index[at]));
        jsni_csv_add(&csv, jsn_dataset_class(data, (size_t)part->used[at]));
        jsni_csv_add(&csv, jsn_dataset_class(data, (size_t)seen->best[at]));
        jsni_csv_add(&csv, confidence);
        if (part->truth)
            jsni_csv_add(&csv, jsn_dataset_class(data, (size_t)part->given[at]));
        jsni_csv_end_row(&csv);
    }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_run_write(&run->folder, JSNI_RUN_DOUBTFUL, csv.text.data,
                                csv.text.length);
    if (status == JSN_OK && list->count > 0) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "the network contradicts %zu of %zu training labels; see "
                       "%.400s/%s",
                       list->count, list->read, run->folder.path, JSNI_RUN_DOUBTFUL);
        run->logger.message(run->logger.user, JSN_LOG_INFO, text);
    }
    jsni_text_release(&csv.text);
    return status;
}

/* By bin of confidence, the emptiest included: samples, share right, mean confidence. */
static void put_calibration(const jsni_evaluation *e, jsn_json_writer *w)
{
    jsn_json_begin_array(w, "calibration");
    for (size_t b = 0; b < JSNI_ECE_BINS; b++) {
        const double samples = e->bin_samples[b] > 0 ? (double)e->bin_samples[b] : NAN;
        jsn_json_begin_array(w, NULL);
        jsn_json_put_int(w, NULL, (int64_t)e->bin_samples[b]);
        jsn_json_put_real(w, NULL, (double)e->bin_correct[b] / samples);
        jsn_json_put_real(w, NULL, e->bin_confidence[b] / samples);
        jsn_json_end(w);
    }
    jsn_json_end(w);
}

void jsni_evaluation_put(const jsni_evaluation *e, jsn_json_writer *w, const char *key)
{
    jsn_json_begin_object(w, key);
    jsn_json_put_int(w, "samples", (int64_t)e->samples);
    jsn_json_put_real(w, "accuracy", jsni_evaluation_accuracy(e));
    jsn_json_put_real(w, "top5", jsni_evaluation_top5(e));
    jsn_json_put_real(w, "loss", jsni_evaluation_loss(e));
    jsn_json_put_real(w, "ece", jsni_evaluation_ece(e));
    put_calibration(e, w);
    jsn_json_begin_array(w, "class_accuracy");
    for (size_t k = 0; k < e->classes; k++) {
        uint64_t sum = 0;
        for (size_t j = 0; j < e->classes; j++)
            sum += e->confusion[k * e->classes + j];
        jsn_json_put_real(
            w, NULL,
            sum == 0 ? NAN : (double)e->confusion[k * e->classes + k] / (double)sum);
    }
    jsn_json_end(w);
    jsn_json_begin_array(w, "confusion");
    for (size_t k = 0; k < e->classes; k++) {
        jsn_json_begin_array(w, NULL);
        for (size_t j = 0; j < e->classes; j++)
            jsn_json_put_int(w, NULL, (int64_t)e->confusion[k * e->classes + j]);
        jsn_json_end(w);
    }
    jsn_json_end(w);
    jsn_json_end(w);
}

typedef struct final_results {
    jsni_evaluation val, test;
    jsni_predictions seen; /* of the training images; empty: not measured */
    jsni_consistency consistency;
    bool has_consistency;
} final_results;

static void release_results(final_results *r)
{
    jsni_evaluation_release(&r->val);
    jsni_evaluation_release(&r->test);
    jsni_predictions_release(&r->seen);
}

static jsn_status measure_all(jsni_run *run, final_results *r)
{
    const jsni_problem *p = run->problem;
    JSNI_TRY(jsni_evaluation_create(&r->val, p->classes));
    JSNI_TRY(jsni_evaluation_create(&r->test, p->classes));
    JSNI_TRY(jsni_run_evaluate(run, JSNI_PASS_VAL, &r->val, NULL));
    JSNI_TRY(jsni_run_evaluate(run, JSNI_PASS_TEST, &r->test, NULL));
    if (strcmp(run->config->consistency, "never") == 0)
        return JSN_OK;
    r->has_consistency = true;
    if (run->seen.best != NULL) {
        r->seen = run->seen;
        r->consistency = run->consistency;
        run->seen = (jsni_predictions){0};
        return JSN_OK;
    }
    /* The last epoch was another call's: the same numbers once more. */
    JSNI_TRY(jsni_predictions_create(&r->seen, p->train.count));
    return jsni_run_consistency(run, &r->consistency, &r->seen);
}

static jsn_status write_evaluation(jsni_run *run, const final_results *r)
{
    const jsni_problem *p = run->problem;
    jsn_json_writer *w = NULL;
    char *text = NULL;
    doubtful list = {0};
    if (r->has_consistency)
        JSNI_TRY(rank_doubtful(&p->train, &r->seen, &list));
    jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        goto done;
    jsn_json_begin_object(w, NULL);
    jsn_json_begin_array(w, "classes");
    for (size_t k = 0; k < p->classes; k++)
        jsn_json_put_text(w, NULL, jsn_dataset_class(p->data, k));
    jsn_json_end(w);
    if (p->val.data != NULL)
        jsni_evaluation_put(&r->val, w, "val");
    if (p->test.data != NULL)
        jsni_evaluation_put(&r->test, w, "test");
    if (r->has_consistency)
        jsn_json_put_int(w, "contradicted", (int64_t)list.count);
    put_doubtful(run, w, &r->seen, &list);
    jsn_json_end(w);
    status = jsn_json_writer_take(w, &text);
    if (status == JSN_OK)
        status = jsni_run_write(&run->folder, JSNI_RUN_EVALUATION, text, strlen(text));
    if (status == JSN_OK && r->has_consistency)
        status = write_doubtful(run, &r->seen, &list);
done:
    jsn_text_release(text);
    jsn_json_writer_destroy(w);
    jsni_free(list.position);
    return status;
}

static void fill_part(jsni_run *run, const uint32_t *position, size_t samples,
                      const float *logits)
{
    const size_t classes = run->problem->classes;
    for (size_t i = 0; i < samples; i++) {
        float *to = run->posteriors + position[i] * classes;
        double sum = 0.0;
        for (size_t k = 0; k < classes; k++)
            sum += (double)to[k];
        if (sum > 0.0)
            continue;
        jsni_softmax(logits + i * classes, classes, run->probabilities);
        for (size_t k = 0; k < classes; k++)
            to[k] = (float)run->probabilities[k];
    }
}

static jsn_status fill_missing(void *user, const uint32_t *position, size_t samples,
                               const float *logits)
{
    fill_part(user, position, samples, logits);
    return JSN_OK;
}

/* The last partial batch of the last epoch was never run; those samples get what the
 * trained network says of the plain image. */
static jsn_status write_posteriors(jsni_run *run)
{
    if (run->posteriors == NULL)
        return JSN_OK;
    JSNI_TRY(jsni_run_logits(run, JSNI_PASS_CLEAN, fill_missing, run));
    const size_t shape[2] = {run->problem->train.count, run->problem->classes};
    jsn_array array = {0};
    JSNI_TRY(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 2, shape));
    memcpy(array.data, run->posteriors, shape[0] * shape[1] * sizeof(float));
    char *path = jsni_run_file(&run->folder, JSNI_RUN_POSTERIORS);
    const jsn_status status =
        path == NULL ? JSN_ERR_MEMORY : jsn_array_write(&array, path);
    jsni_free(path);
    jsn_array_release(&array);
    return status;
}

static void tell_bad_images(jsni_run *run)
{
    const size_t listed = run->bad.count;
    if (listed == 0)
        return;
    char text[600];
    (void)snprintf(text, sizeof text, "%zu broken %s left out; see %.400s/%s", listed,
                   jsn_noun(listed, "image was", "images were"), run->folder.path,
                   JSNI_RUN_BAD_IMAGES);
    run->logger.message(run->logger.user, JSN_LOG_WARNING, text);
    jsni_bad_images_tell_classes(run);
}

/* The numbers of the last epoch; all NaN when there is none. */
static jsn_status last_row(const jsni_run *run, jsni_record_numbers *out)
{
    jsn_json *row = NULL;
    const size_t count = run->rows.count;
    const char *line = count == 0 ? "{}" : run->rows.lines[count - 1];
    JSNI_TRY(jsni_json_parse_line(&row, JSNI_RUN_METRICS, count, line, strlen(line)));
    const jsn_status status = jsni_record_numbers_read(out, row);
    jsn_json_destroy(row);
    return status;
}

jsn_status jsni_run_finish(jsni_run *run, jsn_train_result *result)
{
    final_results r = {0};
    const double start = jsni_clock();
    char *path = jsni_run_file(&run->folder, JSNI_RUN_MODEL);
    jsni_model_select(run->model, run->member);
    jsn_status status =
        path == NULL ? JSN_ERR_MEMORY : jsn_model_save(run->model, path);
    jsni_free(path);
    if (status == JSN_OK)
        status = measure_all(run, &r);
    if (status == JSN_OK)
        status = write_evaluation(run, &r);
    if (status == JSN_OK)
        status = write_posteriors(run);
    if (status == JSN_OK)
        status = jsni_bad_images_keep(run);
    if (status == JSN_OK)
        tell_bad_images(run);
    if (status == JSN_OK)
        status = jsn_model_sha256(run->model, result->weights_sha256);
    jsni_record_numbers last;
    if (status == JSN_OK)
        status = last_row(run, &last);
    if (status == JSN_OK) {
        run->state.seconds += jsni_clock() - start;
        (void)snprintf(result->run, sizeof result->run, "%s", run->folder.path);
        result->epochs = run->state.epoch;
        result->test_acc = jsni_evaluation_accuracy(&r.test);
        result->test_top5 = jsni_evaluation_top5(&r.test);
        result->test_ece = jsni_evaluation_ece(&r.test);
        result->test_acc_best = run->state.best_test;
        result->val_acc = jsni_evaluation_accuracy(&r.val);
        result->val_acc_noisy = jsni_evaluation_accuracy_used(&r.val);
        result->val_acc_best = run->state.best_val;
        const jsni_consistency *c = &r.consistency;
        result->consistency = jsni_consistency_share(c, JSNI_KINDS);
        result->consistency_true = jsni_consistency_share(c, JSNI_KIND_TRUE);
        result->consistency_noisy = jsni_consistency_share(c, JSNI_KIND_NOISY);
        result->train_acc_true = last.train_acc_true;
        result->train_acc_noisy = last.train_acc_noisy;
        result->images_per_second = last.images_per_second;
        const double whole = run->epoch_seconds + run->measure_seconds;
        result->epoch_rate =
            run->epoch_images > 0 ? (double)run->epoch_images / whole : 0.0;
        result->noise_nominal = run->problem->noise_nominal;
        result->noise_real = run->problem->noise_real;
        result->seconds = run->state.seconds;
        status = jsni_run_result_write(&run->folder, run->config, &run->problem->mark,
                                       result);
    }
    release_results(&r);
    return status;
}
