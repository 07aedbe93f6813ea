/* format/compressed.h - files that may be compressed. Which file is compiled,
 * compressed.c or compressed_none.c, depends on libarchive. */
#ifndef JSNI_FORMAT_COMPRESSED_H
#define JSNI_FORMAT_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/status.h"

/* Reads a whole file of at most the limit `file` (core/limit.h), and decompresses what
 * begins as .xz, .gz, .bz2, .zst, .lz4 or .lz files do, by content and not by name; then
 * the limit `ratio` holds, too. *out is owned and has a NUL behind its last byte.
 *   JSN_ERR_DATA         cannot be read, damaged, beyond a limit
 *   JSN_ERR_UNSUPPORTED  compressed, and this build has no libarchive
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_file_read_any(const char *path, char **out,
                                             size_t *length);

/* What comes out of one compressed file, piece by piece, counted: decompression stops at
 * the limits `archive`, `ratio` and `layers`. No program is ever started for it. */
typedef struct jsni_unpacker jsni_unpacker;

/* *out is NULL when the file is not compressed: it is to be read as it is.
 *   JSN_ERR_DATA, JSN_ERR_UNSUPPORTED, JSN_ERR_MEMORY as above */
JSN_MUST_CHECK jsn_status jsni_unpacker_open(jsni_unpacker **out, const char *path);

/* The next piece, borrowed until the next call; *length is 0 at the end. */
JSN_MUST_CHECK jsn_status jsni_unpacker_next(jsni_unpacker *unpacker, const void **data,
                                             size_t *length);

/* Bytes of the compressed file that have been read. */
size_t jsni_unpacker_at(const jsni_unpacker *unpacker);
void jsni_unpacker_close(jsni_unpacker *unpacker); /* accepts NULL */

/* How bytes are compressed, by how they begin. */
typedef enum jsni_compression {
    JSNI_COMPRESSION_NONE,
    JSNI_COMPRESSION_GZIP,
    JSNI_COMPRESSION_BZIP2,
    JSNI_COMPRESSION_XZ,
    JSNI_COMPRESSION_ZSTD,
    JSNI_COMPRESSION_LZ4,
    JSNI_COMPRESSION_LZIP
} jsni_compression;

enum { JSNI_COMPRESSION_HEAD = 10 }; /* bytes that tell */
jsni_compression jsni_compression_of(const char *data, size_t length);

/* The same of a file, which must be a regular one: also its size, and itself, opened for
 * reading, which the caller closes.
 *   JSN_ERR_DATA, JSN_ERR_IO as jsni_file_read(); then nothing is open */
JSN_MUST_CHECK jsn_status jsni_compression_open(const char *path, jsni_compression *out,
                                                size_t *size, int *fd);

/* The failure of a call into libarchive, by its text and number: JSN_ERR_MEMORY,
 * JSN_ERR_IO, or JSN_ERR_DATA with "path: what: text". errno was cleared before the file was opened.
 * Only in builds that have libarchive. */
jsn_status jsni_archive_fail(const char *path, const char *what, const char *text,
                             int error);

#endif /* JSNI_FORMAT_COMPRESSED_H */
