/* data/dataset_csv.c - a table of image paths and labels.
 *
 * csv:FILE, or csv:DIR for DIR/metadata.csv (or DIR/train/metadata.csv and so on, as the
 * Hugging Face image folders have it). Columns: `path` (or file_name, filename, image,
 * file), relative to the table's folder; `label` (or class, target, or the one that
 * label= names); `split`, optional: train, val/validation or test. Labels that are all
 * whole numbers are class numbers; otherwise they are names, numbered in sorted order.
 * Instead of a label, columns p_<class> give a soft label: weights >= 0, for example
 * counts of votes, divided by their sum.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/number.h"
#include "core/progress.h"
#include "core/words.h"
#include "data/listing.h"
#include "data/text_lines.h"
#include "format/csv.h"

enum { FILE_PARAM, LABEL_PARAM, ROOT_PARAM };
enum { NO_COLUMN = JSNI_CSV_MAX_COLUMNS, PATH = 2 * JSNI_DATASET_MAX_NAME };

static const jsn_param_info params[] = {
    {"FILE", "the table, or a folder with metadata.csv", 0, 0, 0, JSN_PARAM_POSITIONAL},
    {"label", "column with the labels (else: label, class or target)", 0, 0, 0,
     JSN_PARAM_TEXT},
    {"root", "folder that the paths are relative to (else: the table's)", 0, 0, 0,
     JSN_PARAM_TEXT},
    JSNI_DATASET_SPLIT_PARAM,
};

/* One table: its columns, and what its rows are prefixed with in sample names. */
typedef struct table {
    const char *path;
    jsni_csv *csv;
    const char *prefix;
    jsn_split split; /* when there is no such column */
    bool from_top;   /* root=/: paths may be absolute */
    size_t path_column, label_column, split_column;
    size_t *soft; /* [soft_count], columns p_<class> */
    size_t soft_count;
} table;

static size_t find_column(const jsni_csv *csv, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        size_t column = 0;
        if (jsni_csv_has(csv, names[i], &column))
            return column;
    }
    return NO_COLUMN;
}

static jsn_status find_columns(table *t, const char *label)
{
    static const char *const paths[] = {"path",  "file_name", "filename",
                                        "image", "file",      NULL};
    static const char *const labels[] = {"label", "class", "target", NULL};
    static const char *const splits[] = {"split", NULL};
    const char *const given[] = {label, NULL};
    const size_t columns = jsni_csv_columns(t->csv);
    t->path_column = find_column(t->csv, paths);
    t->label_column = find_column(t->csv, label != NULL ? given : labels);
    t->split_column = find_column(t->csv, splits);
    t->soft = jsni_alloc(columns + 1, sizeof *t->soft);
    JSNI_TRY_ALLOC(t->soft);
    for (size_t c = 0; c < columns; c++)
        if (strncmp(jsni_csv_column_name(t->csv, c), "p_", 2) == 0)
            t->soft[t->soft_count++] = c;
    if (t->path_column == NO_COLUMN)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: has no column 'path' (or file_name); the first of its "
                         "%zu columns is '%.60s', and commas separate them",
                         t->path, columns, jsni_csv_column_name(t->csv, 0));
    if (label != NULL || t->soft_count < 2)
        t->soft_count = 0;
    if (t->soft_count == 0 && t->label_column == NO_COLUMN)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: has no column '%s', and no two columns p_<class>",
                         t->path, label != NULL ? label : "label");
    return JSN_OK;
}

static jsn_status row_fail(const table *t, size_t row, const char *what)
{
    return jsni_line_fail(t->path, jsni_csv_line(t->csv, row), what);
}

static bool all_numbers(const table *t, size_t *most)
{
    for (size_t r = 0; r < jsni_csv_rows(t->csv); r++) {
        const char *cell = jsni_csv_cell(t->csv, r, t->label_column);
        int64_t value = 0;
        if (!jsni_number_int(cell, strlen(cell), &value) || value < 0 ||
            value >= JSNI_DATASET_MAX_CLASSES)
            return false;
        *most = (size_t)value > *most ? (size_t)value : *most;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in the label columns of all tables, sorted, each once. */
static jsn_status add_named_classes(jsn_dataset *data, const table *tables,
                                    size_t count)
{
    size_t rows = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        rows += jsni_csv_rows(tables[i].csv);
    const char **cells = jsni_alloc(rows, sizeof *cells);
    JSNI_TRY_ALLOC(cells);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        for (size_t r = 0; status == JSN_OK && r < jsni_csv_rows(tables[i].csv); r++) {
            cells[n] = jsni_csv_cell(tables[i].csv, r, tables[i].label_column);
            if (cells[n][0] == '\0' || !jsni_is_utf8(cells[n]))
                status = row_fail(&tables[i], r, "the label is empty or not UTF-8");
            n++;
        }
    if (status == JSN_OK)
        qsort(cells, n, sizeof *cells, by_text);
    for (size_t i = 0; status == JSN_OK && i < n; i++)
        if (i == 0 || strcmp(cells[i], cells[i - 1]) != 0)
            status = jsni_dataset_add_class(data, cells[i]);
    jsni_free(cells);
    return status;
}

/* Classes of all tables; *numbers tells whether labels are class numbers. */
static jsn_status add_classes(jsn_dataset *data, const table *tables, size_t count,
                              bool *numbers)
{
    *numbers = true;
    size_t most = 0;
    if (tables[0].soft_count > 0) {
        for (size_t k = 0; k < tables[0].soft_count; k++)
            JSNI_TRY(jsni_dataset_add_class(
                data, jsni_csv_column_name(tables[0].csv, tables[0].soft[k]) + 2));
        return JSN_OK;
    }
    for (size_t i = 0; i < count && *numbers; i++)
        *numbers = all_numbers(&tables[i], &most);
    return *numbers ? jsni_dataset_number_classes(data, most + 1)
                    : add_named_classes(data, tables, count);
}

static int32_t label_of(const jsn_dataset *data, const char *cell, bool number)
{
    if (number) {
        int64_t value = -1;
        (void)jsni_number_int(cell, strlen(cell), &value);
        return (int32_t)value;
    }
    const char *const *at = bsearch(&cell, data->classes, data->traits.classes,
                                    sizeof *data->classes, by_text);
    return at == NULL ? -1 : (int32_t)(at - (const char *const *)data->classes);
}

static jsn_status row_split(const table *t, size_t row, jsn_split *out)
{
    *out = t->split;
    if (t->split_column == NO_COLUMN)
        return JSN_OK;
    const char *cell = jsni_csv_cell(t->csv, row, t->split_column);
    if (strcmp(cell, "validation") == 0)
        cell = "val";
    for (int s = 0; s < JSN_SPLITS; s++)
        if (strcmp(cell, jsn_split_name((jsn_split)s)) == 0) {
            *out = (jsn_split)s;
            return JSN_OK;
        }
    return row_fail(t, row, "the split is none of train, val, test");
}

static jsn_status soft_row(const table *t, size_t row, float *soft)
{
    double sum = 0.0, value = 0.0;
    for (size_t k = 0; k < t->soft_count; k++) {
        JSNI_TRY(jsni_csv_real(t->csv, row, t->soft[k], &value));
        if (!(value >= 0.0) || value > 1e30)
            return row_fail(t, row,
                            "a weight in a column p_<class> is negative or huge");
        sum += value;
    }
    if (!(sum > 0.0))
        return row_fail(t, row, "the weights of the classes are all zero");
    /* Read again: as a float, before the division, a small weight would be 0. */
    for (size_t k = 0; k < t->soft_count; k++) {
        JSNI_TRY(jsni_csv_real(t->csv, row, t->soft[k], &value));
        soft[k] = (float)(value / sum);
    }
    return JSN_OK;
}

static jsn_status add_rows(jsn_dataset *data, const table *t, bool numbers, float *soft)
{
    for (size_t r = 0; r < jsni_csv_rows(t->csv); r++) {
        char name[PATH], plain[JSNI_DATASET_MAX_NAME];
        jsn_split split;
        const char *cell = jsni_csv_cell(t->csv, r, t->path_column);
        JSNI_TRY(row_split(t, r, &split));
        if (!jsni_dataset_wants(data, split))
            continue;
        if (cell[0] == '\0' || strlen(cell) >= JSNI_DATASET_MAX_NAME)
            return row_fail(t, r, "the path is empty or too long");
        if (cell[0] == '/' && !t->from_top)
            return row_fail(t, r,
                            "the path is absolute, which needs ',root=/' after the "
                            "name of the table");
        (void)snprintf(name, sizeof name, "%s%s", t->prefix,
                       cell + strspn(cell, t->from_top ? "/" : ""));
        JSNI_TRY(jsni_path_plain(t->path, name, plain));
        if (t->soft_count > 0) {
            JSNI_TRY(soft_row(t, r, soft));
            JSNI_TRY(jsni_dataset_add_soft(data, split, plain, soft));
        } else {
            const char *label = jsni_csv_cell(t->csv, r, t->label_column);
            JSNI_TRY(
                jsni_dataset_add(data, split, plain, label_of(data, label, numbers)));
        }
    }
    return JSN_OK;
}

/* The tables that a spec means: paths[split], or paths[0] alone. Owned texts. */
static jsn_status find_tables(const char *given, char *root, char paths[][PATH],
                              size_t *count)
{
    if (strlen(given) >= JSNI_DATASET_MAX_NAME)
        return jsni_fail(JSN_ERR_DATA, "%.60s...: the path is too long", given);
    bool there = false, any = false;
    *count = 1;
    JSNI_TRY(jsni_folder_find(NULL, given, &there));
    if (!there) {
        (void)snprintf(paths[0], PATH, "%s", given);
        const char *slash = strrchr(given, '/');
        const size_t length =
            slash == NULL || slash == given ? 1 : (size_t)(slash - given);
        (void)snprintf(root, JSNI_DATASET_MAX_NAME, "%.*s", (int)length,
                       slash == NULL ? "." : given);
        return JSN_OK;
    }
    (void)snprintf(root, JSNI_DATASET_MAX_NAME, "%s", given);
    (void)snprintf(paths[0], PATH, "%s/metadata.csv", given);
    JSNI_TRY(jsni_file_find(NULL, paths[0], &there));
    if (there)
        return JSN_OK;
    for (size_t s = 0; s < JSN_SPLITS; s++) {
        (void)snprintf(paths[s], PATH, "%s/%s/metadata.csv", given,
                       s == JSN_SPLIT_VAL ? "validation"
                                          : jsn_split_name((jsn_split)s));
        JSNI_TRY(jsni_file_find(NULL, paths[s], &there));
        any = any || there;
    }
    *count = JSN_SPLITS;
    return any ? JSN_OK
               : jsni_fail(JSN_ERR_DATA, "%s: holds no metadata.csv, nor one in train/",
                           given);
}

static jsn_status load_tables(jsn_dataset *data, table *tables, size_t count)
{
    bool numbers = false;
    JSNI_TRY(add_classes(data, tables, count, &numbers));
    for (size_t i = 1; i < count; i++)
        if (tables[i].soft_count != tables[0].soft_count)
            return jsni_fail(JSN_ERR_DATA, "%s: has other soft-label columns than %s",
                             tables[i].path, tables[0].path);
    float *soft = jsni_alloc(data->traits.classes, sizeof *soft);
    JSNI_TRY_ALLOC(soft);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = add_rows(data, &tables[i], numbers, soft);
    jsni_free(soft);
    return status;
}

/* A row of a table, as the sample that it became. */
typedef struct taken {
    const char *name;
    int32_t label;
    size_t number, line;
} taken;

static int by_sample(const void *left, const void *right)
{
    const taken *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* An image under two labels is a mistake in one of its rows. Only a hint is lost when
 * there is no memory for it. */
static void tell_twice(const jsn_dataset *data, const table *tables, size_t count,
                       const jsn_logger *logger)
{
    size_t rows = 0, n = 0, twice = 0, at = 0, seen[JSN_SPLITS] = {0};
    if (logger == NULL || logger->message == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        rows += jsni_csv_rows(tables[i].csv);
    taken *all = jsni_alloc(rows, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++)
        for (size_t r = 0; r < jsni_csv_rows(tables[i].csv); r++) {
            jsn_split split;
            if (row_split(&tables[i], r, &split) != JSN_OK ||
                !jsni_dataset_wants(data, split))
                continue;
            const size_t k = seen[split]++;
            all[n] = (taken){jsn_dataset_path(data, split, k),
                             jsn_dataset_label(data, split, k), n,
                             jsni_csv_line(tables[i].csv, r)};
            n++;
        }
    if (n > 0)
        qsort(all, n, sizeof *all, by_sample);
    for (size_t i = 1, counted = 0; i < n; i++) {
        if (strcmp(all[i - 1].name, all[i].name) != 0)
            counted = 0;
        else if (all[i - 1].label != all[i].label && counted++ == 0)
            at = twice++ == 0 ? i : at;
    }
    if (twice > 0)
        jsni_say(
            logger, JSN_LOG_WARNING,
            "%s: %zu %s more than one label, such as '%.100s': '%.60s' in line %zu, "
            "'%.60s' in line %zu",
            data->spec, twice, jsni_noun(twice, "image has", "images have"),
            all[at].name, data->classes[all[at - 1].label], all[at - 1].line,
            data->classes[all[at].label], all[at].line);
    jsni_free(all);
}

static jsn_status open_csv(jsn_dataset *data, const jsni_dataset_request *request)
{
    static const char *const prefixes[] = {"train/", "validation/", "test/"};
    char root[JSNI_DATASET_MAX_NAME], paths[JSN_SPLITS][PATH];
    char *given = NULL, *label = NULL, *other = NULL;
    table tables[JSN_SPLITS] = {{0}};
    size_t found = 0, count = 0;
    if (!request->values[FILE_PARAM].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': say where the table is: csv:FILE",
                         request->spec);
    jsn_status status = jsni_spec_text(&request->values[FILE_PARAM], &given);
    if (status == JSN_OK)
        status = jsni_spec_text(&request->values[LABEL_PARAM], &label);
    if (status == JSN_OK)
        status = jsni_spec_text(&request->values[ROOT_PARAM], &other);
    if (status == JSN_OK)
        status = find_tables(given, root, paths, &found);
    for (size_t i = 0; status == JSN_OK && i < found; i++) {
        bool there = true;
        if (found > 1)
            status = jsni_file_find(NULL, paths[i], &there);
        if (status != JSN_OK || !there)
            continue;
        table *t = &tables[count++];
        t->path = paths[i];
        t->prefix = found > 1 ? prefixes[i] : "";
        t->split = (jsn_split)i;
        t->from_top = other != NULL && strcmp(other, "/") == 0;
        status = jsni_csv_read(&t->csv, paths[i]);
        if (status == JSN_OK)
            status = find_columns(t, label);
    }
    if (status == JSN_OK)
        status = load_tables(data, tables, count);
    if (status == JSN_OK)
        tell_twice(data, tables, count, request->options.logger);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        if (data->splits[s].samples > 0)
            status =
                jsni_dataset_set_root(data, (jsn_split)s, other != NULL ? other : root);
    if (status == JSN_OK)
        status = jsni_dataset_probe_size(data);
    for (size_t i = 0; i < JSN_SPLITS; i++) {
        jsni_csv_destroy(tables[i].csv);
        jsni_free(tables[i].soft);
    }
    jsni_free(other);
    jsni_free(label);
    jsni_free(given);
    return status;
}

const jsni_dataset_def jsni_dataset_csv = {
    {"csv", "a table of paths with labels or soft labels; metadata.csv", params,
     sizeof params / sizeof params[0]},
    open_csv,
};
