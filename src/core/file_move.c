/* core/file_move.c - see jsni_file_move() in core/file.h. The call that takes the name also looks
 * whether it is free: between a look and a rename another process could put its file there. */
#define _GNU_SOURCE /* renameat2 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_place.h"

/* Two open folders, the names in them, and the new path, for sentences. */
typedef struct way {
    int from_at, to_at;
    const char *from, *to, *path;
} way;

static jsn_status move_failed(const way *w, int error)
{
    return jsni_fail(JSN_ERR_IO, "%s: cannot be written: %s", w->path, strerror(error));
}

/* 0 or an errno, as the next ones. */
static int rename_to_free(const way *w)
{
#ifdef RENAME_NOREPLACE
    return renameat2(w->from_at, w->from, w->to_at, w->to, RENAME_NOREPLACE) == 0
               ? 0
               : errno;
#else
    (void)w;
    return ENOSYS;
#endif
}

/* For systems and file systems without the first: a link replaces nothing either. */
static int link_to_free(const way *w)
{
    return linkat(w->from_at, w->from, w->to_at, w->to, 0) == 0 ? 0 : errno;
}

/* For those without links: here a file that appears at this moment is lost. */
static int look_and_rename(const way *w)
{
    struct stat info;
    if (fstatat(w->to_at, w->to, &info, AT_SYMLINK_NOFOLLOW) == 0)
        return EEXIST;
    return errno == ENOENT && renameat(w->from_at, w->from, w->to_at, w->to) == 0
               ? 0
               : errno;
}

/* Whether the file system has no such call. */
static bool is_unknown(int error)
{
    return error == EINVAL || error == ENOSYS || error == ENOTSUP ||
           error == EOPNOTSUPP;
}

/* Whether both names are those of one file, linked and not yet renamed. */
static bool has_both(const way *w)
{
    struct stat a, b;
    return fstatat(w->from_at, w->from, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(w->to_at, w->to, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_nlink > 1 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static jsn_status take_name(const way *w, bool *taken)
{
    bool linked = false;
    int failed = rename_to_free(w);
    if (is_unknown(failed)) {
        failed = link_to_free(w);
        linked = failed == 0;
        if (is_unknown(failed) || failed == EPERM || failed == EMLINK)
            failed = look_and_rename(w);
    }
    if (failed == EEXIST) /* a move by links that was killed is done to its end */
        linked = has_both(w);
    if (linked)
        failed = unlinkat(w->from_at, w->from, 0) == 0 ? 0 : errno;
    *taken = failed == EEXIST;
    if (*taken)
        return jsni_fail(JSN_ERR_DATA, "%s: this file exists already", w->path);
    return failed == 0 ? JSN_OK : move_failed(w, failed);
}

static jsn_status move_between(const way *w, bool *taken)
{
    struct stat info;
    const int unseen =
        fstatat(w->from_at, w->from, &info, AT_SYMLINK_NOFOLLOW) != 0 ? errno : 0;
    if (unseen != 0 && jsni_errno_status(unseen) == JSN_ERR_IO)
        return jsni_fail(JSN_ERR_IO, "%s: its file cannot be looked at: %s", w->path,
                         strerror(unseen));
    if (unseen != 0 || !S_ISREG(info.st_mode))
        return jsni_fail(JSN_ERR_DATA, "%s: its file is not where it was, or a link",
                         w->path);
    JSNI_TRY(take_name(w, taken));
    JSNI_TRY(jsni_place_sync(w->to_at, w->path));
    return jsni_place_sync(w->from_at, w->path);
}

jsn_status jsni_file_move(const char *folder, const char *from, const char *to,
                          bool *taken)
{
    way w = {.from_at = -1, .to_at = -1};
    *taken = false;
    char *path = jsni_file_path(folder, to);
    JSNI_TRY_ALLOC(path);
    w.path = path;
    jsn_status status = jsni_place_open(&w.from_at, folder, from, path, &w.from);
    if (status == JSN_OK)
        status = jsni_place_open(&w.to_at, folder, to, path, &w.to);
    if (status == JSN_OK)
        status = move_between(&w, taken);
    if (w.from_at >= 0)
        (void)close(w.from_at);
    if (w.to_at >= 0)
        (void)close(w.to_at);
    jsni_free(path);
    return status;
}
