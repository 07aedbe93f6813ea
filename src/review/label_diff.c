/* review/label_diff.c - in what two label files differ. */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "format/csv.h"
#include "jensen/review.h"

typedef struct labelled {
    const char *path, *label; /* of the table */
    size_t row;
} labelled;

typedef struct label_list {
    jsni_csv *csv;  /* owned */
    labelled *list; /* [count], owned; by path */
    size_t count;
} label_list;

static int by_path(const void *left, const void *right)
{
    const labelled *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    return order != 0 ? order : (a->row < b->row ? -1 : 1);
}

static jsn_status read_list(label_list *out, const char *file)
{
    size_t path = 0, label = 0;
    JSNI_TRY(jsni_csv_read(&out->csv, file));
    JSNI_TRY(jsni_csv_find(out->csv, "path", &path));
    JSNI_TRY(jsni_csv_find(out->csv, "label", &label));
    const size_t rows = jsni_csv_rows(out->csv);
    JSNI_TRY_ALLOC(out->list = jsni_alloc(rows, sizeof *out->list));
    for (size_t i = 0; i < rows; i++)
        out->list[out->count++] = (labelled){jsni_csv_cell(out->csv, i, path),
                                             jsni_csv_cell(out->csv, i, label), i};
    qsort(out->list, rows, sizeof *out->list, by_path);
    for (size_t i = 1; i < rows; i++)
        if (strcmp(out->list[i - 1].path, out->list[i].path) == 0)
            return jsni_fail(JSN_ERR_DATA, "%s:%zu: '%.200s' has a row already", file,
                             jsni_csv_line(out->csv, out->list[i].row),
                             out->list[i].path);
    return JSN_OK;
}

static void free_list(label_list *list)
{
    jsni_free(list->list);
    jsni_csv_destroy(list->csv);
}

/* Walks both lists, which are sorted by path, side by side. */
static jsn_status compare(const label_list *a, const label_list *b,
                          jsn_labels_diff_fn *fn, void *user)
{
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const labelled *x = i < a->count ? &a->list[i] : NULL;
        const labelled *y = j < b->count ? &b->list[j] : NULL;
        const int order = x == NULL ? 1 : y == NULL ? -1 : strcmp(x->path, y->path);
        i += order <= 0;
        j += order >= 0;
        if (order != 0)
            JSNI_TRY(fn(user, order < 0 ? x->path : y->path,
                        order < 0 ? x->label : NULL, order < 0 ? NULL : y->label));
        else if (strcmp(x->label, y->label) != 0)
            JSNI_TRY(fn(user, x->path, x->label, y->label));
    }
    return JSN_OK;
}

jsn_status jsn_labels_diff(const char *before, const char *after,
                           jsn_labels_diff_fn *fn, void *user)
{
    JSNI_NEED(before);
    JSNI_NEED(after);
    JSNI_NEED(fn);
    label_list a = {0}, b = {0};
    jsn_status status = read_list(&a, before);
    if (status == JSN_OK)
        status = read_list(&b, after);
    if (status == JSN_OK)
        status = compare(&a, &b, fn, user);
    free_list(&a);
    free_list(&b);
    return status;
}
