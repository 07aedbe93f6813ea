/* sweep/heartbeat.h - a thread that keeps the trials of a worker alive in the database
 * while they run, over a connection of its own. */
#ifndef JSNI_SWEEP_HEARTBEAT_H
#define JSNI_SWEEP_HEARTBEAT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

enum { JSNI_MOST_TOGETHER = 64 }; /* trials of one worker at a time */

typedef struct jsni_heartbeat {
    const char *url, *worker; /* borrowed */
    int64_t trials[JSNI_MOST_TOGETHER];
    size_t count;
    double interval; /* seconds */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool ending;
    bool running;
    atomic_bool lost; /* another worker has a trial now */
} jsni_heartbeat;

/* Starts the thread; url, worker, trials, count and interval are filled in. */
JSN_MUST_CHECK jsn_status jsni_heartbeat_begin(jsni_heartbeat *heartbeat);
void jsni_heartbeat_end(jsni_heartbeat *heartbeat); /* a zeroed one is fine */

#endif /* JSNI_SWEEP_HEARTBEAT_H */
