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

/* One line of a comparison. */
typedef struct jsni_contender {
    const double *values; /* [count], borrowed: one a run */
    size_t count;
    bool unfinished; /* neither the best nor a rival */
} jsni_contender;

/* Whether the larger number of lines g and h is the better one. */
typedef bool jsni_rivals(const void *user, size_t g, size_t h);

/* *out: line `own` is the best of its rivals, of which there is one at least, or not told
 * from it by the test. */
JSN_MUST_CHECK jsn_status jsni_find_best(const jsni_contender *lines, size_t count,
                                         size_t own, jsni_rivals *rivals,
                                         const void *user, bool *out);

#endif /* JSNI_REPORT_BEST_H */
