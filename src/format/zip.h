/* format/zip.h - the members of a zip archive in memory that are stored as they are, as
 * PyTorch writes its files. Archives that compress are read by data/archive.h. */
#ifndef JSNI_FORMAT_ZIP_H
#define JSNI_FORMAT_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_zip_member {
    const char *name; /* in the bytes; not terminated */
    size_t name_length;
    const uint8_t *data; /* in the bytes; NULL: compressed or encrypted */
    size_t length;
} jsni_zip_member;

typedef struct jsni_zip {
    jsni_zip_member *members; /* [count] owned; sorted by name */
    size_t count;
} jsni_zip; /* zero-initialise */

/* Whether bytes begin as a zip archive does. */
bool jsni_zip_is(const uint8_t *data, size_t length);

/* Lists the members; `data` must stay until the release. `path` begins the sentence.
 *   JSN_ERR_DATA  damaged or cut: a member that is not inside the file, two of one name
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_zip_open(jsni_zip *out, const char *path,
                                        const uint8_t *data, size_t length);
void jsni_zip_release(jsni_zip *zip);

/* The member of a name of `length` bytes; NULL when there is none. */
const jsni_zip_member *jsni_zip_find(const jsni_zip *zip, const char *name,
                                     size_t length);

#endif /* JSNI_FORMAT_ZIP_H */
