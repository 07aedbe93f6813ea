/* store/run_tensorboard.h - the numbers of a run for TensorBoard, in an event file. */
#ifndef JSNI_STORE_RUN_TENSORBOARD_H
#define JSNI_STORE_RUN_TENSORBOARD_H

#include "jensen/event.h"

/* Keeps the event file of event->run: `epoch` adds its numbers; what the file has of later
 * epochs, from before a crash, is dropped. One that is damaged from its start is made anew
 * from metrics.jsonl, with a warning: no run ends for it. `user`: const jsn_logger *. */
jsn_event_fn jsni_run_tensorboard_hear;

#endif /* JSNI_STORE_RUN_TENSORBOARD_H */
