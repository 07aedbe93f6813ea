/* train/resident_feed.h - training from data that lives on the device: the host sends the
 * order of an epoch and learning rates, the device gathers, augments and steps. Used
 * when the backend offers it and the run fits: images in memory and of the network's
 * size, hard labels, a pipeline that the device knows. */
#ifndef JSNI_TRAIN_RESIDENT_FEED_H
#define JSNI_TRAIN_RESIDENT_FEED_H

#include "train/run.h"

/* Puts the images and each member's labels onto the device and marks the group as resident;
 * leaves it alone when that is not possible.
 * JSN_ERR_UNSUPPORTED when there are several members, which need it. */
JSN_MUST_CHECK jsn_status jsni_resident_set_up(jsni_group *group);

/* The steps of the epoch under way that are left, all members in step. */
JSN_MUST_CHECK jsn_status jsni_resident_steps(jsni_group *group);

/* See jsni_run_logits(). */
JSN_MUST_CHECK jsn_status jsni_resident_logits(jsni_run *run, jsni_pass_kind kind,
                                               const char *what, jsni_logits_fn *fn,
                                               void *user);

/* Brings the memory of the run's method (run_samples.h) up to what the device has. */
JSN_MUST_CHECK jsn_status jsni_resident_memory(jsni_run *run);

#endif /* JSNI_TRAIN_RESIDENT_FEED_H */
