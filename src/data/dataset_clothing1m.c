/* data/dataset_clothing1m.c - Clothing1M (Xiao et al. 2015): a million photographs of shops
 * with labels from the text around them, of which about 38% are wrong, and a few that people
 * have labelled.
 *
 *     noisy_train_key_list.txt, clean_{train,val,test}_key_list.txt   "images/7/19/a,b.jpg"
 *     noisy_label_kv.txt, clean_label_kv.txt                          "images/7/19/a,b.jpg 3"
 *     category_names_eng.txt                                          classes, one a line
 *     images/0/ ... images/9/
 *
 * The lists lie in the folder itself, or in annotations/ below it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/listing.h"
#include "data/text_lines.h"

enum { FOLDER, CLEAN, CLASSES = 14 };

static const jsn_param_info params[] = {
    {"DIR", "the folder with images/ and the lists, or with the lists in annotations/",
     0, 0, 0, JSN_PARAM_POSITIONAL},
    {"clean", "1: train on the images that people have labelled", 0, 0, 1,
     JSN_PARAM_REAL},
    JSNI_DATASET_SPLIT_PARAM,
};

typedef struct label_row {
    const char *key;
    size_t line;
    int32_t label;
} label_row;

/* The labels of one file, by key. */
typedef struct label_table {
    const char *path; /* of the file, borrowed */
    jsni_listing keys;
    label_row *rows; /* [keys.count], owned */
    size_t room;
} label_table;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const label_row *)a)->key, ((const label_row *)b)->key);
}

static int by_key_and_line(const void *a, const void *b)
{
    const size_t x = ((const label_row *)a)->line, y = ((const label_row *)b)->line;
    const int order = by_key(a, b);
    return order != 0 ? order : (x > y) - (x < y);
}

static jsn_status add_label(void *user, size_t number, char *line)
{
    label_table *table = user;
    int64_t label = 0;
    JSNI_TRY(jsni_line_path_label(table->path, number, line, &label));
    if (label >= CLASSES)
        return jsni_line_fail(table->path, number, "a class number of 14 or more");
    if (table->keys.count == table->room) {
        const size_t wanted = table->room * 2 + 1024;
        label_row *larger = jsni_realloc(table->rows, wanted, sizeof *larger);
        JSNI_TRY_ALLOC(larger);
        table->rows = larger;
        table->room = wanted;
    }
    table->rows[table->keys.count] = (label_row){NULL, number, (int32_t)label};
    return jsni_listing_add(&table->keys, line);
}

/* Sorts the rows, and refuses two labels of one image. */
static jsn_status sort_labels(label_table *table)
{
    const size_t count = table->keys.count;
    for (size_t i = 0; i < count; i++)
        table->rows[i].key = jsni_listing_name(&table->keys, i);
    if (count > 0)
        qsort(table->rows, count, sizeof *table->rows, by_key_and_line);
    for (size_t i = 1; i < count; i++) {
        const label_row *one = &table->rows[i - 1], *other = &table->rows[i];
        if (by_key(one, other) == 0 && one->label != other->label)
            return jsni_fail(JSN_ERR_DATA,
                             "%s:%zu: '%.100s' has another label in line %zu",
                             table->path, other->line, other->key, one->line);
    }
    return JSN_OK;
}

/* What a list of keys is read into. */
typedef struct key_reading {
    jsn_dataset *data;
    jsn_split split;
    const char *path;
    const label_table *labels;
} key_reading;

static jsn_status add_key(void *user, size_t number, char *line)
{
    const key_reading *r = user;
    const label_row wanted = {.key = line};
    char plain[JSNI_DATASET_MAX_NAME], where[JSNI_DATASET_MAX_NAME];
    (void)snprintf(where, sizeof where, "%s:%zu", r->path, number);
    JSNI_TRY(jsni_path_plain(where, line, plain));
    const label_row *row = r->labels->keys.count == 0
                               ? NULL
                               : bsearch(&wanted, r->labels->rows,
                                         r->labels->keys.count, sizeof wanted, by_key);
    if (row == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: '%.100s' has no label in %s", where, line,
                         r->labels->path);
    return jsni_dataset_add(r->data, r->split, plain, row->label);
}

static jsn_status add_keys(jsn_dataset *data, jsn_split split, const char *lists,
                           const char *name, const label_table *labels)
{
    if (!jsni_dataset_wants(data, split))
        return JSN_OK;
    char *path = jsni_path_join(lists, name);
    JSNI_TRY_ALLOC(path);
    key_reading reading = {data, split, path, labels};
    const jsn_status status = jsni_lines_read(path, add_key, &reading);
    jsni_free(path);
    return status;
}

/* The splits whose labels are those of one file: training images of `train`, and with
 * `judged` those of validation and test. */
static jsn_status add_labelled(jsn_dataset *data, const char *lists, const char *labels,
                               const char *train, bool judged)
{
    label_table table = {0};
    char *path = jsni_path_join(lists, labels);
    JSNI_TRY_ALLOC(path);
    table.path = path;
    jsn_status status = jsni_lines_read(path, add_label, &table);
    if (status == JSN_OK)
        status = sort_labels(&table);
    if (status == JSN_OK && train != NULL)
        status = add_keys(data, JSN_SPLIT_TRAIN, lists, train, &table);
    if (status == JSN_OK && judged)
        status = add_keys(data, JSN_SPLIT_VAL, lists, "clean_val_key_list.txt", &table);
    if (status == JSN_OK && judged)
        status =
            add_keys(data, JSN_SPLIT_TEST, lists, "clean_test_key_list.txt", &table);
    jsni_listing_release(&table.keys);
    jsni_free(table.rows);
    jsni_free(path);
    return status;
}

/* Where the lists are, owned. */
static jsn_status find_lists(const char *folder, char **out)
{
    bool below = false;
    char *path = jsni_path_join(folder, "annotations/clean_label_kv.txt");
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_file_find(NULL, path, &below);
    jsni_free(path);
    JSNI_TRY(status);
    *out = below ? jsni_path_join(folder, "annotations") : jsni_text_copy(folder);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status open_clothing1m(jsn_dataset *data,
                                  const jsni_dataset_request *request)
{
    char *folder = NULL, *lists = NULL;
    const bool clean = request->values[CLEAN].real > 0.0;
    const jsni_sample_list classes = {data, JSN_SPLIT_TRAIN, "", CLASSES};
    JSNI_TRY(jsni_dataset_take_folder(data, request, &folder));
    jsn_status status = find_lists(folder, &lists);
    if (status == JSN_OK)
        status = jsni_dataset_add_synsets(&classes, lists, "category_names_eng.txt");
    if (status == JSN_OK && !clean && jsni_dataset_wants(data, JSN_SPLIT_TRAIN))
        status = add_labelled(data, lists, "noisy_label_kv.txt",
                              "noisy_train_key_list.txt", false);
    if (status == JSN_OK)
        status = add_labelled(data, lists, "clean_label_kv.txt",
                              clean ? "clean_train_key_list.txt" : NULL, true);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        status = jsni_dataset_set_root(data, (jsn_split)s, folder);
    jsni_free(lists);
    jsni_free(folder);
    return status;
}

const jsni_dataset_def jsni_dataset_clothing1m = {
    {"clothing1m", "Clothing1M by its lists; clean=1 trains on the clean labels",
     params, sizeof params / sizeof params[0]},
    open_clothing1m,
};
