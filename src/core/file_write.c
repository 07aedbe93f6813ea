/* core/file_write.c - see core/file.h: what is written, and how it comes into its place. */
#define _GNU_SOURCE 1 /* flock, getentropy, realpath, renameat2 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_place.h"

/* Temporary files: "jensen-0123456789abcdef.tmp". */
static const char prefix[] = "jensen-", suffix[] = ".tmp";
enum { DIGITS = 16 };

static jsn_status write_failed(const char *path)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Where something is to be written, that its folder is missing is no bad data. */
static jsn_status as_written(jsn_status status, const char *path)
{
    return status == JSN_ERR_DATA && errno != ELOOP ? write_failed(path) : status;
}

/* A name that is free as good as surely; whoever has it loses nothing, since the file is
 * made with O_EXCL. */
static void draw_name(char name[64])
{
    uint64_t number = 0;
    if (getentropy(&number, sizeof number) != 0)
        number = (uint64_t)(uintptr_t)name ^ ((uint64_t)getpid() << 32);
    (void)snprintf(name, 64, "%s%016" PRIx64 "%s", prefix, number, suffix);
}

static bool is_temporary(const char *name)
{
    const size_t before = strlen(prefix);
    return strncmp(name, prefix, before) == 0 &&
           strspn(name + before, "0123456789abcdef") == DIGITS &&
           strcmp(name + before + DIGITS, suffix) == 0;
}

/* Whether the fresh file is its writer's: somebody who removes what was left may have come
 * before the lock. A file system without locks is taken at its word. */
static bool is_kept(int fd)
{
    struct stat info;
    return !(flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) &&
           fstat(fd, &info) == 0 && info.st_nlink > 0;
}

static jsn_status open_temporary(jsni_file_writer *writer)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        draw_name(writer->temporary);
        writer->fd = jsni_open_at(writer->folder, writer->temporary,
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (writer->fd < 0 && errno != EEXIST)
            return write_failed(writer->path);
        if (writer->fd >= 0 && is_kept(writer->fd))
            return JSN_OK;
        if (writer->fd >= 0) {
            (void)unlinkat(writer->folder, writer->temporary, 0);
            (void)close(writer->fd);
        }
    }
    writer->fd = -1;
    errno = EEXIST;
    return write_failed(writer->path);
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

/* Opens what a user's path leads to: its folder, or itself when there is no name to replace. */
static jsn_status open_target(jsni_file_writer *writer)
{
    bool direct = false;
    char *target = replaced_file(writer->path, &direct);
    if (direct) {
        writer->fd = jsni_open_at(AT_FDCWD, writer->path, O_WRONLY | O_TRUNC);
        return writer->fd < 0 ? write_failed(writer->path) : JSN_OK;
    }
    JSNI_TRY_ALLOC(target);
    char *slash = strrchr(target, '/');
    const char *base = slash == NULL ? target : slash + 1, *none = NULL;
    writer->name = jsni_text_copy(base);
    if (slash != NULL)
        slash[slash == target ? 1 : 0] = '\0';
    jsn_status status = writer->name == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK && writer->name[0] == '\0') {
        errno = EISDIR;
        status = write_failed(writer->path);
    } else if (status == JSN_OK) {
        status = jsni_place_open(&writer->folder, slash == NULL ? "." : target,
                                 writer->name, writer->path, &none);
    }
    jsni_free(target);
    return status;
}

jsn_status jsni_file_begin(jsni_file_writer *writer, const char *folder,
                           const char *name)
{
    *writer = (jsni_file_writer){.fd = -1, .folder = -1};
    writer->path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(writer->path);
    jsn_status status = JSN_OK;
    if (folder == NULL) {
        status = open_target(writer);
    } else {
        const char *base = NULL;
        status = jsni_place_open(&writer->folder, folder, name, writer->path, &base);
        if (status == JSN_OK && (writer->name = jsni_text_copy(base)) == NULL)
            status = JSN_ERR_MEMORY;
    }
    status = as_written(status, writer->path);
    if (status == JSN_OK && writer->folder >= 0)
        status = open_temporary(writer);
    return status == JSN_OK ? JSN_OK : jsni_file_end(writer, status);
}

static jsn_status write_all(int fd, const char *path, const void *data, size_t length)
{
    const char *at = data;
    while (length > 0) {
        const ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return write_failed(path);
        at += n;
        length -= (size_t)n;
    }
    return JSN_OK;
}

jsn_status jsni_file_add(jsni_file_writer *writer, const void *data, size_t length)
{
    return write_all(writer->fd, writer->path, data, length);
}

static jsn_status sync_all(int fd, const char *path)
{
    int result = 0;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 ? JSN_OK : write_failed(path);
}

/* A close that was interrupted has closed. */
static jsn_status close_written(int fd, const char *path, jsn_status status)
{
    if (fd >= 0 && close(fd) != 0 && errno != EINTR && status == JSN_OK)
        status = write_failed(path);
    return status;
}

jsn_status jsni_file_end(jsni_file_writer *writer, jsn_status status)
{
    const bool made = writer->fd >= 0, direct = writer->folder < 0;
    const bool sync = !writer->unsynced && !direct;
    if (status == JSN_OK && sync)
        status = sync_all(writer->fd, writer->path);
    status = close_written(writer->fd, writer->path, status);
    if (made && !direct) {
        if (status == JSN_OK && renameat(writer->folder, writer->temporary,
                                         writer->folder, writer->name) != 0)
            status = write_failed(writer->path);
        if (status != JSN_OK)
            (void)unlinkat(writer->folder, writer->temporary, 0);
        else if (sync)
            status = jsni_place_sync(writer->folder, writer->path);
    }
    if (!direct)
        (void)close(writer->folder);
    jsni_free(writer->name);
    jsni_free(writer->path);
    *writer = (jsni_file_writer){.fd = -1, .folder = -1};
    return status;
}

static jsn_status write_whole(const char *folder, const char *name, const void *data,
                              size_t length, bool unsynced)
{
    jsni_file_writer writer;
    JSNI_TRY(jsni_file_begin(&writer, folder, name));
    writer.unsynced = unsynced;
    return jsni_file_end(&writer, jsni_file_add(&writer, data, length));
}

jsn_status jsni_file_write(const char *path, const void *data, size_t length)
{
    return write_whole(NULL, path, data, length, false);
}

jsn_status jsni_file_write_in(const char *folder, const char *name, const void *data,
                              size_t length)
{
    return write_whole(folder, name, data, length, false);
}

jsn_status jsni_file_write_unsynced(const char *folder, const char *name,
                                    const void *data, size_t length)
{
    return write_whole(folder, name, data, length, true);
}

/* Of a file that somebody may have put a pipe or a device in the place of: opening it does not
 * wait for anybody, and writing to it is refused. */
static jsn_status open_regular(int *fd, const char *folder, const char *name,
                               const char *path, int flags)
{
    struct stat info;
    JSNI_TRY(as_written(jsni_file_open(fd, folder, name, flags | O_NONBLOCK), path));
    if (fstat(*fd, &info) != 0)
        return write_failed(path);
    return S_ISREG(info.st_mode)
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA, "%s: not a regular file", path);
}

jsn_status jsni_file_append(const char *folder, const char *name, const void *data,
                            size_t length)
{
    int fd = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status =
        open_regular(&fd, folder, name, path, O_WRONLY | O_CREAT | O_APPEND);
    if (status == JSN_OK)
        status = write_all(fd, path, data, length);
    status = close_written(fd, path, status);
    jsni_free(path);
    return status;
}

jsn_status jsni_file_sync(const char *folder, const char *name)
{
    int fd = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = open_regular(&fd, folder, name, path, O_RDONLY);
    if (status == JSN_OK)
        status = sync_all(fd, path);
    if (fd >= 0)
        (void)close(fd);
    jsni_free(path);
    return status;
}

/* Removes the file unless its writer still holds it. */
static void remove_left(int folder, const char *name)
{
    struct stat info;
    const int fd = jsni_open_at(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

void jsni_file_remove_left(const char *folder, const char *name)
{
    int fd = -1;
    if (jsni_file_open(&fd, folder, name, O_RDONLY | O_DIRECTORY) != JSN_OK)
        return;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        (void)close(fd);
        return;
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(dir)) != NULL)
        if (is_temporary(entry->d_name))
            remove_left(dirfd(dir), entry->d_name);
    (void)closedir(dir);
}

/* link() does not replace a file, so the link is made under another name and renamed: at no
 * time is there no `other`. Somebody who removes what was left may take it in between. */
static jsn_status keep(int folder, const char *name, const char *other,
                       const char *path)
{
    enum { TRIES = 100 };
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? JSN_OK : write_failed(path);
    for (int i = 0; i < TRIES; i++) {
        char link[64];
        draw_name(link);
        const bool linked = linkat(folder, name, folder, link, 0) == 0;
        const bool renamed = renameat(folder, linked ? link : name, folder, other) == 0;
        const int error = errno;
        if (linked) /* two names of one file are not renamed: the link is still there */
            (void)unlinkat(folder, link, 0);
        errno = error;
        if (renamed)
            return JSN_OK;
        if (errno != ENOENT)
            break;
    }
    return write_failed(path);
}

/* By an exchange both files have a name of their own at any time. */
static bool exchange(int folder, const char *fresh, const char *name)
{
#ifdef RENAME_EXCHANGE
    return renameat2(folder, fresh, folder, name, RENAME_EXCHANGE) == 0;
#else
    (void)folder, (void)fresh, (void)name;
    return false;
#endif
}

jsn_status jsni_file_rotate(const char *folder, const char *fresh, const char *name,
                            const char *other)
{
    const char *base = NULL;
    int at = -1;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status =
        as_written(jsni_place_open(&at, folder, name, path, &base), path);
    if (status == JSN_OK) {
        const bool exchanged = exchange(at, fresh, base);
        if (!exchanged)
            status = keep(at, base, other, path);
        if (status == JSN_OK)
            status = renameat(at, fresh, at, exchanged ? other : base) == 0
                         ? jsni_place_sync(at, path)
                         : write_failed(path);
        (void)close(at);
    }
    jsni_free(path);
    return status;
}

jsn_status jsni_file_rename(const char *folder, const char *from, const char *to)
{
    const char *base = NULL;
    int at = -1;
    char *path = jsni_file_path(folder, to);
    JSNI_TRY_ALLOC(path);
    jsn_status status = as_written(jsni_place_open(&at, folder, to, path, &base), path);
    if (status == JSN_OK) {
        status = renameat(at, from, at, base) == 0 ? jsni_place_sync(at, path)
                                                   : write_failed(path);
        (void)close(at);
    }
    jsni_free(path);
    return status;
}
