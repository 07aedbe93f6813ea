/* report/pivot.h - one setting of the runs against another, a group of seeds a cell: rows
 * are losses, say, and columns noises. */
#ifndef JSNI_REPORT_PIVOT_H
#define JSNI_REPORT_PIVOT_H

#include "core/text.h"
#include "report/run_set.h"

/* Appends the table that `pivot` asks for, "ROW:COLUMN" with two settings, in `format`.
 * `remark` is added to its note, or NULL.
 *   JSN_ERR_ARGUMENT      not two settings, or no run has a test accuracy
 *   JSN_ERR_UNKNOWN_NAME  no run has such a setting; no such format */
JSN_MUST_CHECK jsn_status jsni_pivot_write(const jsni_run_set *set, const char *pivot,
                                           const char *format, const char *remark,
                                           jsni_text *out);

#endif /* JSNI_REPORT_PIVOT_H */
