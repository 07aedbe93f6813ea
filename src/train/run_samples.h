/* train/run_samples.h - what a run keeps of each training sample: a number a class, by position
 * in the training part. It lives in the run and its checkpoints.
 *
 * The memory of a method (--method): a step works on the rows of its batch. Where the data
 * lives on the device, so does the memory (resident_feed.h), and this one is brought up to date
 * for checkpoints.
 * The posteriors (--record-posteriors): what the network said in the last epoch. */
#ifndef JSNI_TRAIN_RUN_SAMPLES_H
#define JSNI_TRAIN_RUN_SAMPLES_H

#include "jensen/train.h"
#include "train/loader.h"

typedef struct jsni_run_samples {
    size_t count, classes;
    float *posteriors;   /* [count][classes], owned, or NULL: not recorded */
    float *memory;       /* [count][classes], owned, or NULL: no method */
    float *memory_batch; /* [batch][classes], owned, as memory */
} jsni_run_samples;      /* zero-initialise */

/* Options that a method cannot work with: JSN_ERR_ARGUMENT. */
JSN_MUST_CHECK jsn_status jsni_run_samples_check(const jsn_train_config *config);

/* Room for what the options ask for. `spread`: of the normal draws that the memory begins
 * with, by seed and number of the sample; 0: it begins with zeros. What was made is released
 * also after a failure. */
JSN_MUST_CHECK jsn_status jsni_run_samples_create(jsni_run_samples *samples,
                                                  const jsn_train_config *config,
                                                  const jsni_part *part, size_t classes,
                                                  double spread, uint64_t seed);
void jsni_run_samples_release(jsni_run_samples *samples);

/* The memory of a batch, [samples][classes]: to be worked on, and back. NULL without a method. */
float *jsni_run_samples_take(jsni_run_samples *samples, const jsni_batch *batch);
void jsni_run_samples_keep(jsni_run_samples *samples, const jsni_batch *batch);

/* The posteriors of `count` samples from their logits, [count][classes]; those that are there
 * already stay with `missing_only`. `scratch`: [classes]. */
void jsni_run_samples_record(jsni_run_samples *samples, const uint32_t *position,
                             size_t count, const float *logits, bool missing_only,
                             double *scratch);

#endif /* JSNI_TRAIN_RUN_SAMPLES_H */
