/* report/run_curves.h - what runs measured epoch by epoch, as charts. */
#ifndef JSNI_REPORT_RUN_CURVES_H
#define JSNI_REPORT_RUN_CURVES_H

#include "core/text.h"
#include "report/run_set.h"

/* The charts of one run. Does nothing when no epoch is done. */
void jsni_run_curves(jsni_text *page, const jsni_run_record *run);

/* The charts of runs, or of one, as a figure by itself (SVG). */
void jsni_run_curves_figure(jsni_text *out, const jsni_run_set *set);

/* Several runs: one chart a quantity, one line a run, one colour a group. `labels` and
 * `group` are [count]. */
void jsni_run_curves_compare(jsni_text *page, const jsni_run_record *runs,
                             char *const *labels, const size_t *group, size_t count);

#endif /* JSNI_REPORT_RUN_CURVES_H */
