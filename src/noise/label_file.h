/* noise/label_file.h - files of labels: the rows of a CSV by the path that they name, and
 * what a cell says of a class. */
#ifndef JSNI_NOISE_LABEL_FILE_H
#define JSNI_NOISE_LABEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/csv.h"
#include "jensen/status.h"

typedef struct jsni_label_row {
    const char *path; /* borrowed from the table */
    size_t number;
} jsni_label_row;

/* All rows, sorted by path and those of one path by number. */
typedef struct jsni_label_rows {
    jsni_label_row *row; /* [count], owned */
    size_t count;
} jsni_label_rows;

JSN_MUST_CHECK jsn_status jsni_label_rows_make(jsni_label_rows *rows,
                                               const jsni_csv *csv, size_t path_column);
void jsni_label_rows_release(jsni_label_rows *rows); /* a zeroed one is fine */

/* The first row of a sample, or NULL. The folder of the split may stand in front of the
 * path in the file alone, when the data set is that folder itself. */
const jsni_label_row *jsni_label_rows_find(const jsni_label_rows *rows,
                                           const char *path);

/* What a label that reads as a number stands for. */
typedef enum jsni_label_kind {
    JSNI_LABEL_NUMBER, /* the class of that number; other texts are names */
    JSNI_LABEL_NAME,
    JSNI_LABEL_EITHER /* a number, but one that is also another class's name is refused */
} jsni_label_kind;

/* The classes that labels are of. */
typedef struct jsni_label_classes {
    const char *const *names; /* [count], or NULL: they have none */
    size_t count;
} jsni_label_classes;

/* Whether a class is named by a number that is not its own, as folders 0 to 11 are,
 * sorted by their letters. */
bool jsni_label_names_mislead(jsni_label_classes classes);

/* A cell as the number of a class. `file` is for the sentence.
 *   JSN_ERR_DATA  with file and line */
JSN_MUST_CHECK jsn_status jsni_label_read(const jsni_csv *csv, const char *file,
                                          size_t row, size_t column,
                                          jsni_label_classes classes,
                                          jsni_label_kind kind, int32_t *out);

#endif /* JSNI_NOISE_LABEL_FILE_H */
