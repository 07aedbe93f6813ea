/* noise/matrix_file.c - transition matrices from files: row c has the probabilities that a
 * sample of class c has each label. Three kinds: a CSV of numbers without a header, a .npy
 * array, and what an audit estimates. All of them are somebody else's: every number is looked
 * at here. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/number.h"
#include "core/words.h"
#include "format/compressed.h"
#include "jensen/array.h"
#include "jensen/noise.h"

enum { MAX_CLASSES = 4096 };

static jsn_status matrix_create(jsn_array *out, const char *path, size_t numbers)
{
    const size_t k = (size_t)(sqrt((double)numbers) + 0.5), shape[2] = {k, k};
    if (k < 2 || k > MAX_CLASSES || k * k != numbers)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu %s no square matrix of 2 to %d classes",
                         path, numbers, jsni_noun(numbers, "number is", "numbers are"),
                         MAX_CLASSES);
    return jsn_array_create(out, JSN_DTYPE_FLOAT64, 2, shape);
}

static jsn_status read_npy(const char *path, jsn_array *out)
{
    jsn_array raw;
    JSNI_TRY(jsn_array_read(&raw, path));
    const size_t k = raw.shape[0];
    jsn_status status =
        raw.rank != 2 || k != raw.shape[1] || k < 2 || k > MAX_CLASSES
            ? jsni_fail(JSN_ERR_DATA, "%s: not a square matrix of 2 to %d classes",
                        path, MAX_CLASSES)
            : jsn_array_convert(out, &raw, JSN_DTYPE_FLOAT64);
    jsn_array_release(&raw);
    return status;
}

/* The next number of a text, separated by commas, blanks and line ends. *at moves behind
 * it; it is at the end when there is none. *line is the line it stands in. */
static jsn_status next_number(const char *path, const char **at, size_t *line,
                              double *out, bool *found)
{
    for (; **at != '\0' && strchr(", \t\r\n", **at) != NULL; (*at)++)
        *line += **at == '\n';
    const size_t length = strcspn(*at, ", \t\r\n");
    *found = length > 0;
    if (*found && !jsni_number_real(*at, length, out))
        return jsni_fail(JSN_ERR_DATA, "%s:%zu: '%.*s' is not a number", path, *line,
                         length > 40 ? 40 : (int)length, *at);
    *at += length;
    return JSN_OK;
}

static jsn_status read_text(const char *path, const char *text, jsn_array *out)
{
    size_t count = 0, line = 1;
    bool found = true;
    double value = 0.0;
    for (const char *at = text; found; count += found)
        JSNI_TRY(next_number(path, &at, &line, &value, &found));
    JSNI_TRY(matrix_create(out, path, count));
    const size_t k = out->shape[0];
    double *rows = out->data;
    size_t row_line = 0;
    const char *at = text;
    line = 1;
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(next_number(path, &at, &line, &rows[i], &found));
        if (i % k == 0 ? line == row_line : line != row_line)
            if (i != 0)
                return jsni_fail(
                    JSN_ERR_DATA,
                    "%s:%zu: not %zu numbers per line, as a matrix of %zu numbers has",
                    path, row_line, k, count);
        row_line = line;
    }
    return JSN_OK;
}

static jsn_status read_csv(const char *path, jsn_array *out)
{
    char *text = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_file_read_any(path, &text, &length));
    const jsn_status status =
        strlen(text) == length
            ? read_text(path, text, out)
            : jsni_fail(JSN_ERR_DATA, "%s: holds a NUL byte, so it is not a CSV file",
                        path);
    jsni_free(text);
    return status;
}

/* "matrix" of an audit counts [given][estimated true class]; what a class is given are the
 * shares of its column. A class that none was found of keeps its label. */
static jsn_status take_counts(const char *path, const jsni_json *counts, jsn_array *out)
{
    const size_t k = jsni_json_count(counts);
    JSNI_TRY(matrix_create(out, path, k * k));
    double *rows = out->data;
    for (size_t given = 0; given < k; given++) {
        const jsni_json *row = jsni_json_at(counts, given);
        if (jsni_json_count(row) != k)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: row %zu of \"matrix\" has not %zu entries", path,
                             given, k);
        for (size_t c = 0; c < k; c++) {
            const jsni_json *entry = jsni_json_at(row, c);
            const double count = jsni_json_real(entry);
            if (jsni_json_kind_of(entry) != JSNI_JSON_NUMBER || !(count >= 0.0) ||
                !isfinite(count))
                return jsni_fail(
                    JSN_ERR_DATA,
                    "%s: entry %zu of row %zu of \"matrix\" is not a count", path, c,
                    given);
            rows[c * k + given] = count;
        }
    }
    for (size_t c = 0; c < k; c++) {
        double sum = 0.0;
        for (size_t j = 0; j < k; j++)
            sum += rows[c * k + j];
        for (size_t j = 0; j < k; j++)
            rows[c * k + j] = sum > 0.0 ? rows[c * k + j] / sum : j == c ? 1.0 : 0.0;
    }
    return JSN_OK;
}

static jsn_status read_audit(const char *path, jsn_array *out)
{
    jsni_json *root = NULL;
    JSNI_TRY(jsni_json_read(&root, path));
    const jsni_json *counts = jsni_json_get(root, "matrix");
    const jsn_status status =
        counts == NULL ? jsni_fail(JSN_ERR_DATA,
                                   "%s: has no \"matrix\", so it is not an audit", path)
                       : take_counts(path, counts, out);
    jsni_json_destroy(root);
    return status;
}

/* Probabilities that sum to 1 but for what rounding to a few decimals does. */
static jsn_status check_rows(const char *path, jsn_array *m)
{
    const size_t k = m->shape[0];
    for (size_t c = 0; c < k; c++) {
        double *row = (double *)m->data + c * k, sum = 0.0;
        for (size_t d = 0; d < k; d++) {
            if (!(row[d] >= 0.0 && row[d] <= 1.0))
                return jsni_fail(JSN_ERR_DATA,
                                 "%s: entry %g of row %zu is not a probability", path,
                                 row[d], c);
            sum += row[d];
        }
        if (!(fabs(sum - 1.0) < 1e-3))
            return jsni_fail(JSN_ERR_DATA, "%s: row %zu sums to %g, not to 1", path, c,
                             sum);
        for (size_t d = 0; d < k; d++)
            row[d] /= sum;
    }
    return JSN_OK;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), own = strlen(end);
    return length > own && strcmp(path + length - own, end) == 0;
}

jsn_status jsn_noise_read_matrix(jsn_array *out, const char *path)
{
    JSNI_NEED(out);
    JSNI_NEED(path);
    *out = (jsn_array){0};
    jsn_status status = ends_in(path, ".npy")    ? read_npy(path, out)
                        : ends_in(path, ".json") ? read_audit(path, out)
                                                 : read_csv(path, out);
    if (status == JSN_OK)
        status = check_rows(path, out);
    if (status != JSN_OK)
        jsn_array_release(out);
    return status;
}
