/* train/resident_feed.h - training from data that lives on the device: the host sends the
 * order of an epoch and learning rates, the device gathers, augments and steps. Used
 * when the backend offers it and the run fits: images in memory and of the network's
 * size, hard labels, a pipeline that the device knows. */
#ifndef JSNI_TRAIN_RESIDENT_FEED_H
#define JSNI_TRAIN_RESIDENT_FEED_H

#include "train/run.h"

/* Puts data and labels of the runs, which share a model, onto its device and marks the
 * runs as resident; leaves them alone when that is not possible.
 * JSN_ERR_UNSUPPORTED when there are several and they need it. */
JSN_MUST_CHECK jsn_status jsni_resident_set_up(jsni_run *runs, size_t count);

/* The steps of the epoch under way that are left, all runs in step. */
JSN_MUST_CHECK jsn_status jsni_resident_steps(jsni_run *runs, size_t count);

/* See jsni_run_logits(). */
JSN_MUST_CHECK jsn_status jsni_resident_logits(jsni_run *run, jsni_pass_kind kind,
                                               const char *what, jsni_logits_fn *fn,
                                               void *user);

#endif /* JSNI_TRAIN_RESIDENT_FEED_H */
