/* core/file.c - see core/file.h. */
#define _XOPEN_SOURCE 700
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"

static jsn_status read_open(int fd, const char *path, size_t limit, char **out,
                            size_t *length)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return jsni_fail(JSN_ERR_DATA, "%s: not a regular file", path);
    if (info.st_size < 0 || (uintmax_t)info.st_size > limit)
        return jsni_fail(JSN_ERR_DATA, "%s: %jd bytes, more than the limit of %zu",
                         path, (intmax_t)info.st_size, limit);
    const size_t size = (size_t)info.st_size;
    char *data = jsni_alloc(size + 1, 1);
    JSNI_TRY_ALLOC(data);
    size_t have = 0;
    while (have < size) {
        const ssize_t n = read(fd, data + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const char *why = n < 0 ? strerror(errno) : "it became shorter";
            jsni_free(data);
            return jsni_fail(JSN_ERR_DATA, "%s: cannot be read: %s", path, why);
        }
        have += (size_t)n;
    }
    data[size] = '\0';
    *out = data;
    *length = size;
    return JSN_OK;
}

jsn_status jsni_file_read(const char *path, size_t limit, char **out, size_t *length)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return jsni_fail(JSN_ERR_DATA, "%s: cannot be opened: %s", path,
                         strerror(errno));
    const jsn_status status = read_open(fd, path, limit, out, length);
    (void)close(fd);
    return status;
}

static jsn_status write_failed(const char *path)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* The file that the new content replaces, as an owned text: where a symbolic link leads,
 * so that the link stays. NULL with *direct: a device, a pipe, a socket or a deleted file,
 * which has no name to be replaced under; otherwise there is no memory. */
static char *replaced_file(const char *path, bool *direct)
{
    struct stat info;
    *direct = false;
    if (stat(path, &info) != 0)
        return jsni_text_copy(path);
    char *target = realpath(path, NULL);
    *direct = target == NULL || !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    char *copy = *direct ? NULL : jsni_text_copy(target);
    free(target);
    return copy;
}

jsn_status jsni_file_begin(jsni_file_writer *writer, const char *path)
{
    *writer = (jsni_file_writer){.fd = -1};
    bool direct = false;
    writer->path = jsni_text_copy(path);
    writer->target = replaced_file(path, &direct);
    if (writer->path == NULL || (writer->target == NULL && !direct))
        return jsni_file_end(writer, JSN_ERR_MEMORY);
    if (direct) {
        writer->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else {
        const size_t size = strlen(writer->target) + 32;
        writer->temporary = jsni_alloc(size, 1);
        if (writer->temporary == NULL)
            return jsni_file_end(writer, JSN_ERR_MEMORY);
        (void)snprintf(writer->temporary, size, "%s.tmp%ld", writer->target,
                       (long)getpid());
        writer->fd =
            open(writer->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (writer->fd < 0)
        return jsni_file_end(writer, write_failed(path));
    return JSN_OK;
}

jsn_status jsni_file_add(jsni_file_writer *writer, const void *data, size_t length)
{
    const char *at = data;
    while (length > 0) {
        const ssize_t n = write(writer->fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return write_failed(writer->path);
        at += n;
        length -= (size_t)n;
    }
    return JSN_OK;
}

jsn_status jsni_file_append(const char *path, const void *data, size_t length)
{
    jsni_file_writer writer = {.fd = -1, .path = jsni_text_copy(path)};
    JSNI_TRY_ALLOC(writer.path);
    writer.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    jsn_status status =
        writer.fd < 0 ? write_failed(path) : jsni_file_add(&writer, data, length);
    if (writer.fd >= 0 && close(writer.fd) != 0 && status == JSN_OK)
        status = write_failed(path);
    jsni_free(writer.path);
    return status;
}

jsn_status jsni_file_sync(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return write_failed(path);
    const jsn_status status = fsync(fd) == 0 ? JSN_OK : write_failed(path);
    (void)close(fd);
    return status;
}

void jsni_file_sync_folder(const char *path)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (slash != NULL && length < sizeof folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
        if (length == 0)
            memcpy(folder, "/", 2);
    }
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

jsn_status jsni_file_end(jsni_file_writer *writer, jsn_status status)
{
    if (writer->fd >= 0) {
        const bool direct = writer->temporary == NULL;
        const bool sync = !writer->unsynced && !direct;
        if (status == JSN_OK && sync && fsync(writer->fd) != 0)
            status = write_failed(writer->path);
        if (close(writer->fd) != 0 && status == JSN_OK)
            status = write_failed(writer->path);
        if (status == JSN_OK && !direct &&
            rename(writer->temporary, writer->target) != 0)
            status = write_failed(writer->path);
        if (status != JSN_OK && !direct)
            (void)unlink(writer->temporary);
        else if (sync)
            jsni_file_sync_folder(writer->target);
    }
    jsni_free(writer->temporary);
    jsni_free(writer->target);
    jsni_free(writer->path);
    *writer = (jsni_file_writer){.fd = -1};
    return status;
}

static jsn_status write_whole(const char *path, const void *data, size_t length,
                              bool unsynced)
{
    jsni_file_writer writer;
    JSNI_TRY(jsni_file_begin(&writer, path));
    writer.unsynced = unsynced;
    return jsni_file_end(&writer, jsni_file_add(&writer, data, length));
}

jsn_status jsni_file_write(const char *path, const void *data, size_t length)
{
    return write_whole(path, data, length, false);
}

jsn_status jsni_file_write_unsynced(const char *path, const void *data, size_t length)
{
    return write_whole(path, data, length, true);
}

bool jsni_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool jsni_folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

jsn_status jsni_folder_create(const char *path)
{
    char *copy = jsni_text_copy(path);
    JSNI_TRY_ALLOC(copy);
    jsn_status status = JSN_OK;
    for (char *at = copy + 1; status == JSN_OK; at++) {
        const char held = *at;
        if (held != '/' && held != '\0')
            continue;
        *at = '\0';
        const int failed = mkdir(copy, 0777) != 0 ? errno : 0;
        if (failed != 0 && !jsni_folder_exists(copy))
            status = jsni_fail(JSN_ERR_IO, "%s: the folder cannot be created: %s", copy,
                               strerror(failed));
        *at = held;
        if (held == '\0')
            break;
    }
    jsni_free(copy);
    return status;
}

char *jsni_path_join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = jsni_alloc(size, 1);
    const bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] != '/';
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    return path;
}
