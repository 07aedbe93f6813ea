/* core/folder.h - what a folder holds. */
#ifndef JSNI_CORE_FOLDER_H
#define JSNI_CORE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/option.h"
#include "jensen/status.h"

typedef struct jsni_folder_entry {
    char *name;  /* owned */
    bool folder; /* else a regular file; links count as what they lead to */
    bool lost;   /* a link that leads nowhere, or what cannot be looked at: as a file */
} jsni_folder_entry;

/* The regular files and folders in `path`, without "." and "..", sorted by the bytes of
 * their names. Other kinds, such as pipes, are left out.
 *   JSN_ERR_DATA  there is none, or it may not be read
 *   JSN_ERR_IO    it cannot be read now, or not all of it
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_folder_list(const char *path, jsni_folder_entry **out,
                                           size_t *count);
void jsni_folder_free(jsni_folder_entry *entries, size_t count); /* accepts NULL */

/* The length of the longest beginning of the path that is a folder; 0: none is. With it the
 * second takes back what was made since, as far as it is empty; it shortens the path. */
size_t jsni_folder_existing(char *path);
void jsni_folder_remove_made(char *path, size_t existing);

/* What tells one state of a file from another without reading it. */
typedef struct jsni_file_identity {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last change of its content, as it is told */
    /* Of the last change of anything about it, which nobody can set. */
    int64_t state_seconds, state_nanoseconds;
} jsni_file_identity;

/* JSN_ERR_DATA when there is no such file. */
JSN_MUST_CHECK jsn_status jsni_file_identify(const char *path, jsni_file_identity *out);

/* The path without links and ".." as an owned text; JSN_ERR_DATA when it leads nowhere. */
JSN_MUST_CHECK jsn_status jsni_path_real(const char *path, char **out);

/* Whether `path`, which need not exist, is `folder` or lies in it, whatever links say. */
bool jsni_path_inside(const char *path, const char *folder);

/* The way from a folder to a file, "../photos/a.jpg", where both are absolute and without
 * links: an owned text, NULL when there is no memory. */
char *jsni_path_between(const char *folder, const char *file);

/* Adds the paths that fit a shell pattern (* ? [...]), sorted; a pattern that nothing
 * fits adds nothing. */
JSN_MUST_CHECK jsn_status jsni_path_glob(const char *pattern, jsn_texts *out);

#endif /* JSNI_CORE_FOLDER_H */
