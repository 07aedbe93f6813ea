/* data/pack.h - the wanted files of an archive, ready to be read in any order.
 *
 * Opening one reads the archive once, in order, with decoding threads beside it. When
 * all images have one size and fit, the pack holds their pixels; otherwise the encoded
 * files. Either form is kept in a cache file, so the next opening maps that file and
 * returns at once. A pack that does not fit into memory lives in its cache file alone.
 */
#ifndef JSNI_DATA_PACK_H
#define JSNI_DATA_PACK_H

#include "core/folder.h"
#include "core/map.h"
#include "data/dataset_impl.h"
#include "data/listing.h"

typedef enum jsni_pack_kind {
    JSNI_PACK_IMAGES, /* image files, decoded when possible */
    JSNI_PACK_FILES   /* every file as it is */
} jsni_pack_kind;

typedef struct jsni_piece {
    size_t offset; /* in the pack's `bytes` */
    size_t length;
} jsni_piece;

typedef struct jsni_pack {
    jsni_listing files; /* sorted, folder by folder */
    jsni_listing folders;
    const uint8_t *pixels; /* [files.count][height][width][3], or NULL */
    size_t width, height;
    const uint8_t *bytes; /* what the pieces point into */
    jsni_piece *pieces;   /* [files.count], or NULL */
    uint8_t *owned;       /* pixels or bytes on the heap, or NULL */
    jsni_map map;         /* else where they are */
} jsni_pack;

/* *out is zeroed on failure. */
JSN_MUST_CHECK jsn_status jsni_pack_open(jsni_pack *out, const char *path,
                                         jsni_pack_kind kind,
                                         const jsn_dataset_options *options);
void jsni_pack_release(jsni_pack *pack); /* a zeroed one is fine */

/* The cache: pack_cache.c. `file` is the path of the cache file of an archive, owned; or
 * NULL when there is none because caching is off. */
JSN_MUST_CHECK jsn_status jsni_pack_cache_file(const char *path, jsni_pack_kind kind,
                                               const char *cache, char **file);
/* Whether *out was filled from a cache file that is whole and fits the archive. */
bool jsni_pack_cache_load(jsni_pack *out, const char *file, jsni_pack_kind kind,
                          const jsni_file_identity *identity);

/* Writing a cache file: payload first, in pieces, then the lists. `need` bytes are known to
 * come; a disk with less room is told of before it is full (JSN_ERR_IO). */
typedef struct jsni_pack_writer {
    void *state;
} jsni_pack_writer;
JSN_MUST_CHECK jsn_status jsni_pack_cache_begin(jsni_pack_writer *out, const char *file,
                                                uint64_t need);
JSN_MUST_CHECK jsn_status jsni_pack_cache_add(jsni_pack_writer *writer,
                                              const void *data, size_t bytes);
/* Ends it with the lists of `pack`, or removes what was written when `status` is a
 * failure, which is returned. */
JSN_MUST_CHECK jsn_status jsni_pack_cache_end(jsni_pack_writer *writer,
                                              const jsni_pack *pack,
                                              jsni_pack_kind kind,
                                              const jsni_file_identity *identity,
                                              jsn_status status);

#endif /* JSNI_DATA_PACK_H */
