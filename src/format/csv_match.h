/* format/csv_match.h - which row of a table belongs to which name.
 *
 *     size_t *rows = jsni_alloc(count, sizeof *rows);
 *     if (jsni_csv_match(csv, path_column, paths, count, rows) == JSN_OK && rows[0] != JSNI_NO_ROW)
 *         ... jsni_csv_cell(csv, rows[0], other_column) ...
 */
#ifndef JSNI_FORMAT_CSV_MATCH_H
#define JSNI_FORMAT_CSV_MATCH_H

#include "format/csv.h"

#define JSNI_NO_ROW SIZE_MAX

/* The row whose cell in `column` is names[i], into rows[i]. A name that comes again takes the
 * next of its rows, and the last one when there are no more.
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_csv_match(const jsni_csv *csv, size_t column,
                                         const char *const *names, size_t count,
                                         size_t *rows);

#endif /* JSNI_FORMAT_CSV_MATCH_H */
