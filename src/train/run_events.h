/* train/run_events.h - a run's rows for TensorBoard. */
#ifndef JSNI_TRAIN_RUN_EVENTS_H
#define JSNI_TRAIN_RUN_EVENTS_H

#include "train/run.h"

/* Appends the latest row to the event file; what the file has of later epochs, from
 * before a crash, is dropped. One that is damaged from its start is made anew from all
 * rows, with a warning: no run ends for it. */
JSN_MUST_CHECK jsn_status jsni_run_events_write(const jsni_run *run);

#endif /* JSNI_TRAIN_RUN_EVENTS_H */
