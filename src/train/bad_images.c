/* train/bad_images.c - see bad_images.h. */
#include "train/bad_images.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/words.h"
#include "format/csv.h"
#include "train/run.h"

void jsni_bad_images_release(jsni_bad_images *list)
{
    for (size_t i = 0; i < list->count; i++) {
        jsni_free(list->rows[i].path);
        jsni_free(list->rows[i].reason);
    }
    jsni_free(list->rows);
    *list = (jsni_bad_images){0};
}

static jsn_status insert(jsni_bad_images *list, size_t at, const char *path,
                         const char *reason, int part)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 16 : 2 * list->room;
        jsni_bad_image *grown = jsni_realloc(list->rows, room, sizeof *grown);
        JSNI_TRY_ALLOC(grown);
        list->rows = grown;
        list->room = room;
    }
    jsni_bad_image row = {jsni_text_copy(path), jsni_text_copy(reason), part};
    if (row.path == NULL || row.reason == NULL) {
        jsni_free(row.path);
        jsni_free(row.reason);
        return JSN_ERR_MEMORY;
    }
    memmove(list->rows + at + 1, list->rows + at,
            (list->count - at) * sizeof *list->rows);
    list->rows[at] = row;
    list->count++;
    return JSN_OK;
}

/* The first row whose path is not before `path`. */
static size_t find(const jsni_bad_images *list, const char *path)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(list->rows[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An image of a part, unless it is listed. Parts may have images of the same path; a row of
 * an earlier call goes to the first that asks for it. */
static jsn_status add(jsni_bad_images *list, const char *path, const char *reason,
                      int part)
{
    const size_t first = find(list, path);
    size_t free_row = list->count;
    for (size_t i = first; i < list->count && strcmp(list->rows[i].path, path) == 0;
         i++) {
        if (list->rows[i].part == part)
            return JSN_OK;
        if (list->rows[i].part < 0)
            free_row = i;
    }
    if (free_row == list->count)
        return insert(list, first, path, reason, part);
    list->rows[free_row].part = part;
    return JSN_OK;
}

static jsn_status take_rows(jsni_bad_images *list, const jsni_csv *csv)
{
    for (size_t i = 0; i < jsni_csv_rows(csv); i++) {
        const char *path = jsni_csv_cell(csv, i, 0);
        JSNI_TRY(insert(list, find(list, path), path, jsni_csv_cell(csv, i, 1), -1));
    }
    list->written = list->count;
    return JSN_OK;
}

jsn_status jsni_bad_images_read(jsni_run *run)
{
    jsni_csv *csv = NULL;
    bool there = false;
    jsn_status status = jsni_file_find(run->folder.path, JSNI_RUN_BAD_IMAGES, &there);
    if (status == JSN_OK && there)
        status = jsni_csv_read_in(&csv, run->folder.path, JSNI_RUN_BAD_IMAGES);
    if (status == JSN_OK && csv != NULL && jsni_csv_columns(csv) == 2)
        status = take_rows(&run->feed.bad, csv);
    jsni_csv_destroy(csv);
    return status == JSN_ERR_DATA ? JSN_OK : status;
}

/* A jsni_loader_bad_fn. */
typedef struct adding {
    jsni_bad_images *list;
    const jsni_part *part;
    int number;
} adding;

static jsn_status add_met(void *user, uint32_t position, const char *reason)
{
    const adding *a = user;
    return add(
        a->list,
        jsn_dataset_path(a->part->data, a->part->split, a->part->index[position]),
        reason, a->number);
}

static jsn_status write_table(jsni_run *run)
{
    jsni_bad_images *list = &run->feed.bad;
    jsni_csv_writer csv = {0};
    jsni_csv_add(&csv, "path");
    jsni_csv_add(&csv, "reason");
    jsni_csv_end_row(&csv);
    for (size_t i = 0; i < list->count; i++) {
        jsni_csv_add(&csv, list->rows[i].path);
        jsni_csv_add(&csv, list->rows[i].reason);
        jsni_csv_end_row(&csv);
    }
    jsn_status status = csv.text.status;
    if (status == JSN_OK)
        status = jsni_run_write(&run->folder, JSNI_RUN_BAD_IMAGES, csv.text.data,
                                csv.text.length);
    if (status == JSN_OK)
        list->written = list->count;
    jsni_text_release(&csv.text);
    return status;
}

jsn_status jsni_bad_images_keep(jsni_run *run)
{
    jsni_loader *const loaders[] = {run->feed.train, run->feed.passes[JSNI_PASS_CLEAN],
                                    run->feed.passes[JSNI_PASS_COPY],
                                    run->feed.passes[JSNI_PASS_VAL],
                                    run->feed.passes[JSNI_PASS_TEST]};
    const jsni_part *const parts[] = {
        &run->job.problem->train, &run->job.problem->train, &run->job.problem->train,
        &run->job.problem->val, &run->job.problem->test};
    static const int numbers[] = {0, 0, 0, 1, 2};
    for (size_t l = 0; l < sizeof loaders / sizeof loaders[0]; l++) {
        adding to = {&run->feed.bad, parts[l], numbers[l]};
        if (loaders[l] != NULL)
            JSNI_TRY(jsni_loader_each_bad(loaders[l], add_met, &to));
    }
    return run->feed.bad.count > run->feed.bad.written ? write_table(run) : JSN_OK;
}

/* Takes the images that were met off the counts of their classes. */
typedef struct leaving {
    const jsni_part *part;
    size_t *left; /* [classes] */
} leaving;

static jsn_status take_off(void *user, uint32_t position, const char *reason)
{
    const leaving *l = user;
    (void)reason;
    l->left[l->part->used[position]]--;
    return JSN_OK;
}

static jsn_status judge(jsni_run *run, const size_t *all, const size_t *left)
{
    const jsn_dataset *data = run->job.problem->data;
    size_t usable = 0, lost = 0;
    bool told = run->feed.bad.said_classes;
    for (size_t k = 0; k < run->job.problem->classes; k++) {
        char text[256];
        usable += left[k] > 0;
        if (all[k] == 0 || left[k] > 0)
            continue;
        lost = k;
        if (run->job.problem->unread[k] || run->feed.bad.said_classes)
            continue;
        (void)snprintf(
            text, sizeof text,
            "class '%.100s' is not learned: none of its %zu training %s can be read",
            jsn_dataset_class(data, k), all[k], jsni_noun(all[k], "image", "images"));
        run->logger.message(run, JSN_LOG_WARNING, text);
        told = true;
    }
    run->feed.bad.said_classes = told;
    if (usable >= 2)
        return JSN_OK;
    return jsni_fail(JSN_ERR_DATA,
                     "%s: a classifier needs readable images of at least two classes; "
                     "none of the %zu of '%.100s' can be read",
                     jsn_dataset_about(data)->spec, all[lost],
                     jsn_dataset_class(data, lost));
}

jsn_status jsni_bad_images_check_classes(jsni_run *run)
{
    const jsni_part *part = &run->job.problem->train;
    const size_t classes = run->job.problem->classes;
    jsni_loader *whole = run->feed.passes[JSNI_PASS_CLEAN];
    jsni_loader *loader = whole != NULL ? whole : run->feed.train;
    size_t *all = jsni_alloc_zero(classes, sizeof *all);
    size_t *left = jsni_alloc_zero(classes, sizeof *left);
    jsn_status status = all == NULL || left == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK) {
        for (size_t i = 0; i < part->count; i++)
            all[part->used[i]]++;
        memcpy(left, all, classes * sizeof *left);
        leaving taking = {part, left};
        status = jsni_loader_each_bad(loader, take_off, &taking);
    }
    if (status == JSN_OK)
        status = judge(run, all, left);
    jsni_free(left);
    jsni_free(all);
    return status;
}
