/* core/file_log.c - see file_log.h. */
#define _DEFAULT_SOURCE /* flock() */
#include "core/file_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/limit.h"

static jsn_status log_failed(const jsni_file_log *log, const char *what)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be %s: %s", log->path, what,
                     strerror(errno));
}

size_t jsni_file_log_whole(const char *text, size_t length, size_t cells)
{
    size_t whole = 0, commas = 0, line = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted ^= text[i] == '"';
        if (quoted)
            continue;
        commas += text[i] == ',';
        if (text[i] == '\n') {
            if (i > line + (text[line] == '\r'))
                whole = i + 1;
            line = i + 1;
            commas = 0;
        }
    }
    return !quoted && commas + 1 >= cells ? length : whole;
}

jsn_status jsni_file_log_open(jsni_file_log *log, const char *folder, const char *name,
                              size_t cells)
{
    struct stat info;
    *log = (jsni_file_log){.fd = -1, .cells = cells};
    JSNI_TRY_ALLOC(log->path = jsni_path_join(folder, name));
    jsn_status status =
        jsni_file_open(&log->fd, folder, name, O_RDWR | O_CREAT | O_NONBLOCK);
    if (status == JSN_OK && fstat(log->fd, &info) != 0)
        status = log_failed(log, "read");
    else if (status == JSN_OK && !S_ISREG(info.st_mode))
        status = jsni_fail(JSN_ERR_DATA, "%s: not a regular file", log->path);
    if (status == JSN_OK)
        status = jsni_folder_sync(folder);
    if (status != JSN_OK)
        jsni_file_log_close(log);
    return status;
}

void jsni_file_log_close(jsni_file_log *log)
{
    if (log->path != NULL && log->fd >= 0)
        (void)close(log->fd);
    jsni_free(log->path);
    *log = (jsni_file_log){.fd = -1};
}

static jsn_status write_rows(const jsni_file_log *log, const char *rows, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t n =
            pwrite(log->fd, rows + done, length - done, (off_t)(log->known + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return log_failed(log, "written");
        done += (size_t)n;
    }
    int result = 0;
    do
        result = fsync(log->fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? JSN_OK : log_failed(log, "written");
}

jsn_status jsni_file_log_add(jsni_file_log *log, const char *rows, size_t length)
{
    const jsn_status status = write_rows(log, rows, length);
    if (status == JSN_OK)
        log->known += length;
    else if (ftruncate(log->fd, (off_t)log->known) != 0)
        return status; /* the next one who locks the file cuts what is left */
    return status;
}

/* The bytes behind the known ones, of which there are `size` in all. */
static jsn_status read_new(const jsni_file_log *log, size_t size, char **out)
{
    size_t have = log->known;
    char *data = jsni_alloc(size - have + 1, 1);
    JSNI_TRY_ALLOC(data);
    while (have < size) {
        const ssize_t n =
            pread(log->fd, data + (have - log->known), size - have, (off_t)have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            jsni_free(data);
            return log_failed(log, "read");
        }
        have += (size_t)n;
    }
    *out = data;
    return JSN_OK;
}

static jsn_status take_news(jsni_file_log *log, jsni_text *news)
{
    struct stat info;
    char *data = NULL;
    if (fstat(log->fd, &info) != 0)
        return log_failed(log, "read");
    const size_t size = (size_t)info.st_size;
    if (size < log->known)
        return jsni_fail(JSN_ERR_DATA, "%s: became shorter while it was used",
                         log->path);
    if (size > jsni_limit(JSNI_LIMIT_FILE))
        return jsni_limit_fail(JSNI_LIMIT_FILE, "%s: %zu bytes", log->path, size);
    if (size == log->known)
        return JSN_OK;
    JSNI_TRY(read_new(log, size, &data));
    const size_t whole = jsni_file_log_whole(data, size - log->known, log->cells);
    const bool open_end = whole > 0 && data[whole - 1] != '\n';
    jsni_text_add_n(news, data, whole);
    jsni_free(data);
    if (log->known + whole < size &&
        ftruncate(log->fd, (off_t)(log->known + whole)) != 0)
        return log_failed(log, "written");
    log->known += whole;
    if (!open_end)
        return news->status;
    jsni_text_add(news, "\n");
    JSNI_TRY(news->status);
    return jsni_file_log_add(log, "\n", 1);
}

jsn_status jsni_file_log_lock(jsni_file_log *log, jsni_text *news)
{
    while (flock(log->fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return log_failed(log, "locked");
    const jsn_status status = take_news(log, news);
    if (status != JSN_OK)
        jsni_file_log_unlock(log);
    return status;
}

void jsni_file_log_unlock(jsni_file_log *log)
{
    (void)flock(log->fd, LOCK_UN);
}
