/* cli/cli_predict.c - see cli_predict.h. One batch of images is in memory at a time. */
#include "cli/cli_predict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_images.h"
#include "cli/cli_numbers.h"
#include "cli/cli_progress.h"
#include "jensen/classifier.h"
#include "jensen/image_file.h"
#include "jensen/json.h"

typedef struct predictor {
    const cli_predict_request *request;
    jsn_classifier *classifier;
    jsn_image *images;     /* [batch], owned */
    const char **paths;    /* [batch] */
    double *probabilities; /* [batch][classes], owned */
    size_t *order;         /* [classes], owned: best first, as far as `top` */
    size_t batch, classes, top, waiting;
    FILE *csv;
    size_t done, broken;
} predictor;

static void put_csv_cell(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\n\r") == NULL) {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', file);
        (void)fputc(*text, file);
    }
    (void)fputc('"', file);
}

static void put_csv_head(const predictor *p)
{
    (void)fputs("path,class,probability", p->csv);
    for (size_t i = 1; i < p->top; i++)
        (void)fprintf(p->csv, ",class_%zu,probability_%zu", i + 1, i + 1);
    (void)fputs(",reason\n", p->csv);
}

static void put_csv_row(const predictor *p, const char *path, const double *row)
{
    put_csv_cell(p->csv, path);
    for (size_t i = 0; i < p->top; i++) {
        (void)fputc(',', p->csv);
        if (row != NULL)
            put_csv_cell(p->csv, jsn_classifier_class(p->classifier, p->order[i]));
        (void)fputc(',', p->csv);
        if (row != NULL)
            (void)fprintf(p->csv, "%.6g", row[p->order[i]]);
    }
    (void)fputc(',', p->csv);
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
    jsn_json_writer *w = NULL;
    const jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsn_json_begin_object(w, NULL);
    jsn_json_put_text(w, "path", path);
    if (row == NULL) {
        jsn_json_put_text(w, "error", reason);
    } else {
        jsn_json_put_text(w, "class", jsn_classifier_class(p->classifier, p->order[0]));
        jsn_json_put_real(w, "probability", row[p->order[0]]);
        if (p->top > 1)
            jsn_json_begin_array(w, "top");
        for (size_t i = 0; p->top > 1 && i < p->top; i++) {
            jsn_json_begin_object(w, NULL);
            jsn_json_put_text(w, "class",
                              jsn_classifier_class(p->classifier, p->order[i]));
            jsn_json_put_real(w, "probability", row[p->order[i]]);
            jsn_json_end(w);
        }
        if (p->top > 1)
            jsn_json_end(w);
    }
    jsn_json_end(w);
    return cli_print_json(w);
}

static jsn_status print_row(predictor *p, const char *path, const double *row)
{
    sort_top(p, row);
    if (p->csv != NULL) {
        put_csv_row(p, path, row);
        (void)fputc('\n', p->csv);
    }
    if (p->request->json)
        return print_json_row(p, path, row, NULL);
    (void)printf("%s", path);
    for (size_t i = 0; i < p->top; i++)
        (void)printf(" %s %.4f", jsn_classifier_class(p->classifier, p->order[i]),
                     row[p->order[i]]);
    (void)printf("\n");
    return JSN_OK;
}

/* The sentences of the readers begin with the path. */
static jsn_status print_broken(predictor *p, const char *path, const char *reason)
{
    const size_t length = strlen(path);
    if (strncmp(reason, path, length) == 0 && reason[length] == ':')
        reason += length + (reason[length + 1] == ' ' ? 2 : 1);
    p->broken++;
    cli_progress_clear();
    (void)fprintf(stderr, "%s: %s\n", path, reason);
    if (p->csv != NULL) {
        put_csv_row(p, path, NULL);
        put_csv_cell(p->csv, reason);
        (void)fputc('\n', p->csv);
    }
    return p->request->json ? print_json_row(p, path, NULL, reason) : JSN_OK;
}

static jsn_status run_batch(predictor *p)
{
    jsn_status status =
        jsn_classifier_predict(p->classifier, p->images, p->waiting, p->probabilities);
    for (size_t i = 0; status == JSN_OK && i < p->waiting; i++)
        status = print_row(p, p->paths[i], p->probabilities + i * p->classes);
    p->done += p->waiting;
    p->waiting = 0;
    return status;
}

/* Those that wait come first: rows are in the order of the images. */
static jsn_status skip_broken(predictor *p, const char *path)
{
    char reason[512];
    (void)snprintf(reason, sizeof reason, "%s", jsn_last_error());
    const jsn_status status = p->waiting > 0 ? run_batch(p) : JSN_OK;
    return status == JSN_OK ? print_broken(p, path, reason) : status;
}

static jsn_status predict_all(predictor *p, const jsn_texts *paths)
{
    const jsn_logger *logger = cli_logger();
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        jsn_status status = jsn_image_read(&p->images[p->waiting], path);
        if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED)
            status = skip_broken(p, path);
        else if (status == JSN_OK)
            p->paths[p->waiting++] = path;
        if (status == JSN_OK && p->waiting == p->batch)
            status = run_batch(p);
        if (status != JSN_OK)
            return status;
        logger->progress(logger->user, "images", i + 1, paths->count, "");
    }
    return p->waiting > 0 ? run_batch(p) : JSN_OK;
}

static jsn_status set_up(predictor *p)
{
    const cli_predict_request *r = p->request;
    jsn_status status =
        jsn_classifier_open(&p->classifier, r->run, r->device, r->threads);
    if (status != JSN_OK)
        return status;
    p->classes = jsn_classifier_classes(p->classifier);
    p->batch = jsn_classifier_batch(p->classifier);
    p->top = r->top < p->classes ? r->top : p->classes;
    p->images = calloc(p->batch, sizeof *p->images);
    p->paths = calloc(p->batch, sizeof *p->paths);
    p->probabilities = calloc(p->batch * p->classes, sizeof *p->probabilities);
    p->order = calloc(p->classes, sizeof *p->order);
    if (p->images == NULL || p->paths == NULL || p->probabilities == NULL ||
        p->order == NULL)
        return JSN_ERR_MEMORY;
    if (r->csv == NULL)
        return JSN_OK;
    p->csv = fopen(r->csv, "w");
    if (p->csv == NULL) {
        (void)cli_usage("%s: cannot be written: %s", r->csv, strerror(errno));
        return JSN_ERR_IO;
    }
    put_csv_head(p);
    return JSN_OK;
}

static jsn_status tear_down(predictor *p, jsn_status status)
{
    if (p->csv != NULL) {
        const int lost = ferror(p->csv);
        if ((fclose(p->csv) != 0 || lost) && status == JSN_OK) {
            (void)cli_usage("%s: cannot be written", p->request->csv);
            status = JSN_ERR_IO;
        }
    }
    for (size_t i = 0; p->images != NULL && i < p->batch; i++)
        jsn_image_release(&p->images[i]);
    free(p->images);
    free(p->paths);
    free(p->probabilities);
    free(p->order);
    jsn_classifier_close(p->classifier);
    return status;
}

jsn_status cli_predict_images(const cli_predict_request *request)
{
    predictor p = {.request = request};
    jsn_texts paths = {0};
    jsn_status status = JSN_OK;
    for (size_t i = request->first; status == JSN_OK && i < request->args->count; i++)
        status = cli_images_add(&paths, request->args->items[i]);
    if (status == JSN_OK && paths.count == 0) {
        (void)cli_usage("there is no image in the folders named");
        status = JSN_ERR_DATA;
    }
    if (status == JSN_OK)
        status = set_up(&p);
    if (status == JSN_OK)
        status = predict_all(&p, &paths);
    if (status == JSN_OK && p.done == 0) {
        (void)cli_usage("none of %zu images could be read", p.broken);
        status = JSN_ERR_DATA;
    } else if (status == JSN_OK && p.broken > 0) {
        (void)fprintf(stderr, "%zu of %zu images could not be read\n", p.broken,
                      p.broken + p.done);
    }
    status = tear_down(&p, status);
    jsn_texts_release(&paths);
    return status;
}
