/* format/csv.h - comma-separated tables with a header row (RFC 4180), in and out. */
#ifndef JSNI_FORMAT_CSV_H
#define JSNI_FORMAT_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "core/text.h"
#include "jensen/status.h"

enum { JSNI_CSV_MAX_COLUMNS = 4096 };

typedef struct jsni_csv jsni_csv;

/* Reads a table; `path` may be compressed (.xz, .gz) where the build can do that.
 * Quoted cells, LF or CRLF, a UTF-8 byte-order mark and blank lines at the end are
 * accepted; refused, with "file:line:": rows with another number of cells than the
 * header, two columns of one name, a quote inside a bare cell, text behind a closing
 * quote, a NUL byte, more than the limits `file` and `rows`.
 *   JSN_ERR_DATA, JSN_ERR_MEMORY, JSN_ERR_UNSUPPORTED (compressed) */
JSN_MUST_CHECK jsn_status jsni_csv_read(jsni_csv **out, const char *path);
/* The same of a file, not compressed, that is named as in core/file.h. */
JSN_MUST_CHECK jsn_status jsni_csv_read_in(jsni_csv **out, const char *folder,
                                           const char *name);
/* The same from bytes; `separator` is ',' or '\t'. */
JSN_MUST_CHECK jsn_status jsni_csv_parse(jsni_csv **out, const char *name,
                                         const char *data, size_t length,
                                         char separator);
void jsni_csv_destroy(jsni_csv *csv); /* accepts NULL */

size_t jsni_csv_rows(const jsni_csv *csv); /* without the header */
size_t jsni_csv_columns(const jsni_csv *csv);
const char *jsni_csv_column_name(const jsni_csv *csv, size_t column);
/* The column of that name; false when there is none. */
bool jsni_csv_has(const jsni_csv *csv, const char *name, size_t *column);
/* The same; JSN_ERR_DATA with the names there are when there is none. */
JSN_MUST_CHECK jsn_status jsni_csv_find(const jsni_csv *csv, const char *name,
                                        size_t *column);

/* Valid until destroy; row < rows, column < columns. */
const char *jsni_csv_cell(const jsni_csv *csv, size_t row, size_t column);
size_t jsni_csv_line(const jsni_csv *csv, size_t row); /* where the row starts */
JSN_MUST_CHECK jsn_status jsni_csv_int(const jsni_csv *csv, size_t row, size_t column,
                                       int64_t *out);
JSN_MUST_CHECK jsn_status jsni_csv_real(const jsni_csv *csv, size_t row, size_t column,
                                        double *out);

/* Writing: cells are quoted when they need it, rows end with LF. Failures of memory
 * stick in `text`. */
typedef struct jsni_csv_writer {
    jsni_text text;
    size_t cells;  /* in the row so far */
} jsni_csv_writer; /* zero-initialise */

void jsni_csv_add(jsni_csv_writer *writer, const char *cell);
void jsni_csv_add_int(jsni_csv_writer *writer, int64_t value);
void jsni_csv_add_real(jsni_csv_writer *writer, double value); /* "nan" when it is */
void jsni_csv_end_row(jsni_csv_writer *writer);

#endif /* JSNI_FORMAT_CSV_H */
