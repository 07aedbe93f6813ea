/* data/listing.h - lists of relative paths, from folders and archives. */
#ifndef JSNI_DATA_LISTING_H
#define JSNI_DATA_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

typedef struct jsni_listing {
    char *text; /* NUL-terminated, back to back */
    size_t length, room;
    size_t *at; /* [count], where each name starts */
    size_t count, count_room;
} jsni_listing; /* zero-initialise */

JSN_MUST_CHECK jsn_status jsni_listing_add(jsni_listing *list, const char *name);
const char *jsni_listing_name(const jsni_listing *list, size_t index);
void jsni_listing_release(jsni_listing *list);

/* Sorts the names folder by folder; order[i] becomes the old number of name i. Refuses,
 * with JSN_ERR_DATA and `where` in the sentence, a name that occurs twice. On failure the
 * list is as it was. */
JSN_MUST_CHECK jsn_status jsni_listing_sort(jsni_listing *list, const char *where,
                                            size_t *order);

/* All files and folders below `root`, links followed, hidden ones (a leading dot),
 * __MACOSX and the folders of runs left out. `wants` says which files to take. A link
 * that leads nowhere is a file when it is wanted, and goes to `lost` otherwise.
 *   JSN_ERR_DATA  unreadable, nested too deeply, a name that is not UTF-8 */
JSN_MUST_CHECK jsn_status jsni_listing_walk(jsni_listing *files, jsni_listing *folders,
                                            jsni_listing *lost, const char *root,
                                            bool (*wants)(const char *name));

/* Checks a path from an archive or a list file and copies its plain form ("./a//b"
 * becomes "a/b") to `to`, which has room for JSNI_DATASET_MAX_NAME bytes. Refuses, with
 * JSN_ERR_DATA and `where` in the sentence, what is absolute, holds ".." or a control
 * character, is not UTF-8 or too long. An empty result is fine. */
JSN_MUST_CHECK jsn_status jsni_path_plain(const char *where, const char *path,
                                          char *to);

/* Appends a part of `length` bytes to the plain path of *used bytes in `to`, which has room
 * for JSNI_DATASET_MAX_NAME; false when it does not fit. Writes no end. */
bool jsni_path_add(char *to, size_t *used, const char *part, size_t length);

/* Whether a name ends like an image, in any case; of a format that is read, or one that
 * people would expect to be. */
bool jsni_is_image_name(const char *name);

bool jsni_is_utf8(const char *text);

#endif /* JSNI_DATA_LISTING_H */
