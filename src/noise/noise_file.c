/* noise/noise_file.c - labels from a file: a CSV whose rows are matched by their path
 * (our own labels.csv, CIFAR-N, PLC), or a .npy array of labels in the data set's
 * order. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "core/words.h"
#include "format/csv.h"
#include "jensen/array.h"
#include "noise/label_file.h"
#include "noise/noise_impl.h"

enum { PATH, COLUMN, MISSING, BY, PARAMS };

static const jsn_param_info params[PARAMS] = {
    {"path", "CSV (also .xz, .gz) or .npy file", 0, 0, 0, JSN_PARAM_POSITIONAL},
    {"column", "of the CSV; default noisy, else label, else the only one", 0, 0, 0,
     JSN_PARAM_TEXT},
    {"missing", "val: samples without a row are kept, clean, for validation", 0, 0, 0,
     JSN_PARAM_TEXT},
    {"by", "number or name: what labels are when classes are named by numbers", 0, 0, 0,
     JSN_PARAM_TEXT},
};

typedef struct label_file {
    jsni_csv *csv;           /* owned; NULL for .npy */
    jsn_array npy;           /* owned: int64 [rows]; zeroed for CSV */
    jsni_label_rows by_path; /* owned; without rows: they are in the data's order */
    bool has_paths;
    size_t rows;
    size_t column;
    jsni_label_kind by;
} label_file;

/* The column of the labels: as asked, or by the names that label files use. */
static jsn_status find_column(const jsni_csv *csv, const char *path, const char *asked,
                              size_t *out)
{
    if (asked != NULL)
        return jsni_csv_find(csv, asked, out);
    if (jsni_csv_has(csv, "noisy", out) || jsni_csv_has(csv, "label", out))
        return JSN_OK;
    char names[300];
    jsni_text list = jsni_text_in(names, sizeof names);
    size_t others = 0;
    for (size_t c = 0; c < jsni_csv_columns(csv); c++)
        if (strcmp(jsni_csv_column_name(csv, c), "path") != 0) {
            jsni_text_item(&list, jsni_csv_column_name(csv, c));
            *out = c;
            others++;
        }
    return others == 1
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA,
                           "%s: %zu columns could be the labels; choose one with "
                           "column=NAME (there are: %s)",
                           path, others, names);
}

static jsn_status index_paths(label_file *file, const char *path)
{
    size_t column = 0;
    if (!jsni_csv_has(file->csv, "path", &column))
        return JSN_OK;
    file->has_paths = true;
    JSNI_TRY(jsni_label_rows_make(&file->by_path, file->csv, column));
    for (size_t i = 1; i < file->rows; i++)
        if (strcmp(file->by_path.row[i - 1].path, file->by_path.row[i].path) == 0)
            return jsni_fail(JSN_ERR_DATA, "%s: path '%s' is listed twice", path,
                             file->by_path.row[i].path);
    return JSN_OK;
}

static jsn_status open_npy(label_file *file, const char *path)
{
    jsn_array raw;
    JSNI_TRY(jsn_array_read(&raw, path));
    jsn_status status = jsn_array_convert(&file->npy, &raw, JSN_DTYPE_INT64);
    if (status == JSN_OK && raw.rank != 1)
        status = jsni_fail(JSN_ERR_DATA, "%s: %zu dimensions, labels have one", path,
                           raw.rank);
    else if (status == JSN_ERR_RANGE)
        status = jsni_fail(JSN_ERR_DATA, "%s: holds numbers that are not labels", path);
    file->rows = raw.shape[0];
    jsn_array_release(&raw);
    return status;
}

static jsn_status prepare(jsn_noise *noise)
{
    const char *path = noise->text[PATH], *missing = noise->text[MISSING];
    const char *by = noise->text[BY];
    if (path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise 'file': needs a file, file:PATH");
    if (missing != NULL && strcmp(missing, "val") != 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise 'file': missing=%s is not val",
                         missing);
    if (by != NULL && strcmp(by, "number") != 0 && strcmp(by, "name") != 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "noise 'file': by=%s is neither number nor name", by);
    label_file *file = jsni_alloc_zero(1, sizeof *file);
    JSNI_TRY_ALLOC(file);
    noise->state = file;
    file->by = by == NULL                ? JSNI_LABEL_EITHER
               : strcmp(by, "name") == 0 ? JSNI_LABEL_NAME
                                         : JSNI_LABEL_NUMBER;
    bool there = false;
    JSNI_TRY(jsni_file_find(NULL, path, &there));
    if (!there)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: no such file of labels; --noise file:PATH names it",
                         path);
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0)
        return open_npy(file, path);
    JSNI_TRY(jsni_csv_read(&file->csv, path));
    file->rows = jsni_csv_rows(file->csv);
    JSNI_TRY(find_column(file->csv, path, noise->text[COLUMN], &file->column));
    size_t given = 0, noisy = 0;
    if (by == NULL && jsni_csv_has(file->csv, "given", &given) &&
        jsni_csv_has(file->csv, "noisy", &noisy) && file->column == noisy)
        file->by = JSNI_LABEL_NUMBER; /* a file that jsn_noise_write_csv() wrote */
    return index_paths(file, path);
}

static void release(jsn_noise *noise)
{
    label_file *file = noise->state;
    if (file == NULL)
        return;
    jsni_csv_destroy(file->csv);
    jsn_array_release(&file->npy);
    jsni_label_rows_release(&file->by_path);
    jsni_free(file);
}

static jsn_status read_label(const label_file *file, size_t number, const char *path,
                             const jsn_noise_input *in, jsni_label_kind by,
                             int32_t *out)
{
    if (file->csv != NULL)
        return jsni_label_read(file->csv, path, number, file->column,
                               (jsni_label_classes){in->class_names, in->classes}, by,
                               out);
    const int64_t value = ((const int64_t *)file->npy.data)[number];
    if (value < 0 || (uint64_t)value >= in->classes)
        return jsni_fail(JSN_ERR_DATA, "%s: label %lld of row %zu, %zu classes", path,
                         (long long)value, number, in->classes);
    *out = (int32_t)value;
    return JSN_OK;
}

static jsn_status report_missing(const jsn_noise *noise, const jsn_noise_input *in,
                                 const jsn_noise_result *out, size_t missing)
{
    size_t first = 0;
    while (out->listed[first])
        first++;
    return jsni_fail(
        JSN_ERR_DATA, "%s: %zu of %zu samples %s no row, the first is '%s'%s",
        noise->text[PATH], missing, in->samples, jsni_noun(missing, "has", "have"),
        in->paths != NULL ? in->paths[first] : "past the end",
        noise->text[MISSING] == NULL ? "; missing=val keeps them for validation" : "");
}

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    const label_file *file = noise->state;
    if (file->has_paths && in->paths == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "noise 'file': rows are matched by path, and the samples have "
                         "none");
    const size_t total = in->numbers != NULL ? in->total : in->samples;
    if (!file->has_paths && file->rows > total)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu %s, the data has %zu %s",
                         noise->text[PATH], file->rows,
                         jsni_noun(file->rows, "row", "rows"), total,
                         jsni_noun(total, "sample", "samples"));
    const jsni_label_classes classes = {in->class_names, in->classes};
    const jsni_label_kind by =
        file->by == JSNI_LABEL_EITHER && !jsni_label_names_mislead(classes)
            ? JSNI_LABEL_NUMBER
            : file->by;
    size_t missing = 0;
    for (size_t i = 0; i < in->samples; i++) {
        const jsni_label_row *found =
            file->has_paths ? jsni_label_rows_find(&file->by_path, in->paths[i]) : NULL;
        const size_t number = in->numbers != NULL ? in->numbers[i] : i;
        if (file->has_paths ? found == NULL : number >= file->rows) {
            out->listed[i] = 0;
            missing++;
            continue;
        }
        JSNI_TRY(read_label(file, found != NULL ? found->number : number,
                            noise->text[PATH], in, by, &out->labels[i]));
    }
    if (missing > 0 && (noise->text[MISSING] == NULL || missing == in->samples))
        return report_missing(noise, in, out, missing);
    out->drawn = in->samples - missing;
    return JSN_OK;
}

const jsni_noise_def jsni_noise_file = {
    .info = {"file", "labels from a file (ours, CIFAR-N, PLC)", params, PARAMS},
    .prepare = prepare,
    .release = release,
    .run = run,
};
