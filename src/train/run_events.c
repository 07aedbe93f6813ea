/* train/run_events.c - see run_events.h. */
#include "train/run_events.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/tfevents.h"

/* TensorBoard looks for "tfevents" in the name; the number would be a start time, which
 * a run that may be continued any number of times has no single one of. */
static const char event_file[] = "events.out.tfevents.0000000001.jensen";

static jsn_status add_value(jsni_tfevents *file, const char *tag, const jsn_json *value,
                            int64_t step, double time)
{
    if (jsn_json_kind_of(value) != JSN_JSON_NUMBER)
        return JSN_OK;
    return jsni_tfevents_add(file, tag, step, time, (float)jsn_json_real(value));
}

static jsn_status add_row(jsni_tfevents *file, const jsn_json *row)
{
    const int64_t step = jsn_json_int(jsn_json_get(row, "epoch"));
    const double time = jsn_json_real(jsn_json_get(row, "time"));
    for (size_t i = 0; i < jsn_json_count(row); i++) {
        const jsn_json *entry = jsn_json_at(row, i);
        const char *key = jsn_json_key(entry);
        if (strcmp(key, "epoch") == 0 || strcmp(key, "time") == 0)
            continue;
        if (jsn_json_kind_of(entry) != JSN_JSON_ARRAY) {
            JSNI_TRY(add_value(file, key, entry, step, time));
            continue;
        }
        for (size_t v = 0; v < jsn_json_count(entry); v++) {
            char tag[96];
            (void)snprintf(tag, sizeof tag, "%s/view%zu", key, v + 1);
            JSNI_TRY(add_value(file, tag, jsn_json_at(entry, v), step, time));
        }
    }
    return JSN_OK;
}

/* Appends the rows from `first` on. */
static jsn_status add_rows(const jsni_run *run, size_t first)
{
    jsni_tfevents *file = NULL;
    jsn_status status = JSN_OK;
    for (size_t i = first; status == JSN_OK && i < run->rows.count; i++) {
        const char *line = run->rows.lines[i];
        jsn_json *row = NULL;
        status = jsn_json_parse(&row, "metrics", line, strlen(line));
        if (status == JSN_OK && file == NULL)
            status = jsni_tfevents_open(&file, run->folder.path, event_file,
                                        run->state.epoch,
                                        jsn_json_real(jsn_json_get(row, "time")));
        if (status == JSN_OK)
            status = add_row(file, row);
        jsn_json_destroy(row);
    }
    return jsni_tfevents_close(file, status);
}

jsn_status jsni_run_events_write(const jsni_run *run)
{
    jsn_status status = add_rows(run, run->rows.count - 1);
    if (status == JSN_ERR_DATA) {
        char text[1200];
        (void)snprintf(text, sizeof text, "%s; a new one is written", jsn_last_error());
        run->logger.message(run->logger.user, JSN_LOG_WARNING, text);
        status = jsni_file_write_in(run->folder.path, event_file, "", 0);
        if (status == JSN_OK)
            status = add_rows(run, 0);
    }
    return status;
}
