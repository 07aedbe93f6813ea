/* core/file.c - see core/file.h: what is read, and folders. */
#define _XOPEN_SOURCE 700
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file_place.h"

static jsn_status read_failed(const char *path, const char *why)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be read: %s", path, why);
}

static jsn_status read_open(int fd, const char *path, size_t limit, char **out,
                            size_t *length)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return read_failed(path, strerror(errno));
    if (!S_ISREG(info.st_mode))
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
            return read_failed(path, why);
        }
        have += (size_t)n;
    }
    data[size] = '\0';
    *out = data;
    *length = size;
    return JSN_OK;
}

jsn_status jsni_file_read_in(const char *folder, const char *name, size_t limit,
                             char **out, size_t *length)
{
    int fd = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    /* Not blocking: a FIFO must be refused, not waited for. */
    jsn_status status = jsni_file_open(&fd, folder, name, O_RDONLY | O_NONBLOCK);
    if (status == JSN_OK) {
        status = read_open(fd, path, limit, out, length);
        (void)close(fd);
    }
    jsni_free(path);
    return status;
}

jsn_status jsni_file_read(const char *path, size_t limit, char **out, size_t *length)
{
    return jsni_file_read_in(NULL, path, limit, out, length);
}

bool jsni_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool jsni_file_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool jsni_folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static jsn_status create_failed(const char *path, int error)
{
    struct stat info;
    const bool link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    return jsni_fail(JSN_ERR_IO, "%s: the folder cannot be created: %s%s", path,
                     strerror(error), link ? " (a link that leads nowhere)" : "");
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
            status = create_failed(copy, failed);
        *at = held;
        if (held == '\0')
            break;
    }
    jsni_free(copy);
    return status;
}

static jsn_status create_in(const char *folder, const char *name, const char *path)
{
    const char *base = NULL;
    int at = -1, fd = -1;
    JSNI_TRY(jsni_place_open(&at, folder, name, path, &base));
    const int failed = mkdirat(at, base, 0777) != 0 ? errno : 0;
    (void)close(at);
    if (failed != 0 && failed != EEXIST)
        return create_failed(path, failed);
    JSNI_TRY(jsni_file_open(&fd, folder, name, O_RDONLY | O_DIRECTORY));
    (void)close(fd);
    return JSN_OK;
}

jsn_status jsni_folder_create_in(const char *folder, const char *name)
{
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = create_in(folder, name, path);
    jsni_free(path);
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
