/* core/file.h - whole files in, whole files out, lines at the end of a file.
 *
 * A file is named by a folder and a name. Without a folder (NULL) the name is a path as a
 * user gives it, and links are followed. With one, the file is the program's own, such as
 * those of a run: the folder may be reached through links, but none is followed from there
 * to the file, and there is no way up (".."), whoever made what is in the folder.
 */
#ifndef JSNI_CORE_FILE_H
#define JSNI_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* The path of a file so named, for sentences, as an owned text; NULL: no memory. */
char *jsni_file_path(const char *folder, const char *name);

/* What an errno of opening or looking at a file means: JSN_ERR_DATA, there is no such file,
 * or it is of another kind, today and tomorrow; JSN_ERR_IO, everything else: the disk, the
 * network, a limit, a permission. */
jsn_status jsni_errno_status(int error);

/* Opens a file; `flags` are those of open(), which is called again when it is interrupted.
 *   JSN_ERR_DATA, JSN_ERR_IO as above; a link in the way of an own file is JSN_ERR_DATA */
JSN_MUST_CHECK jsn_status jsni_file_open(int *fd, const char *folder, const char *name,
                                         int flags);

/* Whether there is a regular file; JSN_ERR_IO when that cannot be known, JSN_ERR_DATA when a
 * link stands in the way of an own file. */
JSN_MUST_CHECK jsn_status jsni_file_find(const char *folder, const char *name,
                                         bool *there);

/* The same of a folder. */
JSN_MUST_CHECK jsn_status jsni_folder_find(const char *folder, const char *name,
                                           bool *there);

/* Whether two paths lead to one file. */
bool jsni_file_same(const char *path, const char *other);

/* Reads a whole file of at most `limit` bytes. *out is owned by the caller
 * (jsni_free) and has a NUL behind its last byte.
 *   JSN_ERR_DATA  there is none, not a regular file, larger than limit
 *   JSN_ERR_IO    it cannot be read now
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_read(const char *path, size_t limit, char **out,
                                         size_t *length);
JSN_MUST_CHECK jsn_status jsni_file_read_in(const char *folder, const char *name,
                                            size_t limit, char **out, size_t *length);

/* Writes a file so that a reader, also after a crash or a full disk, sees the old
 * content or the new one, never a part: a temporary file beside it, synced, renamed
 * over it, the folder synced. JSN_ERR_IO leaves the old file as it was. A user's
 * symbolic link stays, the file behind it is replaced (a link that leads nowhere is replaced
 * itself); a device or a pipe is written to as it is. In place of an own file a link is
 * replaced itself. */
JSN_MUST_CHECK jsn_status jsni_file_write(const char *path, const void *data,
                                          size_t length);
JSN_MUST_CHECK jsn_status jsni_file_write_in(const char *folder, const char *name,
                                             const void *data, size_t length);

/* The same for what can be made again (pictures, pages): does not wait for the disk, so
 * that after a power failure the file may be empty. */
JSN_MUST_CHECK jsn_status jsni_file_write_unsynced(const char *folder, const char *name,
                                                   const void *data, size_t length);

/* The first one in pieces: begin opens the temporary file, add appends, end makes it the
 * file (when `status` is JSN_OK) or removes it, and returns the first failure. */
typedef struct jsni_file_writer {
    int fd, folder; /* of the file; of its folder, -1: written to directly */
    bool unsynced;
    char *path;         /* owned; as given, for messages */
    char *name;         /* owned; in the folder: the file that is replaced, */
    char temporary[64]; /* and what it is called until then; locked by its writer */
} jsni_file_writer;

JSN_MUST_CHECK jsn_status jsni_file_begin(jsni_file_writer *writer, const char *folder,
                                          const char *name);
JSN_MUST_CHECK jsn_status jsni_file_add(jsni_file_writer *writer, const void *data,
                                        size_t length);
JSN_MUST_CHECK jsn_status jsni_file_end(jsni_file_writer *writer, jsn_status status);

/* Removes the temporary files that killed writers have left in a folder: those that have
 * the name of one and that nobody has locked. What cannot be removed stays. */
void jsni_file_remove_left(const char *folder, const char *name);

/* The own file `fresh` takes the place of `name`, and what was there that of `other`, durably.
 * Both are there at any time, once they have been: two files, where the file system can
 * exchange files, else for a moment the same one. No file `name` before is fine. */
JSN_MUST_CHECK jsn_status jsni_file_rotate(const char *folder, const char *fresh,
                                           const char *name, const char *other);

/* Renames an own file over another one, durably. */
JSN_MUST_CHECK jsn_status jsni_file_rename(const char *folder, const char *from,
                                           const char *to);

/* Moves an own file to another place below the same folder, where the way is there and the
 * name is free, durably. A file that takes the name at the same moment is not written over,
 * but where the file system has neither a rename that says so nor links.
 *   JSN_ERR_DATA  there is no such file, a link is in the way, or the name is taken (*taken)
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_move(const char *folder, const char *from,
                                         const char *to, bool *taken);

/* Adds to the end of a file, which is made when it is not there. Not synced: after a
 * power failure the end may be missing, after a full disk it may be cut. */
JSN_MUST_CHECK jsn_status jsni_file_append(const char *folder, const char *name,
                                           const void *data, size_t length);

/* What was written to the file survives a power failure. */
JSN_MUST_CHECK jsn_status jsni_file_sync(const char *folder, const char *name);

/* Makes what was renamed in a folder durable. A file system that cannot sync a folder is
 * not an error: the data is there. */
JSN_MUST_CHECK jsn_status jsni_folder_sync(const char *path);

/* Creates a folder and those above it; one that exists is fine. */
JSN_MUST_CHECK jsn_status jsni_folder_create(const char *path);

/* The same for one folder inside a folder that is there; a link is refused. */
JSN_MUST_CHECK jsn_status jsni_folder_create_in(const char *folder, const char *name);

bool jsni_file_exists(const char *path); /* a regular file */
bool jsni_folder_exists(const char *path);

/* "folder/name" as an owned text; NULL when there is no memory. */
char *jsni_path_join(const char *folder, const char *name);

#endif /* JSNI_CORE_FILE_H */
