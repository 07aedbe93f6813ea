/* core/file.h - whole files in, whole files out, lines at the end of a file. */
#ifndef JSNI_CORE_FILE_H
#define JSNI_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* Reads a whole file of at most `limit` bytes. *out is owned by the caller
 * (jsni_free) and has a NUL behind its last byte.
 *   JSN_ERR_DATA  cannot be opened or read, not a regular file, larger than limit
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_read(const char *path, size_t limit, char **out,
                                         size_t *length);

/* Writes a file so that a reader, also after a crash or a full disk, sees the old
 * content or the new one, never a part: a temporary file beside it, synced, renamed
 * over it, the folder synced. JSN_ERR_IO leaves the old file as it was. A symbolic link
 * stays, the file behind it is replaced (a link that leads nowhere is replaced itself); a
 * device or a pipe is written to as it is. */
JSN_MUST_CHECK jsn_status jsni_file_write(const char *path, const void *data,
                                          size_t length);

/* The same for what can be made again (pictures, pages): does not wait for the disk, so
 * that after a power failure the file may be empty. */
JSN_MUST_CHECK jsn_status jsni_file_write_unsynced(const char *path, const void *data,
                                                   size_t length);

/* The first one in pieces: begin opens the temporary file, add appends, end makes it the
 * file (when `status` is JSN_OK) or removes it, and returns the first failure. */
typedef struct jsni_file_writer {
    int fd;
    bool unsynced;
    char *path;      /* owned; as given, for messages */
    char *target;    /* owned; the file that is replaced, NULL: written to directly */
    char *temporary; /* owned; beside it, NULL: written to directly */
} jsni_file_writer;

JSN_MUST_CHECK jsn_status jsni_file_begin(jsni_file_writer *writer, const char *path);
JSN_MUST_CHECK jsn_status jsni_file_add(jsni_file_writer *writer, const void *data,
                                        size_t length);
JSN_MUST_CHECK jsn_status jsni_file_end(jsni_file_writer *writer, jsn_status status);

/* Adds to the end of a file, which is made when it is not there. Not synced: after a
 * power failure the end may be missing, after a full disk it may be cut. */
JSN_MUST_CHECK jsn_status jsni_file_append(const char *path, const void *data,
                                           size_t length);

/* What was written to the file survives a power failure. */
JSN_MUST_CHECK jsn_status jsni_file_sync(const char *path);

/* Makes a rename to this path itself durable. A file system that cannot sync a folder is
 * not an error: the data is there. */
void jsni_file_sync_folder(const char *path);

/* Creates a folder and those above it; one that exists is fine. */
JSN_MUST_CHECK jsn_status jsni_folder_create(const char *path);

bool jsni_file_exists(const char *path); /* a regular file */
bool jsni_folder_exists(const char *path);

/* "folder/name" as an owned text; NULL when there is no memory. */
char *jsni_path_join(const char *folder, const char *name);

#endif /* JSNI_CORE_FILE_H */
