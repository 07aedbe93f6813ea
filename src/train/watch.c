/* train/watch.c - see watch.h. */
#include "train/watch.h"

jsni_watch jsni_watch_of(const jsn_logger *logger, const jsn_watcher *watcher)
{
    jsni_watch watch = {.logger = logger};
    if (watcher != NULL)
        watch.watcher = *watcher;
    return watch;
}

static int wants_stop(void *user)
{
    const jsni_watch *watch = user;
    const jsn_watcher *w = &watch->watcher;
    return watch->stopping || (w->stop != NULL && w->stop(w->user));
}

jsni_stop jsni_watch_stop(jsni_watch *watch)
{
    return (jsni_stop){wants_stop, watch};
}

jsn_status jsni_watch_tell(jsni_watch *watch, jsn_event_fn *hear, void *user,
                           const jsn_event *event)
{
    const jsn_status status = hear == NULL ? JSN_OK : hear(user, event);
    watch->stopping = watch->stopping || status == JSN_ERR_STOPPED;
    return status == JSN_ERR_STOPPED ? JSN_OK : status;
}
