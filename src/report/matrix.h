/* report/matrix.h - a square matrix of shares as shaded cells: confusion and transition
 * matrices. */
#ifndef JSNI_REPORT_MATRIX_H
#define JSNI_REPORT_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

typedef struct jsni_matrix {
    const char *title;        /* may be NULL */
    const char *row_label;    /* what a row is ("true class"), may be NULL */
    const char *column_label; /* what a column is ("predicted"), may be NULL */
    const char *const *names; /* [size], or NULL: numbers from 0 */
    const double *values;     /* [size][size], each in [0, 1]; NaN: left blank */
    size_t size;
} jsni_matrix;

/* A whole figure. Up to 25 classes the cells show their value in percent; with more, only
 * the shades, and every n-th name. */
void jsni_matrix_figure(jsni_text *out, const jsni_matrix *matrix,
                        const char *description, bool plain);

#endif /* JSNI_REPORT_MATRIX_H */
