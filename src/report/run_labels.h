/* report/run_labels.h - what a run says of labels: those that the network contradicts,
 * what that is worth, and what wrong labels make of an accuracy. */
#ifndef JSNI_REPORT_RUN_LABELS_H
#define JSNI_REPORT_RUN_LABELS_H

#include "core/text.h"
#include "store/run_record.h"

/* Where validation labels may be as wrong as the training labels: what that means for the
 * accuracy. Nothing otherwise. */
void jsni_run_labels_validation(jsni_text *page, const jsni_run_record *run);

/* The contradicted labels as pictures that lead to the images. `path` is the page's file,
 * or NULL: no links. Left out when there are none. */
void jsni_run_labels_doubtful(jsni_text *page, const jsni_run_record *run,
                              const char *path);

#endif /* JSNI_REPORT_RUN_LABELS_H */
