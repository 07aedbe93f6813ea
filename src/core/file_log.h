/* core/file_log.h - a table that several processes add rows to, each row synced.
 *
 *     jsni_file_log log;
 *     if (jsni_file_log_open(&log, folder, "decisions.csv", 4) == JSN_OK &&
 *         jsni_file_log_lock(&log, &news) == JSN_OK) {
 *         ... news: the rows that were added since the last look, by whoever ...
 *         status = jsni_file_log_add(&log, row, strlen(row));
 *         jsni_file_log_unlock(&log);
 *     }
 *     jsni_file_log_close(&log);
 *
 * A row ends with a line feed outside of quotes. What a killed writer has left at the end is
 * made a row when it has all cells, and cut off otherwise, by whoever locks the file next.
 * So are empty lines at the end, as editors leave them: a row behind one is not a table's.
 */
#ifndef JSNI_CORE_FILE_LOG_H
#define JSNI_CORE_FILE_LOG_H

#include "core/text.h"

typedef struct jsni_file_log {
    int fd;
    char *path;   /* owned; for sentences */
    size_t cells; /* of a row */
    size_t known; /* bytes of whole rows that were handed out */
} jsni_file_log;

/* Bytes of the whole rows at the start of a text that begins with a row; the last one may
 * lack its line feed. */
size_t jsni_file_log_whole(const char *text, size_t length, size_t cells);

/* Opens folder/name (core/file.h), which is made when it is not there.
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_log_open(jsni_file_log *log, const char *folder,
                                             const char *name, size_t cells);
void jsni_file_log_close(jsni_file_log *log); /* a zeroed one is fine */

/* Waits until no other process has the file, and appends to `news` the whole rows that are
 * new. The file stays locked when it succeeds.
 *   JSN_ERR_DATA  the file became shorter, or is larger than the limit `file`
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_log_lock(jsni_file_log *log, jsni_text *news);
void jsni_file_log_unlock(jsni_file_log *log);

/* Adds rows to a locked file and waits for the disk. When it fails, none of them is there.
 *   JSN_ERR_IO */
JSN_MUST_CHECK jsn_status jsni_file_log_add(jsni_file_log *log, const char *rows,
                                            size_t length);

#endif /* JSNI_CORE_FILE_LOG_H */
