/* store/run_folder.c - see run_folder.h. */
#define _DEFAULT_SOURCE 1 /* flock */
#include "store/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "format/json_tree.h"

#define MOST_METRICS_BYTES ((size_t)1 << 30)

char *jsni_run_file(const jsni_run_folder *run, const char *name)
{
    return jsni_path_join(run->path, name);
}

/* Whether the lock that is held is still the one in the folder: who made the folder in
 * vain removes both, and may have done so since the lock was opened. */
static bool is_current(int lock, const char *path)
{
    struct stat held, there;
    return fstat(lock, &held) == 0 && lstat(path, &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

static int lock_file(int file)
{
    int failed = 0;
    do
        failed = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (failed == EINTR);
    return failed;
}

/* Makes the folder and locks it. *again: it went away meanwhile. */
static jsn_status try_claim(jsni_run_folder *run, const char *lock, bool *again)
{
    int file = -1;
    *again = false;
    JSNI_TRY(jsni_folder_create(run->path));
    const jsn_status status =
        jsni_file_open(&file, run->path, JSNI_RUN_LOCK, O_RDWR | O_CREAT);
    if (status != JSN_OK) {
        *again = errno == ENOENT;
        return status == JSN_ERR_IO || *again
                   ? jsni_fail(JSN_ERR_IO, "%s: cannot be written: %s", run->path,
                               strerror(errno))
                   : status;
    }
    const int failed = lock_file(file);
    if (failed == 0 && is_current(file, lock)) {
        run->lock = file;
        return JSN_OK;
    }
    *again = !is_current(file, lock);
    (void)close(file);
    return failed == 0 || failed == EWOULDBLOCK
               ? jsni_fail(JSN_ERR_BUSY,
                           "%s: another process is working in this run folder",
                           run->path)
               : jsni_fail(JSN_ERR_IO, "%s: cannot be locked: %s", run->path,
                           strerror(failed));
}

static jsn_status claim(jsni_run_folder *run)
{
    enum { TRIES = 100 };
    char *lock = jsni_run_file(run, JSNI_RUN_LOCK);
    JSNI_TRY_ALLOC(lock);
    bool again = true;
    jsn_status status = JSN_OK;
    for (int i = 0; again && i < TRIES; i++)
        status = try_claim(run, lock, &again);
    jsni_free(lock);
    return status;
}

/* The length of the longest beginning of the path that is a folder; 0: none is. */
static size_t existing_part(char *path)
{
    for (size_t length = strlen(path); length > 0; length--) {
        const char held = path[length];
        if (held != '\0' && held != '/')
            continue;
        path[length] = '\0';
        const bool there = jsni_folder_exists(path);
        path[length] = held;
        if (there)
            return length;
    }
    return 0;
}

/* Also when that cannot be known. */
static bool has_file(const jsni_run_folder *run, const char *name)
{
    bool there = false;
    return jsni_file_find(run->path, name, &there) != JSN_OK || there;
}

static void remove_file(const jsni_run_folder *run, const char *name)
{
    char *path = jsni_run_file(run, name);
    if (path != NULL)
        (void)unlink(path);
    jsni_free(path);
}

/* Of a run that never began: its claim, and what open() made, as far as it is empty. */
static void remove_traces(jsni_run_folder *run)
{
    if (run->old < strlen(run->path))
        remove_file(run, JSNI_RUN_LOG);
    remove_file(run, JSNI_RUN_LOCK);
    for (size_t length = strlen(run->path); length > run->old; length--) {
        if (run->path[length] != '\0' && run->path[length] != '/')
            continue;
        run->path[length] = '\0';
        if (rmdir(run->path) != 0 && errno != ENOENT)
            break;
    }
}

void jsni_run_remove_left(const char *folder)
{
    jsni_file_remove_left(folder, ".");
    jsni_file_remove_left(folder, JSNI_RUN_PICTURES);
}

jsn_status jsni_run_folder_open(jsni_run_folder *run, const char *path)
{
    *run = (jsni_run_folder){.lock = -1};
    JSNI_TRY_ALLOC(run->path = jsni_text_copy(path));
    run->old = existing_part(run->path);
    const jsn_status status = claim(run);
    if (status != JSN_OK)
        jsni_run_folder_close(run);
    else
        jsni_run_remove_left(path);
    return status;
}

void jsni_run_folder_close(jsni_run_folder *run)
{
    if (run->path != NULL && run->lock >= 0) {
        if (!has_file(run, JSNI_RUN_CONFIG))
            remove_traces(run);
        (void)close(run->lock);
    }
    jsni_free(run->path);
    *run = (jsni_run_folder){.lock = -1};
}

jsn_status jsni_run_write(const jsni_run_folder *run, const char *name,
                          const char *text, size_t length)
{
    return jsni_file_write_in(run->path, name, text, length);
}

static void put_piece(void *lines, const char *piece, size_t length)
{
    jsni_text_add_n(lines, piece, length);
}

void jsni_run_log(const jsni_run_folder *run, const char *text)
{
    char stamp[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    jsni_text lines = {0};
    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &parts);
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        jsni_text_format(&lines, "%s ", stamp);
        jsn_text_visible(text, length, false, put_piece, &lines);
        jsni_text_add(&lines, "\n");
        text += length + (text[length] == '\n');
    }
    jsn_status status = lines.status;
    if (status == JSN_OK && lines.length > 0)
        status = jsni_file_append(run->path, JSNI_RUN_LOG, lines.data, lines.length);
    (void)status;
    jsni_text_release(&lines);
}

jsn_status jsni_run_rows_add(jsni_run_rows *rows, const char *line)
{
    char **lines = jsni_realloc(rows->lines, rows->count + 1, sizeof *lines);
    JSNI_TRY_ALLOC(lines);
    rows->lines = lines;
    JSNI_TRY_ALLOC(rows->lines[rows->count] = jsni_text_copy(line));
    rows->count++;
    return JSN_OK;
}

void jsni_run_rows_keep(jsni_run_rows *rows, size_t count)
{
    while (rows->count > count)
        jsni_free(rows->lines[--rows->count]);
}

void jsni_run_rows_release(jsni_run_rows *rows)
{
    jsni_run_rows_keep(rows, 0);
    jsni_free(rows->lines);
    *rows = (jsni_run_rows){0};
}

/* Adds every line of `data`, which is cut up in place, after checking that it is an
 * object. A last line without its end may be half of what was to be added. */
static jsn_status add_lines(jsni_run_rows *rows, const char *path, char *data)
{
    size_t number = 1;
    for (char *at = data; *at != '\0'; number++) {
        const size_t length = strcspn(at, "\n");
        const bool last = at[length] == '\0';
        at[length] = '\0';
        jsn_json *row = NULL;
        const jsn_status status = jsni_json_parse_line(&row, path, number, at, length);
        if (status == JSN_ERR_DATA && last)
            return JSN_OK;
        JSNI_TRY(status);
        const bool object = jsn_json_kind_of(row) == JSN_JSON_OBJECT;
        jsn_json_destroy(row);
        if (!object)
            return jsni_fail(JSN_ERR_DATA, "%s:%zu: not an object", path, number);
        JSNI_TRY(jsni_run_rows_add(rows, at));
        at += last ? length : length + 1;
    }
    return JSN_OK;
}

jsn_status jsni_run_rows_read(jsni_run_rows *rows, const char *folder)
{
    char *path = jsni_path_join(folder, JSNI_RUN_METRICS), *data = NULL;
    JSNI_TRY_ALLOC(path);
    bool there = false;
    size_t length = 0;
    jsn_status status = jsni_file_find(folder, JSNI_RUN_METRICS, &there);
    if (status == JSN_OK && there)
        status = jsni_file_read_in(folder, JSNI_RUN_METRICS, MOST_METRICS_BYTES, &data,
                                   &length);
    if (status == JSN_OK && there)
        status = add_lines(rows, path, data);
    jsni_free(data);
    jsni_free(path);
    if (status != JSN_OK)
        jsni_run_rows_release(rows);
    return status;
}

static void add_csv_row(jsni_text *csv, const jsn_json *row, bool names)
{
    bool first = true;
    for (size_t i = 0; i < jsn_json_count(row); i++) {
        const jsn_json *entry = jsn_json_at(row, i);
        const bool array = jsn_json_kind_of(entry) == JSN_JSON_ARRAY;
        const size_t count = array ? jsn_json_count(entry) : 1;
        for (size_t k = 0; k < count; k++) {
            const jsn_json *value = array ? jsn_json_at(entry, k) : entry;
            const bool empty = jsn_json_kind_of(value) == JSN_JSON_NULL;
            jsni_text_add(csv, first ? "" : ",");
            first = false;
            if (names && array)
                jsni_text_format(csv, "%s_%zu", jsn_json_key(entry), k);
            else if (names)
                jsni_text_add(csv, jsn_json_key(entry));
            else if (!empty)
                jsni_text_add(csv, jsn_json_text(value));
        }
    }
    jsni_text_add(csv, "\n");
}

static jsn_status add_row(const char *line, bool names, jsni_text *lines,
                          jsni_text *csv)
{
    jsn_json *row = NULL;
    JSNI_TRY(jsn_json_parse(&row, "metrics", line, strlen(line)));
    if (names)
        add_csv_row(csv, row, true);
    add_csv_row(csv, row, false);
    jsn_json_destroy(row);
    jsni_text_format(lines, "%s\n", line);
    return lines->status != JSN_OK ? lines->status : csv->status;
}

jsn_status jsni_run_rows_append(const jsni_run_rows *rows, const jsni_run_folder *run)
{
    jsni_text lines = {0}, csv = {0};
    jsn_status status =
        add_row(rows->lines[rows->count - 1], rows->count == 1, &lines, &csv);
    if (status == JSN_OK)
        status =
            jsni_file_append(run->path, JSNI_RUN_METRICS, lines.data, lines.length);
    if (status == JSN_OK)
        status =
            jsni_file_append(run->path, JSNI_RUN_METRICS_CSV, csv.data, csv.length);
    jsni_text_release(&csv);
    jsni_text_release(&lines);
    return status;
}

jsn_status jsni_run_rows_sync(const jsni_run_folder *run)
{
    bool there = false;
    JSNI_TRY(jsni_file_find(run->path, JSNI_RUN_METRICS, &there));
    return there ? jsni_file_sync(run->path, JSNI_RUN_METRICS) : JSN_OK;
}

jsn_status jsni_run_rows_write(const jsni_run_rows *rows, const jsni_run_folder *run)
{
    jsni_text lines = {0}, csv = {0};
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < rows->count; i++)
        status = add_row(rows->lines[i], i == 0, &lines, &csv);
    jsni_text_add(&lines, "");
    jsni_text_add(&csv, "");
    if (status == JSN_OK)
        status = lines.status != JSN_OK ? lines.status : csv.status;
    if (status == JSN_OK)
        status = jsni_run_write(run, JSNI_RUN_METRICS, lines.data, lines.length);
    if (status == JSN_OK)
        status = jsni_run_write(run, JSNI_RUN_METRICS_CSV, csv.data, csv.length);
    jsni_text_release(&csv);
    jsni_text_release(&lines);
    return status;
}
