/* store/run_rows.c - see run_rows.h. */
#include "store/run_rows.h"

#include <stdbool.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/text.h"
#include "store/record_epoch.h"
#include "store/run_folder.h"

#define MOST_METRICS_BYTES ((size_t)1 << 30)

/* JSN_ERR_DATA also when the line is sound JSON and no row. */
static jsn_status read_row(const char *path, size_t number, const char *line,
                           size_t length, jsn_epoch *out, bool *json)
{
    jsni_json *row = NULL;
    jsn_status status = jsni_json_parse_line(&row, path, number, line, length);
    *json = status == JSN_OK;
    if (*json && jsni_json_kind_of(row) != JSNI_JSON_OBJECT)
        status = jsni_fail(JSN_ERR_DATA, "%s:%zu: not an object", path, number);
    if (status == JSN_OK)
        status = jsni_epoch_read(out, row);
    jsni_json_destroy(row);
    return status;
}

/* A last line without its end may be half of what was to be added. */
static jsn_status read_lines(const char *path, const char *data, jsn_epoch **out,
                             size_t *count)
{
    size_t room = 0;
    for (const char *at = data; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const bool last = at[length] == '\0';
        bool json = false;
        if (*count == room) {
            room = room == 0 ? 64 : 2 * room;
            jsn_epoch *grown = jsni_realloc(*out, room, sizeof *grown);
            JSNI_TRY_ALLOC(grown);
            *out = grown;
        }
        const jsn_status status =
            read_row(path, *count + 1, at, length, &(*out)[*count], &json);
        if (status == JSN_ERR_DATA && last && !json)
            return JSN_OK;
        JSNI_TRY(status);
        (*count)++;
        at += last ? length : length + 1;
    }
    return JSN_OK;
}

jsn_status jsni_run_rows_read(const char *folder, jsn_epoch **out, size_t *count)
{
    char *path = jsni_path_join(folder, JSNI_RUN_METRICS), *data = NULL;
    bool there = false;
    size_t length = 0;
    *out = NULL;
    *count = 0;
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_file_find(folder, JSNI_RUN_METRICS, &there);
    if (status == JSN_OK && there)
        status = jsni_file_read_in(folder, JSNI_RUN_METRICS, MOST_METRICS_BYTES, &data,
                                   &length);
    if (status == JSN_OK && there)
        status = read_lines(path, data, out, count);
    jsni_free(data);
    jsni_free(path);
    if (status != JSN_OK) {
        jsni_free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}

typedef jsn_status put_fn(const char *folder, const char *name, const void *data,
                          size_t length);

/* The rows into both files, by `put`; `first`: the files begin with them. */
static jsn_status put_rows(const char *folder, const jsn_epoch *rows, size_t count,
                           bool first, put_fn *put)
{
    jsni_text lines = {0}, csv = {0};
    jsni_text_add(&lines, "");
    jsni_text_add(&csv, "");
    for (size_t i = 0; i < count; i++) {
        jsni_epoch_put_json(&rows[i], &lines);
        jsni_epoch_put_csv(&rows[i], first && i == 0, &csv);
    }
    jsn_status status = lines.status != JSN_OK ? lines.status : csv.status;
    if (status == JSN_OK)
        status = put(folder, JSNI_RUN_METRICS, lines.data, lines.length);
    if (status == JSN_OK)
        status = put(folder, JSNI_RUN_METRICS_CSV, csv.data, csv.length);
    jsni_text_release(&csv);
    jsni_text_release(&lines);
    return status;
}

jsn_status jsni_run_rows_hear(void *user, const jsn_event *event)
{
    bool there = false;
    (void)user;
    if (event->kind == JSN_EVENT_EPOCH)
        return put_rows(event->run, event->epoch, 1, event->epoch->epoch == 1,
                        jsni_file_append);
    if (event->kind != JSN_EVENT_OPENED)
        return JSN_OK;
    /* Rows behind the checkpoint are made again. */
    JSNI_TRY(jsni_file_find(event->run, JSNI_RUN_METRICS, &there));
    return there ? put_rows(event->run, event->opened->past, event->opened->past_count,
                            true, jsni_file_write_in)
                 : JSN_OK;
}

jsn_status jsni_run_rows_sync(const char *folder)
{
    bool there = false;
    JSNI_TRY(jsni_file_find(folder, JSNI_RUN_METRICS, &there));
    return there ? jsni_file_sync(folder, JSNI_RUN_METRICS) : JSN_OK;
}
