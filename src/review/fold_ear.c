/* review/fold_ear.c - see fold_ear.h. */
#include "review/fold_ear.h"

#include "train/group.h"

static const double SECONDS = 10; /* from one epoch that is told to the next */

static bool is_told(jsni_fold_ear *ear)
{
    if (!ear->trained)
        return ear->first;
    const double now = jsni_clock();
    if (now - ear->said < SECONDS)
        return false;
    ear->said = now;
    return true;
}

static void message(void *user, jsn_log_level level, const char *text)
{
    jsni_fold_ear *ear = user;
    if (level == JSN_LOG_INFO && !is_told(ear))
        level = JSN_LOG_DEBUG;
    ear->out->message(ear->out->user, level, text);
}

static void progress(void *user, const jsn_progress *p)
{
    const jsni_fold_ear *ear = user;
    ear->out->progress(ear->out->user, p);
}

static jsn_status hear(void *user, const jsn_event *event)
{
    jsni_fold_ear *ear = user;
    if (event->kind == JSN_EVENT_EPOCH && !ear->trained) {
        ear->trained = true;
        ear->said = jsni_clock();
    }
    return JSN_OK;
}

static int asked_to_stop(void *user)
{
    const jsni_fold_ear *ear = user;
    return ear->stop == NULL ? 0 : ear->stop(ear->user);
}

jsni_fold_ear jsni_fold_ear_of(const jsn_logger *out, int (*stop)(void *user),
                               void *user, bool first)
{
    return (jsni_fold_ear){.out = out, .stop = stop, .user = user, .first = first};
}

jsn_logger jsni_fold_ear_logger(jsni_fold_ear *ear)
{
    const jsn_logger *out = ear->out;
    return (jsn_logger){.user = ear,
                        .message = out != NULL && out->message != NULL ? message : NULL,
                        .progress =
                            out != NULL && out->progress != NULL ? progress : NULL};
}

jsn_watcher jsni_fold_ear_watcher(jsni_fold_ear *ear)
{
    return (jsn_watcher){.user = ear, .event = hear, .stop = asked_to_stop};
}
