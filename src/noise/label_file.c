/* noise/label_file.c - see label_file.h. */
#include "noise/label_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/number.h"
#include "core/text.h"

static int by_path(const void *a, const void *b)
{
    const jsni_label_row *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

jsn_status jsni_label_rows_make(jsni_label_rows *rows, const jsni_csv *csv,
                                size_t path_column)
{
    rows->count = jsni_csv_rows(csv);
    JSNI_TRY_ALLOC(rows->row = jsni_alloc(rows->count, sizeof *rows->row));
    for (size_t i = 0; i < rows->count; i++)
        rows->row[i] = (jsni_label_row){jsni_csv_cell(csv, i, path_column), i};
    if (rows->count > 0)
        qsort(rows->row, rows->count, sizeof *rows->row, by_path);
    return JSN_OK;
}

void jsni_label_rows_release(jsni_label_rows *rows)
{
    jsni_free(rows->row);
    *rows = (jsni_label_rows){0};
}

static const jsni_label_row *find_path(const jsni_label_rows *rows, const char *path)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(rows->row[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->count && strcmp(rows->row[low].path, path) == 0 ? &rows->row[low]
                                                                       : NULL;
}

const jsni_label_row *jsni_label_rows_find(const jsni_label_rows *rows,
                                           const char *path)
{
    const jsni_label_row *found = find_path(rows, path);
    char longer[1024];
    const size_t length = strlen(path);
    if (found == NULL && length + 7 <= sizeof longer) {
        memcpy(longer, "train/", 6);
        memcpy(longer + 6, path, length + 1);
        found = find_path(rows, longer);
    }
    return found;
}

bool jsni_label_names_mislead(jsni_label_classes classes)
{
    int64_t value = 0;
    for (size_t c = 0; classes.names != NULL && c < classes.count; c++)
        if (jsni_number_int(classes.names[c], strlen(classes.names[c]), &value) &&
            value != (int64_t)c)
            return true;
    return false;
}

/* The number of the class of that name, or how many there are. */
static size_t find_name(jsni_label_classes classes, const char *name)
{
    size_t c = 0;
    if (classes.names == NULL)
        return classes.count;
    while (c < classes.count && strcmp(classes.names[c], name) != 0)
        c++;
    return c;
}

/* "; did you mean 'laptop'?", where a class has nearly that name. */
static void offer_class(jsni_label_classes classes, const char *name, jsni_text *out)
{
    size_t best = SIZE_MAX, nearest = classes.count;
    for (size_t c = 0; classes.names != NULL && c < classes.count; c++)
        if (jsni_name_nearer(name, classes.names[c], &best))
            nearest = c;
    if (nearest < classes.count)
        jsni_text_format(out, "; did you mean '%.60s'?", classes.names[nearest]);
}

static jsn_status no_class(const char *file, size_t line, const char *cell,
                           const char *how, jsni_label_classes classes)
{
    char words[120];
    jsni_text offer = jsni_text_in(words, sizeof words);
    offer_class(classes, cell, &offer);
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: '%.60s' is %s%s", file, line, cell, how,
                     offer.length > 0 ? words : "");
}

jsn_status jsni_label_read(const jsni_csv *csv, const char *file, size_t row,
                           size_t column, jsni_label_classes classes,
                           jsni_label_kind kind, int32_t *out)
{
    const char *cell = jsni_csv_cell(csv, row, column);
    const size_t line = jsni_csv_line(csv, row);
    int64_t value = -1;
    const bool is_number = jsni_number_int(cell, strlen(cell), &value);
    if (!is_number || kind != JSNI_LABEL_NUMBER) {
        const size_t named = find_name(classes, cell);
        if (named == classes.count && !(is_number && kind == JSNI_LABEL_EITHER))
            return no_class(file, line, cell,
                            kind == JSNI_LABEL_NAME ? "no class"
                                                    : "neither a number nor a class",
                            classes);
        if (is_number && kind == JSNI_LABEL_EITHER && named < classes.count &&
            value != (int64_t)named)
            return jsni_fail(
                JSN_ERR_DATA,
                "%s:%zu: label '%s' may be the class of that name or class "
                "number %s in their order; by=name or by=number says which",
                file, line, cell, cell);
        if (named < classes.count)
            value = (int64_t)named;
    }
    if (value < 0 || (uint64_t)value >= classes.count)
        return jsni_fail(JSN_ERR_DATA, "%s:%zu: label %lld, but there are %zu classes",
                         file, line, (long long)value, classes.count);
    *out = (int32_t)value;
    return JSN_OK;
}
