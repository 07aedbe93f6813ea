/* report/run_table.h - tables of results: one line a run, or one a group of seeds. */
#ifndef JSNI_REPORT_RUN_TABLE_H
#define JSNI_REPORT_RUN_TABLE_H

#include "report/run_set.h"
#include "report/table.h"

#define JSNI_NOTE_UNFINISHED                                                      \
    "Unfinished runs stand with their last epoch so far, which is not yet their " \
    "result."
#define JSNI_NOTE_MIXED                                                               \
    "Bold is the best of those with the same test images and label noise; others do " \
    "not compare."

/* One line a run, by number of the set. */
void jsni_run_table_each(jsni_table *table, const jsni_run_set *set);

/* One line a group: mean and deviation over its runs, without those that are unfinished
 * where others are not. The best of several groups that had
 * the same problem to solve (test images, noise that was made) is set in bold, whatever
 * labels somebody has put right in between. Where some runs are
 * unfinished, a column says so, and their group is not set in bold. */
void jsni_run_table_groups(jsni_table *table, const jsni_run_set *set);

/* Whether the groups had different problems. */
bool jsni_run_table_mixed(const jsni_run_set *set);

#endif /* JSNI_REPORT_RUN_TABLE_H */
