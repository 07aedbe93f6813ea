/* noise/noise_matrix.c - any class-dependent noise: row c of a matrix has the
 * probabilities that a sample of class c gets each label. Every sample draws for itself.
 * The file is a CSV of numbers without a header, or a .npy array, [classes][classes].
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/number.h"
#include "core/words.h"
#include "format/compressed.h"
#include "jensen/array.h"
#include "noise/noise_impl.h"

enum { PATH, PARAMS, MAX_CLASSES = 4096 };

static const jsn_param_info params[PARAMS] = {
    {"path", "CSV or .npy file with the matrix", 0, 0, 0, JSN_PARAM_POSITIONAL},
};

typedef struct matrix {
    size_t classes;
    double row[]; /* [classes][classes] */
} matrix;

static jsn_status matrix_create(matrix **out, const char *path, size_t numbers)
{
    const size_t k = (size_t)(sqrt((double)numbers) + 0.5);
    if (k < 2 || k > MAX_CLASSES || k * k != numbers)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu %s no square matrix of 2 to %d classes",
                         path, numbers, jsni_noun(numbers, "number is", "numbers are"),
                         MAX_CLASSES);
    JSNI_TRY_ALLOC(*out = jsni_alloc(1, sizeof **out + numbers * sizeof(double)));
    (*out)->classes = k;
    return JSN_OK;
}

static jsn_status read_npy(const char *path, matrix **out)
{
    jsn_array raw, real;
    JSNI_TRY(jsn_array_read(&raw, path));
    jsn_status status = jsn_array_convert(&real, &raw, JSN_DTYPE_FLOAT64);
    if (status == JSN_OK) {
        const size_t count = jsn_array_count(&real);
        if (real.rank != 2 || real.shape[0] != real.shape[1])
            status = jsni_fail(JSN_ERR_DATA, "%s: not a square matrix", path);
        else
            status = matrix_create(out, path, count);
        if (status == JSN_OK && *out != NULL)
            memcpy((*out)->row, real.data, count * sizeof(double));
        jsn_array_release(&real);
    }
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

static jsn_status read_text(const char *path, const char *text, matrix **out)
{
    size_t count = 0, line = 1;
    bool found = true;
    double value = 0.0;
    for (const char *at = text; found; count += found)
        JSNI_TRY(next_number(path, &at, &line, &value, &found));
    JSNI_TRY(matrix_create(out, path, count));
    const size_t k = (*out)->classes;
    size_t row_line = 0;
    const char *at = text;
    line = 1;
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(next_number(path, &at, &line, &(*out)->row[i], &found));
        if (i % k == 0 ? line == row_line : line != row_line)
            if (i != 0)
                return jsni_fail(JSN_ERR_DATA,
                                 "%s:%zu: not %zu numbers a line, as a matrix of %zu "
                                 "numbers has",
                                 path, row_line, k, count);
        row_line = line;
    }
    return JSN_OK;
}

static jsn_status read_csv(const char *path, matrix **out)
{
    char *text = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_file_read_any(path, &text, &length));
    const jsn_status status =
        strlen(text) == length
            ? read_text(path, text, out)
            : jsni_fail(JSN_ERR_DATA, "%s: holds a NUL byte, is no CSV", path);
    jsni_free(text);
    return status;
}

/* Probabilities that sum to 1 but for what rounding to a few decimals does. */
static jsn_status check_rows(const char *path, matrix *m)
{
    for (size_t c = 0; c < m->classes; c++) {
        double *row = m->row + c * m->classes, sum = 0.0;
        for (size_t d = 0; d < m->classes; d++) {
            if (!(row[d] >= 0.0 && row[d] <= 1.0))
                return jsni_fail(JSN_ERR_DATA,
                                 "%s: entry %g of row %zu is no probability", path,
                                 row[d], c);
            sum += row[d];
        }
        if (!(fabs(sum - 1.0) < 1e-3))
            return jsni_fail(JSN_ERR_DATA, "%s: row %zu sums to %g, not to 1", path, c,
                             sum);
        for (size_t d = 0; d < m->classes; d++)
            row[d] /= sum;
    }
    return JSN_OK;
}

static jsn_status prepare(jsn_noise *noise)
{
    const char *path = noise->text[PATH];
    if (path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "noise 'matrix': needs a file, matrix:PATH");
    const size_t length = strlen(path);
    matrix *m = NULL;
    jsn_status status = length > 4 && strcmp(path + length - 4, ".npy") == 0
                            ? read_npy(path, &m)
                            : read_csv(path, &m);
    if (status == JSN_OK && m != NULL)
        status = check_rows(path, m);
    noise->state = m;
    return status;
}

static void release(jsn_noise *noise)
{
    jsni_free(noise->state);
}

static int32_t draw(const double *row, size_t classes, double u)
{
    double sum = 0.0;
    size_t last = 0;
    for (size_t d = 0; d < classes; d++) {
        if (row[d] == 0.0)
            continue;
        last = d;
        sum += row[d];
        if (u < sum)
            break;
    }
    return (int32_t)last;
}

static jsn_status run(const jsn_noise *noise, const jsn_noise_input *in,
                      jsn_noise_result *out)
{
    const matrix *m = noise->state;
    if (m->classes != in->classes)
        return jsni_fail(JSN_ERR_DATA, "%s: a matrix of %zu classes, the data has %zu",
                         noise->text[PATH], m->classes, in->classes);
    double expected = 0.0;
    for (size_t i = 0; i < in->samples; i++) {
        const size_t given = (size_t)in->labels[i];
        jsni_rng rng = jsni_noise_stream(in, (uint32_t)i, JSNI_NOISE_EACH);
        out->labels[i] =
            draw(m->row + given * m->classes, m->classes, jsni_rng_uniform(&rng));
        expected += 1.0 - m->row[given * m->classes + given];
    }
    out->drawn = in->samples;
    out->nominal_rate = expected / (double)in->samples;
    return JSN_OK;
}

const jsni_noise_def jsni_noise_matrix = {
    .info = {"matrix", "labels drawn by a transition matrix from a file", params,
             PARAMS},
    .prepare = prepare,
    .release = release,
    .run = run,
};
