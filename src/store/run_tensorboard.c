/* store/run_tensorboard.c - see run_tensorboard.h. */
#include "store/run_tensorboard.h"

#include <stdio.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/tfevents.h"
#include "jensen/log.h"
#include "store/record_epoch.h"
#include "store/run_folder.h"
#include "store/run_rows.h"

typedef struct scalars {
    jsni_tfevents *file;
    const jsn_epoch *epoch;
} scalars;

static jsn_status add_scalar(void *user, const char *name, double value)
{
    const scalars *s = user;
    return jsni_tfevents_add(s->file, name, s->epoch->epoch, s->epoch->time,
                             (float)value);
}

/* Appends epochs behind those before the first of them. */
static jsn_status add_epochs(const char *folder, const jsn_epoch *epochs, size_t count)
{
    jsni_tfevents *file = NULL;
    if (count == 0)
        return JSN_OK;
    jsn_status status = jsni_tfevents_open(&file, folder, JSNI_RUN_EVENTS,
                                           epochs[0].epoch - 1, epochs[0].time);
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        scalars to = {file, &epochs[i]};
        status = jsni_epoch_walk(&epochs[i], add_scalar, &to);
    }
    return jsni_tfevents_close(file, status);
}

static jsn_status make_anew(const char *folder, const jsn_logger *logger)
{
    char text[1200];
    jsn_epoch *rows = NULL;
    size_t count = 0;
    (void)snprintf(text, sizeof text, "%s; a new one is written", jsn_last_error());
    logger->message(logger->user, JSN_LOG_WARNING, text);
    JSNI_TRY(jsni_file_write_in(folder, JSNI_RUN_EVENTS, "", 0));
    JSNI_TRY(jsni_run_rows_read(folder, &rows, &count));
    const jsn_status status = add_epochs(folder, rows, count);
    jsni_free(rows);
    return status;
}

jsn_status jsni_run_tensorboard_hear(void *user, const jsn_event *event)
{
    if (event->kind != JSN_EVENT_EPOCH)
        return JSN_OK;
    const jsn_status status = add_epochs(event->run, event->epoch, 1);
    return status == JSN_ERR_DATA ? make_anew(event->run, user) : status;
}
