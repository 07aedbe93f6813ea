/* store/store_sqlite.c - studies in a file. Write-ahead logging, so that readers never
 * wait; every commit reaches the disk; a writer that finds another one writing waits up
 * to a minute. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/number.h"
#include "store/store_impl.h"

enum { WAIT_MS = 60000 };

/* SQLite's "disk I/O error" alone helps nobody: the system knows why. */
static jsn_status io_failure(sqlite3 *db)
{
    const int number = db == NULL ? 0 : sqlite3_system_errno(db);
    if (number == 0)
        return jsni_fail(JSN_ERR_IO, "%s", sqlite3_errmsg(db));
    return jsni_fail(JSN_ERR_IO, "%s (%s)", sqlite3_errmsg(db), strerror(number));
}

/* Turns SQLite's code into ours, with its text. */
static jsn_status check(sqlite3 *db, int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return JSN_OK;
    case SQLITE_NOMEM:
        return jsni_fail(JSN_ERR_MEMORY, "SQLite: out of memory");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return jsni_fail(JSN_ERR_BUSY, "%s", sqlite3_errmsg(db));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_CANTOPEN:
        return jsni_fail(JSN_ERR_DATA, "%s", sqlite3_errmsg(db));
    default:
        return io_failure(db);
    }
}

static bool accepts(const char *url)
{
    return strncmp(url, "sqlite:///", 10) == 0 || strstr(url, "://") == NULL;
}

static jsn_status run(void *connection, const char *sql, const char *const *params,
                      size_t count, jsni_store_rows *rows, int64_t *changed)
{
    sqlite3 *db = connection;
    sqlite3_stmt *statement = NULL;
    jsn_status status = check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "$%zu", i + 1);
        const int index = sqlite3_bind_parameter_index(statement, name);
        if (index > 0)
            status = check(db, params[i] == NULL
                                   ? sqlite3_bind_null(statement, index)
                                   : sqlite3_bind_text(statement, index, params[i], -1,
                                                       SQLITE_STATIC));
    }
    int code = SQLITE_ROW;
    while (status == JSN_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const int columns = sqlite3_column_count(statement);
        if (rows == NULL)
            continue;
        status = jsni_store_rows_grow(rows, (size_t)columns);
        for (int c = 0; status == JSN_OK && c < columns; c++) {
            char number[JSNI_NUMBER_TEXT];
            const char *text = number;
            /* SQLite's own text of a double has 15 digits only. */
            if (sqlite3_column_type(statement, c) == SQLITE_FLOAT)
                jsni_number_format(sqlite3_column_double(statement, c), number);
            else
                text = (const char *)sqlite3_column_text(statement, c);
            char **cell = &rows->cells[(rows->rows - 1) * rows->columns + (size_t)c];
            if (text != NULL && (*cell = jsni_text_copy(text)) == NULL)
                status = JSN_ERR_MEMORY;
        }
    }
    if (status == JSN_OK)
        status = check(db, code);
    if (changed != NULL)
        *changed = sqlite3_changes(db);
    const int ended = sqlite3_finalize(statement);
    (void)ended; /* repeats the failure of the step */
    if (status != JSN_OK && rows != NULL)
        jsni_store_rows_release(rows);
    return status;
}

static void close_file(void *connection)
{
    (void)sqlite3_close(connection);
}

static jsn_status open_file(void **out, const char *url, const char *shown, bool create)
{
    const char *path = strncmp(url, "sqlite:///", 10) == 0 ? url + 10 : url;
    if (path[0] == '\0')
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: names no file", shown);
    if (!create && access(path, F_OK) != 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: there is no such database; 'jensen sweep create' makes "
                         "one",
                         shown);
    sqlite3 *db = NULL;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    jsn_status status = check(db, sqlite3_open_v2(path, &db, flags, NULL));
    if (status != JSN_OK && status != JSN_ERR_MEMORY)
        status = jsni_fail(status, "%s: cannot be opened: %s", shown,
                           db == NULL ? "no memory" : sqlite3_errmsg(db));
    if (status == JSN_OK)
        status = check(db, sqlite3_busy_timeout(db, WAIT_MS));
    /* NORMAL: a power failure may undo the last changes, never tear one. A trial that
     * then counts as running again is taken over and ends from its checkpoint; waiting for
     * the disk after every epoch of every trial would cost more than short epochs do. */
    static const char *const settings[] = {"PRAGMA journal_mode=WAL",
                                           "PRAGMA synchronous=NORMAL",
                                           "PRAGMA foreign_keys=ON"};
    for (size_t i = 0; status == JSN_OK && i < 3; i++) {
        status = run(db, settings[i], NULL, 0, NULL, NULL);
        if (status != JSN_OK && status != JSN_ERR_MEMORY) {
            char sentence[400];
            (void)snprintf(sentence, sizeof sentence, "%s", jsn_last_error());
            status = jsni_fail(status, "%s: %s", shown, sentence);
        }
    }
    if (status == JSN_OK)
        *out = db;
    else
        close_file(db);
    return status;
}

const jsni_store_engine jsni_store_sqlite = {
    .name = "sqlite",
    .accepts = accepts,
    .open = open_file,
    .close = close_file,
    .run = run,
    .begin = "BEGIN IMMEDIATE",
    .lock = "",
    .now = "strftime('%Y-%m-%d %H:%M:%f000','now')",
    .age = "(julianday('now') - julianday(heartbeat)) * 86400.0",
    .key = "INTEGER",
    .time = "DATETIME",
    .real = "FLOAT",
    .direction = "VARCHAR(8)",
    .state = "VARCHAR(8)",
    .value_kind = "VARCHAR(7)",
    .step_kind = "VARCHAR(7)",
};
