/* core/file_place.c - see core/file_place.h and core/file.h. Own files are reached part by
 * part with openat(), so that a link that is put in the way while they are is not followed
 * either. */
#define _GNU_SOURCE /* O_PATH: a folder that may be entered, but not listed */
#include "core/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"

#ifdef O_PATH
enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };
#else
enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
#endif

jsn_status jsni_errno_status(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENXIO: /* a socket */
        return JSN_ERR_DATA;
    default:
        return JSN_ERR_IO;
    }
}

int jsni_open_at(int fd, const char *name, int flags)
{
    int opened = -1;
    do
        opened = openat(fd, name, flags | O_CLOEXEC, 0666);
    while (opened < 0 && errno == EINTR);
    return opened;
}

char *jsni_file_path(const char *folder, const char *name)
{
    return folder == NULL ? jsni_text_copy(name) : jsni_path_join(folder, name);
}

/* These leave errno as it was, ELOOP for a name that is refused. */
static jsn_status open_failed(const char *path)
{
    const int error = errno;
    const jsn_status status = jsni_fail(
        jsni_errno_status(error), "%s: cannot be opened: %s", path, strerror(error));
    errno = error;
    return status;
}

static jsn_status link_refused(const char *path)
{
    const jsn_status status =
        jsni_fail(JSN_ERR_DATA,
                  "%s: a symbolic link; the files of a run folder are its own, and "
                  "links in it are not followed",
                  path);
    errno = ELOOP;
    return status;
}

static jsn_status name_refused(const char *path)
{
    const jsn_status status =
        jsni_fail(JSN_ERR_DATA, "%s: not a name inside its folder", path);
    errno = ELOOP;
    return status;
}

static bool is_link(int folder, const char *name)
{
    const int error = errno;
    struct stat info;
    const bool link =
        fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    errno = error;
    return link;
}

/* Goes from *fd, which is closed, down into the folder of `length` bytes at `part`. */
static jsn_status step_down(int *fd, const char *part, size_t length, const char *path)
{
    char name[256];
    if (length == 0 || length >= sizeof name || strncmp(part, "../", 3) == 0)
        return name_refused(path);
    memcpy(name, part, length);
    name[length] = '\0';
    const int below = jsni_open_at(*fd, name, FOLDER | O_NOFOLLOW);
    if (below < 0)
        return is_link(*fd, name) ? link_refused(path) : open_failed(path);
    (void)close(*fd);
    *fd = below;
    return JSN_OK;
}

jsn_status jsni_place_open(int *fd, const char *folder, const char *name,
                           const char *path, const char **base)
{
    const char *slash = NULL;
    jsn_status status = JSN_OK;
    *fd = jsni_open_at(AT_FDCWD, folder, FOLDER);
    if (*fd < 0)
        return open_failed(path);
    while (status == JSN_OK && (slash = strchr(name, '/')) != NULL) {
        status = step_down(fd, name, (size_t)(slash - name), path);
        name = slash + 1;
    }
    if (status == JSN_OK && (*name == '\0' || strcmp(name, "..") == 0))
        status = name_refused(path);
    *base = name;
    if (status != JSN_OK) {
        const int error = errno;
        (void)close(*fd);
        *fd = -1;
        errno = error;
    }
    return status;
}

static jsn_status open_own(int *fd, const char *folder, const char *name,
                           const char *path, int flags)
{
    const char *base = NULL;
    int at = -1;
    JSNI_TRY(jsni_place_open(&at, folder, name, path, &base));
    jsn_status status = JSN_OK;
    *fd = jsni_open_at(at, base, flags | O_NOFOLLOW);
    if (*fd < 0)
        status = is_link(at, base) ? link_refused(path) : open_failed(path);
    (void)close(at);
    return status;
}

jsn_status jsni_file_open(int *fd, const char *folder, const char *name, int flags)
{
    *fd = -1;
    if (folder == NULL) {
        *fd = jsni_open_at(AT_FDCWD, name, flags);
        return *fd < 0 ? open_failed(name) : JSN_OK;
    }
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = open_own(fd, folder, name, path, flags);
    jsni_free(path);
    return status;
}

/* That there is none is an answer, and leaves the sentence of an earlier failure alone. */
static bool is_missing(int error)
{
    return jsni_errno_status(error) == JSN_ERR_DATA && error != ELOOP;
}

static jsn_status find(const char *folder, const char *name, mode_t kind, bool *there)
{
    const char *base = name;
    struct stat info;
    int at = AT_FDCWD;
    *there = false;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status =
        folder == NULL ? JSN_OK : jsni_place_open(&at, folder, name, path, &base);
    const int flags = folder == NULL ? 0 : AT_SYMLINK_NOFOLLOW;
    if (status != JSN_OK)
        status = status == JSN_ERR_DATA && is_missing(errno) ? JSN_OK : status;
    else if (fstatat(at, base, &info, flags) != 0)
        status = is_missing(errno) ? JSN_OK : open_failed(path);
    else if (S_ISLNK(info.st_mode))
        status = link_refused(path);
    else
        *there = (info.st_mode & S_IFMT) == kind;
    if (at >= 0)
        (void)close(at);
    jsni_free(path);
    return status;
}

jsn_status jsni_file_find(const char *folder, const char *name, bool *there)
{
    return find(folder, name, S_IFREG, there);
}

jsn_status jsni_folder_find(const char *folder, const char *name, bool *there)
{
    return find(folder, name, S_IFDIR, there);
}

bool jsni_place_remove(const char *folder, const char *name, bool is_folder)
{
    const char *base = NULL;
    int at = -1;
    char *path = jsni_path_join(folder, name);
    if (path == NULL) {
        errno = ENOMEM;
        return false;
    }
    bool removed = jsni_place_open(&at, folder, name, path, &base) == JSN_OK;
    if (removed) {
        removed = unlinkat(at, base, is_folder ? AT_REMOVEDIR : 0) == 0;
        const int error = errno;
        (void)close(at);
        errno = error;
    }
    jsni_free(path);
    return removed;
}

jsn_status jsni_place_sync(int fd, const char *path)
{
    const int folder = jsni_open_at(fd, ".", O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return errno == EACCES ? JSN_OK : open_failed(path);
    int failed = 0;
    do
        failed = fsync(folder) == 0 ? 0 : errno;
    while (failed == EINTR);
    (void)close(folder);
    if (failed == 0 || failed == EINVAL || failed == ENOTSUP || failed == EROFS)
        return JSN_OK;
    return jsni_fail(JSN_ERR_IO, "%s: the folder cannot be synced: %s", path,
                     strerror(failed));
}

jsn_status jsni_folder_sync(const char *path)
{
    const int fd = jsni_open_at(AT_FDCWD, path, FOLDER);
    if (fd < 0)
        return open_failed(path);
    const jsn_status status = jsni_place_sync(fd, path);
    (void)close(fd);
    return status;
}
