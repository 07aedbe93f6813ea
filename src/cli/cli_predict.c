/* cli/cli_predict.c - see cli_predict.h. */
#include "cli/cli_predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_csv.h"
#include "cli/cli_numbers.h"
#include "cli/cli_progress.h"
#include "core/json.h"
#include "core/progress.h"
#include "core/words.h"
#include "jensen/array.h"
#include "jensen/classifier.h"
#include "jensen/image_file.h"

typedef struct predictor {
    const cli_predict_request *request;
    jsn_classifier *classifier;
    double *probabilities; /* [batch][classes] of arrays, owned */
    size_t *order;         /* [classes], owned: best first, as far as `top` */
    size_t batch, classes, top;
    size_t count; /* of images */
    cli_csv csv;
    jsn_array logits; /* [all images][classes], rows of NaN for the broken, or empty */
    size_t done, broken;
    size_t senseless; /* of those done: outputs that are not finite */
} predictor;

static const char not_finite[] = "the network's output is not finite";

/* Fields of a line are parted by spaces and paths stand as they are, so a line is read
 * from its end: a class is one word, or quoted. */
static void print_class(const char *name, double probability)
{
    cli_print(" ");
    cli_put_quoted(stdout, name, " \t\n\v\f\r\"");
    cli_print(" %.4f", probability);
}

static void put_csv_head(const predictor *p)
{
    cli_print_to(p->csv.file, "path,class,probability");
    for (size_t i = 1; i < p->top; i++)
        cli_print_to(p->csv.file, ",class_%zu,probability_%zu", i + 1, i + 1);
    cli_print_to(p->csv.file, ",reason\n");
}

static void put_csv_row(const predictor *p, const char *path, const double *row)
{
    cli_csv_cell(p->csv.file, path);
    for (size_t i = 0; i < p->top; i++) {
        cli_print_to(p->csv.file, ",");
        if (row != NULL)
            cli_csv_cell(p->csv.file, jsn_classifier_class(p->classifier, p->order[i]));
        cli_print_to(p->csv.file, ",");
        if (row != NULL)
            cli_print_to(p->csv.file, "%.6g", row[p->order[i]]);
    }
    cli_print_to(p->csv.file, ",");
}

static void sort_top(predictor *p, const double *row)
{
    for (size_t i = 0; i < p->top; i++) {
        size_t best = p->classes;
        for (size_t k = 0; k < p->classes; k++) {
            int taken = 0;
            for (size_t j = 0; j < i; j++)
                taken |= p->order[j] == k;
            if (!taken && (best == p->classes || row[k] > row[best]))
                best = k;
        }
        p->order[i] = best;
    }
}

static jsn_status print_json_row(const predictor *p, const char *path,
                                 const double *row, const char *reason)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    if (p->request->array != NULL)
        jsni_json_put_int(w, "sample", (int64_t)p->done);
    else
        jsni_json_put_text(w, "path", path);
    if (row == NULL) {
        jsni_json_put_text(w, "error", reason);
    } else {
        jsni_json_put_text(w, "class",
                           jsn_classifier_class(p->classifier, p->order[0]));
        jsni_json_put_real(w, "probability", row[p->order[0]]);
        if (p->top > 1)
            jsni_json_begin_array(w, "top");
        for (size_t i = 0; p->top > 1 && i < p->top; i++) {
            jsni_json_begin_object(w, NULL);
            jsni_json_put_text(w, "class",
                               jsn_classifier_class(p->classifier, p->order[i]));
            jsni_json_put_real(w, "probability", row[p->order[i]]);
            jsni_json_end(w);
        }
        if (p->top > 1)
            jsni_json_end(w);
    }
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status print_failure(const predictor *p, const char *path,
                                const char *reason)
{
    cli_progress_clear();
    cli_say("%s: %s\n", path, reason);
    if (p->csv.file != NULL) {
        put_csv_row(p, path, NULL);
        cli_csv_cell(p->csv.file, reason);
        cli_print_to(p->csv.file, "\n");
    }
    return p->request->json ? print_json_row(p, path, NULL, reason) : JSN_OK;
}

/* Values or weights that are not numbers make probabilities that are none; the largest
 * of them names no class. */
static jsn_status print_row(predictor *p, const char *path, const double *row)
{
    if (!isfinite(row[0])) {
        p->senseless++;
        return print_failure(p, path, not_finite);
    }
    sort_top(p, row);
    if (p->csv.file != NULL) {
        put_csv_row(p, path, row);
        cli_print_to(p->csv.file, "\n");
    }
    if (p->request->json)
        return print_json_row(p, path, row, NULL);
    if (p->csv.file == stdout)
        return JSN_OK;
    cli_print("%s", path);
    for (size_t i = 0; i < p->top; i++)
        print_class(jsn_classifier_class(p->classifier, p->order[i]), row[p->order[i]]);
    cli_print("\n");
    return JSN_OK;
}

/* When nothing came of anything that could be read, so that is said. */
static jsn_status check_outputs(const predictor *p)
{
    if (p->done == 0 || p->senseless < p->done)
        return JSN_OK;
    return cli_fail(JSN_ERR_DATA, "%s for any of %zu %s", not_finite, p->done,
                    jsni_noun(p->done, "image", "images"));
}

/* Where the logits of the next image go, or NULL. */
static float *next_logits(const predictor *p)
{
    return p->logits.data == NULL
               ? NULL
               : (float *)p->logits.data + (p->done + p->broken) * p->classes;
}

/* One image that was read, or not. */
static jsn_status take_file(void *user, const jsn_classifier_file *file)
{
    predictor *p = user;
    jsn_status status;
    if (file->probabilities == NULL) {
        status = print_failure(p, file->path, file->reason);
        p->broken++;
    } else {
        float *logits = next_logits(p);
        if (logits != NULL)
            memcpy(logits, file->logits, p->classes * sizeof *logits);
        status = print_row(p, file->path, file->probabilities);
        p->done++;
    }
    jsni_progress(cli_logger(), "images", p->done + p->broken, p->count);
    return status;
}

static jsn_status make_logits(predictor *p, size_t count)
{
    const size_t shape[2] = {count, p->classes};
    if (p->request->logits == NULL)
        return JSN_OK;
    const jsn_status status = jsn_array_create(&p->logits, JSN_DTYPE_FLOAT32, 2, shape);
    for (size_t i = 0; status == JSN_OK && i < count * p->classes; i++)
        ((float *)p->logits.data)[i] = NAN;
    return status;
}

static jsn_status open_classifier(predictor *p, size_t count)
{
    const cli_predict_request *r = p->request;
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.run = r->run;
    o.network = r->network;
    o.weights = r->init;
    o.classes = r->classes;
    o.device = r->device;
    o.threads = r->threads;
    o.batch = p->batch = r->batch < count ? r->batch : count;
    o.views = r->views;
    const jsn_status status = jsn_precision_parse(r->precision, &o.precision);
    return status == JSN_OK ? jsn_classifier_create(&p->classifier, &o) : status;
}

static jsn_status set_up(predictor *p, size_t count)
{
    const cli_predict_request *r = p->request;
    jsn_status status = open_classifier(p, count);
    if (status != JSN_OK)
        return status;
    p->classes = jsn_classifier_classes(p->classifier);
    p->top = r->top < p->classes ? r->top : p->classes;
    p->count = count;
    p->probabilities = calloc(p->batch * p->classes, sizeof *p->probabilities);
    p->order = calloc(p->classes, sizeof *p->order);
    if (p->probabilities == NULL || p->order == NULL)
        return JSN_ERR_MEMORY;
    status = make_logits(p, count);
    if (status != JSN_OK || r->csv == NULL)
        return status;
    status = cli_csv_open(&p->csv, r->csv);
    if (status == JSN_OK)
        put_csv_head(p);
    return status;
}

static jsn_status tear_down(predictor *p, jsn_status status)
{
    if (status == JSN_OK && p->logits.data != NULL)
        status = jsn_array_write(&p->logits, p->request->logits);
    jsn_array_release(&p->logits);
    status = cli_csv_close(&p->csv, status);
    free(p->probabilities);
    free(p->order);
    jsn_classifier_close(p->classifier);
    return status;
}

/* Where a run is named behind the images there are none to be found: says that the first
 * word is no run, if so. */
static jsn_status check_run(predictor *p)
{
    if (p->request->run == NULL)
        return JSN_OK;
    const jsn_status status = open_classifier(p, 1);
    jsn_classifier_close(p->classifier);
    p->classifier = NULL;
    return status == JSN_ERR_DATA
               ? cli_fail(status, "%s; the run folder comes first, then images",
                          jsn_last_error())
               : status;
}

/* The images named, and those in the folders named; says that runs are passed by. */
static jsn_status find_images(predictor *p, jsn_texts *paths)
{
    const cli_predict_request *request = p->request;
    jsn_texts runs = {0};
    jsn_status status = JSN_OK;
    for (size_t i = request->first; status == JSN_OK && i < request->args->count; i++)
        status = jsn_image_find(paths, request->args->items[i], &runs);
    if (status == JSN_OK && paths->count == 0)
        status = check_run(p);
    if (status == JSN_OK && runs.count > 0) {
        char text[400], more[40] = "";
        const jsn_logger *logger = cli_logger();
        if (runs.count > 1)
            (void)snprintf(more, sizeof more, " and of %zu more", runs.count - 1);
        (void)snprintf(text, sizeof text,
                       "the pictures of the run in %.200s%s are left out",
                       runs.items[0], more);
        logger->message(logger->user, JSN_LOG_INFO, text);
    }
    jsn_texts_release(&runs);
    return status;
}

jsn_status cli_predict_images(const cli_predict_request *request)
{
    predictor p = {.request = request};
    jsn_texts paths = {0};
    jsn_status status = find_images(&p, &paths);
    if (status == JSN_OK && paths.count == 0) {
        (void)cli_usage("the folders given hold no images");
        status = JSN_ERR_DATA;
    }
    if (status == JSN_OK)
        status = set_up(&p, paths.count);
    if (status == JSN_OK)
        status = jsn_classifier_predict_files(
            p.classifier, (const char *const *)paths.items, paths.count, take_file, &p);
    status = tear_down(&p, status);
    if (status == JSN_OK && p.done == 0) {
        (void)cli_usage("none of %zu %s could be read", p.broken,
                        jsni_noun(p.broken, "image", "images"));
        status = JSN_ERR_DATA;
    } else if (status == JSN_OK && p.broken > 0) {
        cli_say("%zu of %zu images could not be read\n", p.broken, p.broken + p.done);
    }
    if (status == JSN_OK)
        status = check_outputs(&p);
    jsn_texts_release(&paths);
    return status;
}

static jsn_status check_array(const predictor *p, const jsn_array *images)
{
    const char *path = p->request->array;
    const size_t size = jsn_classifier_image_size(p->classifier);
    if (images->shape[1] == 3 && images->shape[2] == size && images->shape[3] == size)
        return JSN_OK;
    return cli_fail(
        JSN_ERR_DATA, "%s: images of %zux%zux%zu, the run's network reads 3x%zux%zu",
        path, images->shape[1], images->shape[2], images->shape[3], size, size);
}

static jsn_status predict_tensors(predictor *p, const jsn_array *images)
{
    const size_t count = images->shape[0];
    const size_t floats = jsn_array_count(images) / count;
    jsn_status status = check_array(p, images);
    while (status == JSN_OK && p->done < count) {
        const size_t n = count - p->done < p->batch ? count - p->done : p->batch;
        const float *from = (const float *)images->data + p->done * floats;
        status = jsn_classifier_predict_tensors(p->classifier, from, n,
                                                p->probabilities, next_logits(p));
        for (size_t i = 0; status == JSN_OK && i < n; i++, p->done++) {
            char name[24];
            (void)snprintf(name, sizeof name, "%zu", p->done);
            status = print_row(p, name, p->probabilities + i * p->classes);
        }
    }
    return status;
}

jsn_status cli_predict_check(const jsn_array *images, const char *path)
{
    if (images->dtype == JSN_DTYPE_FLOAT32 && images->rank == 4 &&
        jsn_array_count(images) > 0)
        return JSN_OK;
    return cli_fail(JSN_ERR_DATA,
                    "%s: a float32 array [N][C][H][W] with images is needed, this is "
                    "%s with %zu %s",
                    path, jsn_dtype_name(images->dtype), images->rank,
                    jsni_noun(images->rank, "dimension", "dimensions"));
}

jsn_status cli_predict_array(const cli_predict_request *request)
{
    predictor p = {.request = request};
    jsn_array images = {0};
    jsn_status status = jsn_array_read(&images, request->array);
    if (status == JSN_OK)
        status = cli_predict_check(&images, request->array);
    if (status == JSN_OK)
        status = set_up(&p, images.shape[0]);
    if (status == JSN_OK)
        status = predict_tensors(&p, &images);
    status = tear_down(&p, status);
    if (status == JSN_OK)
        status = check_outputs(&p);
    jsn_array_release(&images);
    return status;
}
