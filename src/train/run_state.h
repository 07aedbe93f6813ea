/* train/run_state.h - where a run stands: what its checkpoints keep besides the model's blocks
 * and the rows on disk. Plain values: it needs no run, no model and no disk. */
#ifndef JSNI_TRAIN_RUN_STATE_H
#define JSNI_TRAIN_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"
#include "train/metrics.h"

typedef struct jsni_run_state {
    int64_t epoch;      /* epochs done */
    size_t batch;       /* batches of the epoch under way that are done */
    uint64_t step;      /* optimiser steps done */
    jsni_counts counts; /* of the epoch under way */
    double seconds;     /* of training and evaluation, all calls together */
    double best_val;    /* NaN: none yet */
    int64_t best_epoch; /* that it is of, from 1; 0: none yet */
    double best_test;   /* NaN: none yet */
} jsni_run_state;

/* Of a run that has not begun. */
jsni_run_state jsni_run_state_begin(void);

/* Notes the accuracies of the epoch whose steps are done, NaN where there is none. Whether its
 * weights are the best so far, by validation. */
bool jsni_run_state_judge(jsni_run_state *state, double val, double test);

/* The epoch under way is done, and the next begins. */
void jsni_run_state_next_epoch(jsni_run_state *state);

/* As JSON, to be freed with jsn_text_release(). */
JSN_MUST_CHECK jsn_status jsni_run_state_text(const jsni_run_state *state, char **out);

/* And back, for a run of `epochs` epochs of `steps` steps. Left as it was on failure.
 *   JSN_ERR_DATA  numbers are missing, or are none of such a run */
JSN_MUST_CHECK jsn_status jsni_run_state_read(jsni_run_state *state, const char *text,
                                              int64_t epochs, size_t steps);

#endif /* JSNI_TRAIN_RUN_STATE_H */
