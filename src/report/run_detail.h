/* report/run_detail.h - what a run's last evaluation says: confusion, accuracy of each
 * class, calibration. */
#ifndef JSNI_REPORT_RUN_DETAIL_H
#define JSNI_REPORT_RUN_DETAIL_H

#include "core/text.h"
#include "store/run_record.h"

/* Sections are left out when their data is missing. */
void jsni_run_detail_evaluation(jsni_text *page, const jsni_run_record *run);

#endif /* JSNI_REPORT_RUN_DETAIL_H */
