/* train/run_emit.c - the events of a run, to everybody who subscribed; see run.h. */
#include "core/fail.h"
#include "core/hd.h"
#include "store/run_rows.h"
#include "store/run_tensorboard.h"
#include "train/run.h"

jsn_status jsni_run_emit(jsni_run *run, jsn_event event)
{
    /* In the order in which they hear: what is on disk can be relied on by the others. A
     * new subscriber is a row. */
    const struct {
        jsn_event_fn *hear;
        void *user;
    } subscribers[] = {
        {jsni_run_rows_hear, NULL},
        {jsni_run_tensorboard_hear, &run->logger},
        {jsni_run_say_hear, run},
        {run->group->watch->watcher.event, run->group->watch->watcher.user},
    };
    event.size = sizeof event;
    event.number = run->job.number;
    event.member = run->job.part_of;
    event.run = run->folder.path;
    for (size_t i = 0; i < JSNI_COUNT_OF(subscribers); i++)
        JSNI_TRY(jsni_watch_tell(run->group->watch, subscribers[i].hear,
                                 subscribers[i].user, &event));
    return JSN_OK;
}
