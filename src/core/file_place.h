/* core/file_place.h - how the files of core/file.h are reached: shared by those that read
 * and those that write. */
#ifndef JSNI_CORE_FILE_PLACE_H
#define JSNI_CORE_FILE_PLACE_H

#include <stdbool.h>

#include "jensen/status.h"

/* Opens the folder in which the file is, to be named in calls such as openat(); *base is
 * the last part of `name`. Sentences begin with `path`. Fails as jsni_file_open(). */
JSN_MUST_CHECK jsn_status jsni_place_open(int *fd, const char *folder, const char *name,
                                          const char *path, const char **base);

/* Removes an own file, or an empty folder, named as in core/file.h; false leaves errno. */
bool jsni_place_remove(const char *folder, const char *name, bool is_folder);

/* open(), again when it is interrupted. `fd` is of a folder, or AT_FDCWD. */
int jsni_open_at(int fd, const char *name, int flags);

/* Syncs the folder that `fd` is of; JSN_OK also where that is not possible. */
JSN_MUST_CHECK jsn_status jsni_place_sync(int fd, const char *path);

#endif /* JSNI_CORE_FILE_PLACE_H */
