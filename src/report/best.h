/* report/best.h - which numbers of a table are bold: the best, and those that the paper's
 * test, a two-sided t-test at 0.05, does not tell from it. */
#ifndef JSNI_REPORT_BEST_H
#define JSNI_REPORT_BEST_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

/* Whether the runs `own` are as good as those with the best mean. With one run on either
 * side no test is possible: only an equal mean is. JSN_ERR_ARGUMENT for no run. */
JSN_MUST_CHECK jsn_status jsni_is_best(bool *out, const double *own, size_t own_count,
                                       const double *best, size_t best_count);

#endif /* JSNI_REPORT_BEST_H */
