/* train/run_memory.h - what a method (--method) remembers of each training sample: a number
 * a class, by position in the training part. It lives in the run and its checkpoints; a step
 * works on the rows of its batch. Where the data lives on the device, so does the memory
 * (resident_feed.h), and this one is brought up to date for checkpoints. */
#ifndef JSNI_TRAIN_RUN_MEMORY_H
#define JSNI_TRAIN_RUN_MEMORY_H

#include "jensen/train.h"
#include "train/loader.h"

struct jsni_run;

/* Options that a method cannot work with: JSN_ERR_ARGUMENT. */
JSN_MUST_CHECK jsn_status jsni_run_memory_check(const jsn_train_config *config);

/* Room, and what it begins with; nothing without a method. */
JSN_MUST_CHECK jsn_status jsni_run_memory_create(struct jsni_run *run);

/* The rows of a batch, [samples][classes]: to be worked on, and back. */
float *jsni_run_memory_take(struct jsni_run *run, const jsni_batch *batch);
void jsni_run_memory_keep(struct jsni_run *run, const jsni_batch *batch);

#endif /* JSNI_TRAIN_RUN_MEMORY_H */
