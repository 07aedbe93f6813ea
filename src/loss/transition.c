/* loss/transition.c - see transition.h. */
#include "loss/transition.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"

/* In float no smaller probability but 0: the sum of them must not vanish. */
static const double LEAST_F = 1e-30;

/* Of a pivot beside the largest entry, which is at most 1: below it digits are lost. */
static const double LEAST_PIVOT = 1e-6;

jsn_status jsni_correction_prepare(const char *spec, const jsni_spec_value *values,
                                   size_t with_matrix, jsni_loss_setup *setup)
{
    const jsni_spec_value *matrix = &values[JSNI_CORRECTION_MATRIX];
    if (!matrix->given)
        return JSN_OK;
    if (values[JSNI_CORRECTION_RATE].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': give rate or matrix, not both", spec);
    setup->row = with_matrix;
    setup->matrix = matrix->text;
    setup->matrix_length = matrix->length;
    return JSN_OK;
}

jsn_status jsni_loss_find_matrix(jsn_loss *loss)
{
    for (size_t i = 0; i < loss->term_count; i++) {
        const jsni_loss_setup *setup = &loss->terms[i].setup;
        if (setup->matrix == NULL)
            continue;
        if (loss->matrix != NULL || loss->method)
            return jsni_fail(
                JSN_ERR_ARGUMENT,
                "loss: %s: one loss with a matrix, and no method beside it",
                loss->info.name);
        jsni_text path = {0};
        jsni_text_format(&path, "%.*s", (int)setup->matrix_length, setup->matrix);
        JSNI_TRY(jsni_text_take(&path, &loss->matrix));
    }
    return JSN_OK;
}

const char *jsn_loss_matrix_path(const jsn_loss *loss)
{
    return loss == NULL ? NULL : loss->matrix;
}

static jsn_status check(const double *t, size_t k)
{
    for (size_t j = 0; j < k; j++) {
        double row = 0.0, column = 0.0;
        for (size_t i = 0; i < k; i++) {
            if (!(t[j * k + i] >= 0.0))
                return jsni_fail(JSN_ERR_RANGE,
                                 "matrix: entry %g of row %zu is not a probability",
                                 t[j * k + i], j);
            row += t[j * k + i];
            column += t[i * k + j];
        }
        if (!(fabs(row - 1.0) < 1e-3))
            return jsni_fail(JSN_ERR_RANGE, "matrix: row %zu sums to %g, not to 1", j,
                             row);
        if (!(column > 0.0))
            return jsni_fail(JSN_ERR_RANGE,
                             "matrix: no class has the label %zu; a sample with it "
                             "would have an infinite loss",
                             j);
    }
    return JSN_OK;
}

/* The matrix with a row a label. */
static void transpose(const double *t, size_t k, double *out)
{
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++)
            out[j * k + i] = t[i * k + j];
}

/* Exchanges rows a and b. */
static void swap_rows(double *m, size_t k, size_t a, size_t b)
{
    for (size_t j = 0; a != b && j < k; j++) {
        const double kept = m[a * k + j];
        m[a * k + j] = m[b * k + j];
        m[b * k + j] = kept;
    }
}

/* The inverse of `a`, which is used up, by Gauss and Jordan with pivots of rows. */
static jsn_status invert(double *a, size_t k, double *out)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            out[i * k + j] = i == j ? 1.0 : 0.0;
    for (size_t c = 0; c < k; c++) {
        size_t pivot = c;
        for (size_t i = c + 1; i < k; i++)
            if (fabs(a[i * k + c]) > fabs(a[pivot * k + c]))
                pivot = i;
        if (!(fabs(a[pivot * k + c]) > LEAST_PIVOT))
            return jsni_fail(JSN_ERR_RANGE,
                             "matrix: has no inverse, or next to none: classes share "
                             "their labels. The forward correction needs none");
        swap_rows(a, k, c, pivot);
        swap_rows(out, k, c, pivot);
        const double scale = 1.0 / a[c * k + c];
        for (size_t j = 0; j < k; j++) {
            a[c * k + j] *= scale;
            out[c * k + j] *= scale;
        }
        for (size_t i = 0; i < k; i++) {
            const double factor = i == c ? 0.0 : a[i * k + c];
            for (size_t j = 0; factor != 0.0 && j < k; j++) {
                a[i * k + j] -= factor * a[c * k + j];
                out[i * k + j] -= factor * out[c * k + j];
            }
        }
    }
    return JSN_OK;
}

static bool is_backward(const jsn_loss *loss)
{
    bool found = false;
    for (size_t i = 0; i < loss->term_count; i++)
        found = found || loss->terms[i].index == JSNI_LOSS_AT_backward_matrix;
    return found;
}

jsn_status jsn_loss_set_matrix(jsn_loss *loss, const double *matrix)
{
    JSNI_NEED(loss);
    JSNI_NEED(matrix);
    if (loss->matrix == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "loss: %s has no matrix", loss->info.name);
    const size_t k = loss->classes, count = k * k;
    JSNI_TRY(check(matrix, k));
    double *table = jsni_alloc(count, sizeof *table);
    float *table_f = jsni_alloc(count, sizeof *table_f);
    double *copy = jsni_alloc(count, sizeof *copy);
    if (loss->kept == NULL)
        loss->kept = jsni_alloc_zero(1, sizeof *loss->kept);
    jsn_status status =
        table == NULL || table_f == NULL || copy == NULL || loss->kept == NULL
            ? JSN_ERR_MEMORY
            : JSN_OK;
    if (status == JSN_OK && is_backward(loss)) {
        memcpy(copy, matrix, count * sizeof *copy);
        status = invert(copy, k, table);
    } else if (status == JSN_OK) {
        transpose(matrix, k, table);
    }
    jsni_free(copy);
    if (status != JSN_OK) {
        jsni_free(table);
        jsni_free(table_f);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        table_f[i] = (float)(table[i] > 0.0 && table[i] < LEAST_F ? LEAST_F : table[i]);
    jsni_loss_forget(loss);
    jsni_free(loss->table);
    jsni_free(loss->table_f);
    loss->table = table;
    loss->table_f = table_f;
    return JSN_OK;
}
