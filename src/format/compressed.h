/* format/compressed.h - whole files that may be compressed. Which file is compiled,
 * compressed.c or compressed_none.c, depends on libarchive. */
#ifndef JSNI_FORMAT_COMPRESSED_H
#define JSNI_FORMAT_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

/* As jsni_file_read(), and decompresses what begins as .xz, .gz, .bz2 or .zst files do,
 * by content and not by name. `limit` holds for both sizes, so that a bomb stops there.
 *   JSN_ERR_DATA         cannot be read, damaged, larger than `limit`
 *   JSN_ERR_UNSUPPORTED  compressed, and this build has no libarchive
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_read_any(const char *path, size_t limit, char **out,
                                             size_t *length);

/* Whether the bytes begin as a compressed file does. */
bool jsni_is_compressed(const char *data, size_t length);

#endif /* JSNI_FORMAT_COMPRESSED_H */
