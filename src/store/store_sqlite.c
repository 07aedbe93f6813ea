/* store/store_sqlite.c - studies in a file. Write-ahead logging, so that readers never
 * wait; every commit reaches the disk; a writer that finds another one writing waits up
 * to a minute. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/number.h"
#include "core/text.h"
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
    case SQLITE_CANTOPEN: /* of an open database it is a journal that cannot be made */
        if (db != NULL && sqlite3_system_errno(db) != EACCES)
            return io_failure(db);
        return jsni_fail(JSN_ERR_DATA, "%s", sqlite3_errmsg(db));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
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

/* Whether the file can be written, and the log beside it made. */
static jsn_status can_write(const char *path, bool *out)
{
    char *folder = jsni_text_copy(path);
    JSNI_TRY_ALLOC(folder);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder ? 1 : 0] = '\0';
    *out = access(path, W_OK) == 0 && access(slash == NULL ? "." : folder, W_OK) == 0;
    jsni_free(folder);
    return JSN_OK;
}

/* Whether somebody is writing the file: then there is a log beside it. */
static jsn_status has_log(const char *path, bool *out)
{
    jsni_text text = {0};
    char *log = NULL;
    struct stat info;
    jsni_text_format(&text, "%s-wal", path);
    JSNI_TRY(jsni_text_take(&text, &log));
    *out = stat(log, &info) == 0 && info.st_size > 0;
    jsni_free(log);
    return JSN_OK;
}

/* The flags of SQLite and the name it opens. A reader that may write opens the file for
 * writing, too, without doing so: it takes the log away again. A file that lies where
 * nothing can be written, and that nobody writes, is read without a log. */
static jsn_status name_file(const char *path, jsni_store_use use, int *flags,
                            char **name)
{
    jsni_text text = {0};
    bool writable = true, written = false;
    if (use == JSNI_STORE_READ)
        JSNI_TRY(can_write(path, &writable));
    if (!writable)
        JSNI_TRY(has_log(path, &written));
    *flags = SQLITE_OPEN_NOMUTEX |
             (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
             (use == JSNI_STORE_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (writable || written) {
        JSNI_TRY_ALLOC(*name = jsni_text_copy(path));
        return JSN_OK;
    }
    *flags |= SQLITE_OPEN_URI;
    jsni_text_add(&text, "file:");
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '%' || *c == '?' || *c == '#')
            jsni_text_format(&text, "%%%02X", (unsigned)*c);
        else
            jsni_text_add_n(&text, c, 1);
    jsni_text_add(&text, "?immutable=1");
    return jsni_text_take(&text, name);
}

static jsn_status open_file(void **out, const char *url, const char *shown,
                            jsni_store_use use)
{
    const char *path = strncmp(url, "sqlite:///", 10) == 0 ? url + 10 : url;
    char *name = NULL;
    int flags = 0;
    if (path[0] == '\0')
        return jsni_fail(JSN_ERR_ARGUMENT, "%s: names no file", shown);
    bool there = false;
    JSNI_TRY(jsni_file_find(NULL, path, &there));
    if (use != JSNI_STORE_CREATE && !there)
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: this database does not exist; 'jensen sweep create' makes one", shown);
    JSNI_TRY(name_file(path, use, &flags, &name));
    sqlite3 *db = NULL;
    jsn_status status = check(db, sqlite3_open_v2(name, &db, flags, NULL));
    jsni_free(name);
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
    static const char *const reading[] = {"PRAGMA query_only=ON"};
    const bool reads = use == JSNI_STORE_READ;
    for (size_t i = 0; status == JSN_OK && i < (reads ? 1 : 3); i++) {
        status = run(db, reads ? reading[i] : settings[i], NULL, 0, NULL, NULL);
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
