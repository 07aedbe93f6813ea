/* train/watch.h - who follows the runs of a call: the caller's logger and watcher. One for
 * all runs of the call, since all of them stop together. */
#ifndef JSNI_TRAIN_WATCH_H
#define JSNI_TRAIN_WATCH_H

#include <stdbool.h>

#include "jensen/train.h"
#include "train/evaluate.h"

typedef struct jsni_watch {
    const jsn_logger *logger; /* borrowed, may be NULL */
    jsn_watcher watcher;
    bool stopping; /* somebody who heard an event wants the runs to stop */
} jsni_watch;

/* The caller's; `watcher` may be NULL. */
jsni_watch jsni_watch_of(const jsn_logger *logger, const jsn_watcher *watcher);

/* Whether the runs are to stop, for whoever asks between two steps. Borrows the watch. */
jsni_stop jsni_watch_stop(jsni_watch *watch);

/* Tells one subscriber. That it wants the runs to stop is kept for jsni_watch_stop() and
 * is no failure here. */
JSN_MUST_CHECK jsn_status jsni_watch_tell(jsni_watch *watch, jsn_event_fn *hear,
                                          void *user, const jsn_event *event);

#endif /* JSNI_TRAIN_WATCH_H */
