/* core/folder.c - see core/folder.h. */
#define _XOPEN_SOURCE 700
#include "core/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_place.h"
#include "core/text.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const jsni_folder_entry *)a)->name,
                  ((const jsni_folder_entry *)b)->name);
}

typedef enum kind { OTHER, REGULAR, FOLDER, LOST, UNKNOWN } kind;

static kind kind_of(DIR *dir, const char *name)
{
    struct stat info;
    if (fstatat(dirfd(dir), name, &info, 0) == 0)
        return S_ISDIR(info.st_mode) ? FOLDER : S_ISREG(info.st_mode) ? REGULAR : OTHER;
    /* What was removed since it was listed is not there; what is there, and cannot be
     * looked at, must not vanish unheard: a link may lead to where nobody may look, but
     * what is wrong with the disk is wrong with the list. */
    if (errno != EACCES && jsni_errno_status(errno) == JSN_ERR_IO)
        return UNKNOWN;
    return fstatat(dirfd(dir), name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
               ? OTHER
               : LOST;
}

/* A folder that may not be read is a matter of the data, not of the moment. */
static jsn_status list_failed(const char *path, int error)
{
    return jsni_fail(error == EACCES ? JSN_ERR_DATA : jsni_errno_status(error),
                     "%s: cannot be read as a folder: %s", path, strerror(error));
}

static jsn_status add(jsni_folder_entry **entries, size_t *count, size_t *room,
                      const char *name, kind what)
{
    if (*count == *room) {
        const size_t wanted = *room == 0 ? 64 : *room * 2;
        jsni_folder_entry *larger = jsni_realloc(*entries, wanted, sizeof **entries);
        JSNI_TRY_ALLOC(larger);
        *entries = larger;
        *room = wanted;
    }
    char *copy = jsni_text_copy(name);
    JSNI_TRY_ALLOC(copy);
    (*entries)[(*count)++] = (jsni_folder_entry){copy, what == FOLDER, what == LOST};
    return JSN_OK;
}

jsn_status jsni_folder_list(const char *path, jsni_folder_entry **out, size_t *count)
{
    *out = NULL;
    *count = 0;
    const int fd = jsni_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && dir == NULL)
        (void)close(fd);
    if (dir == NULL)
        return list_failed(path, errno);
    jsni_folder_entry *entries = NULL;
    size_t used = 0, room = 0;
    jsn_status status = JSN_OK;
    while (status == JSN_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            if (errno != 0)
                status = list_failed(path, errno);
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const kind what = kind_of(dir, entry->d_name);
        if (what == UNKNOWN)
            status = list_failed(path, errno);
        else if (what != OTHER)
            status = add(&entries, &used, &room, entry->d_name, what);
    }
    (void)closedir(dir);
    if (status != JSN_OK) {
        jsni_folder_free(entries, used);
        return status;
    }
    if (used > 0)
        qsort(entries, used, sizeof *entries, by_name);
    *out = entries;
    *count = used;
    return JSN_OK;
}

void jsni_folder_free(jsni_folder_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        jsni_free(entries[i].name);
    jsni_free(entries);
}

jsn_status jsni_file_identify(const char *path, jsni_file_identity *out)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return jsni_fail(jsni_errno_status(errno), "%s: %s", path, strerror(errno));
    *out = (jsni_file_identity){
        (uint64_t)info.st_dev,         (uint64_t)info.st_ino,
        (uint64_t)info.st_size,        (int64_t)info.st_mtim.tv_sec,
        (int64_t)info.st_mtim.tv_nsec, (int64_t)info.st_ctim.tv_sec,
        (int64_t)info.st_ctim.tv_nsec};
    return JSN_OK;
}

jsn_status jsni_path_real(const char *path, char **out)
{
    *out = NULL;
    char *found = realpath(path, NULL);
    if (found == NULL)
        return jsni_fail(jsni_errno_status(errno), "%s: %s", path, strerror(errno));
    *out = jsni_text_copy(found);
    free(found); /* of libc's malloc */
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

char *jsni_path_between(const char *folder, const char *file)
{
    jsni_text text = {0};
    char *out = NULL;
    size_t shared = 0; /* up to which folder both are the same, its slash included */
    for (size_t i = 0;; i++) {
        const bool ended = folder[i] == '\0';
        if (file[i] == '/' && (ended || folder[i] == '/'))
            shared = i + 1;
        if (ended || file[i] != folder[i])
            break;
    }
    for (size_t i = shared; i < strlen(folder); i++)
        if (folder[i] == '/' || folder[i + 1] == '\0')
            jsni_text_add(&text, "../");
    jsni_text_add(&text, file + shared);
    return jsni_text_take(&text, &out) == JSN_OK ? out : NULL;
}

jsn_status jsni_path_glob(const char *pattern, jsn_texts *out)
{
    glob_t found;
    const int result = glob(pattern, 0, NULL, &found);
    if (result == GLOB_NOMATCH)
        return JSN_OK;
    if (result != 0)
        return jsni_fail(result == GLOB_NOSPACE ? JSN_ERR_MEMORY : JSN_ERR_DATA,
                         "%s: the names cannot be listed", pattern);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < found.gl_pathc; i++)
        status = jsn_texts_add(out, found.gl_pathv[i]);
    globfree(&found);
    return status;
}

size_t jsni_folder_existing(char *path)
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

void jsni_folder_remove_made(char *path, size_t existing)
{
    for (size_t length = strlen(path); length > existing; length--) {
        if (path[length] != '\0' && path[length] != '/')
            continue;
        path[length] = '\0';
        if (rmdir(path) != 0 && errno != ENOENT)
            break;
    }
}

bool jsni_path_inside(const char *path, const char *folder)
{
    char *source = realpath(folder, NULL);
    char *above = jsni_text_copy(path);
    char *real = above == NULL ? NULL : realpath(above, NULL);
    for (char *slash; above != NULL && real == NULL && above[0] != '\0';) {
        slash = strrchr(above, '/');
        *(slash != NULL ? slash : above) = '\0';
        real = realpath(above[0] != '\0' ? above : path[0] == '/' ? "/" : ".", NULL);
    }
    const size_t length = source != NULL ? strlen(source) : 0;
    const bool inside = real != NULL && source != NULL &&
                        strncmp(real, source, length) == 0 &&
                        (real[length] == '/' || real[length] == '\0' || length == 1);
    free(source);
    free(real);
    jsni_free(above);
    return inside;
}
