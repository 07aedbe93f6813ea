/* train/run_history.h - what a run knows of the epochs behind it. */
#ifndef JSNI_TRAIN_RUN_HISTORY_H
#define JSNI_TRAIN_RUN_HISTORY_H

#include "jensen/event.h"
#include "train/evaluate.h"

typedef struct jsni_run_history {
    jsn_epoch *past; /* [past_count], owned: the epochs of earlier calls */
    size_t past_count;
    jsn_epoch last; /* of the latest epoch */
    /* Of the training images after the last epoch, for jsni_run_finish(); empty when
     * that epoch was not in this call or they are not measured. */
    jsni_predictions seen;
    jsni_consistency consistency;
} jsni_run_history; /* zero-initialise */

void jsni_run_history_release(jsni_run_history *history);

/* The rows in the folder of the `done` epochs that the checkpoint knows of, of `epochs`; later
 * ones are made again.
 *   JSN_ERR_DATA  there are less of them */
JSN_MUST_CHECK jsn_status jsni_run_history_read(jsni_run_history *history,
                                                const char *folder, size_t done,
                                                int64_t epochs);

/* Takes over the predictions of the last epoch, for the end of the run; releases those of
 * another one. */
void jsni_run_history_keep(jsni_run_history *history, jsni_predictions *seen,
                           bool last);

#endif /* JSNI_TRAIN_RUN_HISTORY_H */
