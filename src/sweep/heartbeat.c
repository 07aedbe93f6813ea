/* sweep/heartbeat.c - see heartbeat.h. A database that cannot be reached for a while is
 * tried again at the next beat; the trial goes on meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/heartbeat.h"

#include <time.h>

#include "core/fail.h"
#include "store/study.h"

static void beat(jsni_heartbeat *h, jsni_store **store)
{
    if (*store == NULL && jsni_store_open(store, h->url, JSNI_STORE_WRITE) != JSN_OK)
        return;
    for (size_t i = 0; i < h->count; i++) {
        bool mine = true;
        if (jsni_trial_beat(*store, h->trials[i], h->worker, &mine) != JSN_OK) {
            jsni_store_close(*store);
            *store = NULL;
            return;
        }
        if (!mine)
            atomic_store(&h->lost, true);
    }
}

static void *run(void *user)
{
    jsni_heartbeat *h = user;
    jsni_store *store = NULL;
    (void)pthread_mutex_lock(&h->mutex);
    while (!h->ending) {
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        const long whole = (long)h->interval;
        until.tv_sec += whole;
        until.tv_nsec += (long)(1e9 * (h->interval - (double)whole));
        if (until.tv_nsec >= 1000000000L) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000L;
        }
        (void)pthread_cond_timedwait(&h->wake, &h->mutex, &until);
        if (h->ending)
            break;
        (void)pthread_mutex_unlock(&h->mutex);
        beat(h, &store);
        (void)pthread_mutex_lock(&h->mutex);
    }
    (void)pthread_mutex_unlock(&h->mutex);
    jsni_store_close(store);
    return NULL;
}

jsn_status jsni_heartbeat_begin(jsni_heartbeat *h)
{
    pthread_condattr_t attributes;
    h->ending = false;
    atomic_init(&h->lost, false);
    if (pthread_mutex_init(&h->mutex, NULL) != 0)
        return jsni_fail(JSN_ERR_MEMORY, "no mutex for the heartbeat");
    bool made = pthread_condattr_init(&attributes) == 0;
    if (made) {
        made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
               pthread_cond_init(&h->wake, &attributes) == 0;
        (void)pthread_condattr_destroy(&attributes);
    }
    if (made && pthread_create(&h->thread, NULL, run, h) != 0) {
        (void)pthread_cond_destroy(&h->wake);
        made = false;
    }
    if (!made) {
        (void)pthread_mutex_destroy(&h->mutex);
        return jsni_fail(JSN_ERR_MEMORY, "no thread for the heartbeat");
    }
    h->running = true;
    return JSN_OK;
}

void jsni_heartbeat_end(jsni_heartbeat *h)
{
    if (!h->running)
        return;
    (void)pthread_mutex_lock(&h->mutex);
    h->ending = true;
    (void)pthread_cond_signal(&h->wake);
    (void)pthread_mutex_unlock(&h->mutex);
    (void)pthread_join(h->thread, NULL);
    (void)pthread_cond_destroy(&h->wake);
    (void)pthread_mutex_destroy(&h->mutex);
    h->running = false;
}
