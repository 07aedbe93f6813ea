/* report/run_table.h - tables of results: one line a run, or one a group of seeds. */
#ifndef JSNI_REPORT_RUN_TABLE_H
#define JSNI_REPORT_RUN_TABLE_H

#include "report/run_set.h"
#include "report/table.h"

/* One line a run, by number of the set. */
void jsni_run_table_each(jsni_table *table, const jsni_run_set *set);

/* One line a group: mean and deviation over its runs. */
void jsni_run_table_groups(jsni_table *table, const jsni_run_set *set);

#endif /* JSNI_REPORT_RUN_TABLE_H */
