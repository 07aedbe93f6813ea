/* data/pack_cache.c - the cache file of a pack, see data/pack.h.
 *
 *     64 bytes of head, payload, file names, folder names, pieces, tail
 *
 * The tail says what the file is of (identity of the archive) and where everything lies;
 * it comes last because a large payload is written before anything about it is known.
 * Native byte order: a cache is no format for exchange, and another machine's is refused
 * by the mark in the tail. The payload is verified when it was written in one piece of at
 * most VERIFY_LIMIT bytes, the rest always.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/machine.h"
#include "core/sha256.h"
#include "core/text.h"
#include "data/cache_folder.h"
#include "data/checksum.h"
#include "data/pack.h"

enum { HEAD = 64, VERSION = 3 };

static const uint64_t mark = 0x314b43415053494au; /* changes with the byte order */
#define VERIFY_LIMIT ((uint64_t)1 << 30)

typedef struct tail {
    uint64_t mark, version, kind;
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds;
    int64_t state_seconds, state_nanoseconds;
    uint64_t files, folders; /* counts */
    uint64_t width, height;  /* 0: pieces */
    uint64_t payload_length; /* behind the head */
    uint64_t files_length;   /* bytes of names */
    uint64_t folders_length;
    uint64_t payload_sum; /* 0: written in parts, unknown */
    uint64_t index_sum;
    uint64_t tail_sum; /* of all the above */
} tail;

typedef struct writing {
    jsni_file_writer writer;
    uint64_t length;
    uint64_t sum; /* of the payload when it came in one piece, else 0 */
} writing;

jsn_status jsni_pack_cache_file(const char *path, jsni_pack_kind kind,
                                const char *cache, char **file)
{
    *file = NULL;
    char *folder = NULL, *real = NULL;
    jsn_status status = jsni_cache_folder(cache, &folder);
    if (status != JSN_OK || folder == NULL)
        return status;
    status = jsni_path_real(path, &real);
    if (status == JSN_OK) {
        jsni_sha256 sha;
        char hex[JSNI_SHA256_HEX], name[64];
        jsni_sha256_init(&sha);
        jsni_sha256_add(&sha, real, strlen(real));
        jsni_sha256_hex(&sha, hex);
        (void)snprintf(name, sizeof name, "%.32s-%d.pack", hex, (int)kind);
        *file = jsni_path_join(folder, name);
        if (*file == NULL)
            status = JSN_ERR_MEMORY;
    }
    jsni_free(real);
    jsni_free(folder);
    return status;
}

static jsn_status check_room(const char *folder, const char *file, uint64_t need)
{
    const uint64_t room = jsni_disk_free(folder); /* 0: unknown */
    if (room == 0 || room >= need)
        return JSN_OK;
    return jsni_fail(JSN_ERR_IO,
                     "%s: the cache needs %.1f MB, and %.1f MB are free on this disk; "
                     "set JENSEN_CACHE to another folder, or to 'off'",
                     file, (double)need / 1e6, (double)room / 1e6);
}

jsn_status jsni_pack_cache_begin(jsni_pack_writer *out, const char *file, uint64_t need)
{
    static const uint8_t head[HEAD] = "jensen pack\n";
    out->state = NULL;
    writing *w = jsni_alloc_zero(1, sizeof *w);
    char *folder = jsni_text_copy_n(file, (size_t)(strrchr(file, '/') - file));
    jsn_status status = w == NULL || folder == NULL ? JSN_ERR_MEMORY : JSN_OK;
    if (status == JSN_OK)
        status = jsni_folder_create(folder);
    if (status == JSN_OK) {
        jsni_file_remove_left(folder, "."); /* each may be as large as an archive */
        status = check_room(folder, file, need);
    }
    if (status == JSN_OK)
        status = jsni_file_begin(&w->writer, NULL, file);
    jsni_free(folder);
    if (status != JSN_OK) {
        jsni_free(w);
        return status;
    }
    out->state = w;
    return jsni_file_add(&w->writer, head, sizeof head);
}

jsn_status jsni_pack_cache_add(jsni_pack_writer *writer, const void *data, size_t bytes)
{
    writing *w = writer->state;
    w->sum = w->length == 0 ? jsni_checksum(0, data, bytes) : 0;
    w->length += bytes;
    return jsni_file_add(&w->writer, data, bytes);
}

static jsn_status add_index(writing *w, const void *data, size_t bytes, uint64_t *sum)
{
    *sum = jsni_checksum(*sum, data, bytes);
    return bytes == 0 ? JSN_OK : jsni_file_add(&w->writer, data, bytes);
}

static jsn_status add_lists(writing *w, const jsni_pack *pack, jsni_pack_kind kind,
                            const jsni_file_identity *id)
{
    tail t = {mark,
              VERSION,
              (uint64_t)kind,
              id->device,
              id->inode,
              id->size,
              id->seconds,
              id->nanoseconds,
              id->state_seconds,
              id->state_nanoseconds,
              pack->files.count,
              pack->folders.count,
              pack->width,
              pack->height,
              w->length,
              pack->files.length,
              pack->folders.length,
              w->sum,
              0,
              0};
    JSNI_TRY(add_index(w, pack->files.text, pack->files.length, &t.index_sum));
    JSNI_TRY(add_index(w, pack->folders.text, pack->folders.length, &t.index_sum));
    if (pack->width == 0)
        JSNI_TRY(add_index(w, pack->pieces, pack->files.count * sizeof *pack->pieces,
                           &t.index_sum));
    t.tail_sum = jsni_checksum(0, &t, offsetof(tail, tail_sum));
    return jsni_file_add(&w->writer, &t, sizeof t);
}

jsn_status jsni_pack_cache_end(jsni_pack_writer *writer, const jsni_pack *pack,
                               jsni_pack_kind kind, const jsni_file_identity *identity,
                               jsn_status status)
{
    writing *w = writer->state;
    if (w == NULL)
        return status;
    if (status == JSN_OK)
        status = add_lists(w, pack, kind, identity);
    status = jsni_file_end(&w->writer, status);
    jsni_free(w);
    writer->state = NULL;
    return status;
}

/* `count` names out of `length` bytes; false when they do not fill them exactly. */
static bool load_names(jsni_listing *list, const char *text, uint64_t length,
                       uint64_t count)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (at >= length || memchr(text + at, 0, length - at) == NULL ||
            jsni_listing_add(list, text + at) != JSN_OK)
            return false;
        at += strlen(text + at) + 1;
    }
    return at == length;
}

/* The lengths, which anybody may have written, one after the other: sums of them wrap. */
static bool lengths_fit(const tail *t, uint64_t room)
{
    if (t->width > JSN_IMAGE_MAX_SIDE || t->height > JSN_IMAGE_MAX_SIDE ||
        (t->width == 0) != (t->height == 0) || t->payload_length > room)
        return false;
    const uint64_t image = t->width * t->height * JSN_IMAGE_CHANNELS;
    room -= t->payload_length;
    if (t->files_length > room || t->folders_length > room - t->files_length)
        return false;
    room -= t->files_length + t->folders_length;
    if (t->width == 0)
        return room % sizeof(jsni_piece) == 0 && t->files == room / sizeof(jsni_piece);
    return room == 0 && t->payload_length % image == 0 &&
           t->files == t->payload_length / image;
}

static bool right_tail(const tail *t, size_t file_length, jsni_pack_kind kind,
                       const jsni_file_identity *id)
{
    return t->mark == mark && t->version == VERSION && t->kind == (uint64_t)kind &&
           t->tail_sum == jsni_checksum(0, t, offsetof(tail, tail_sum)) &&
           t->device == id->device && t->inode == id->inode && t->size == id->size &&
           t->seconds == id->seconds && t->nanoseconds == id->nanoseconds &&
           t->state_seconds == id->state_seconds &&
           t->state_nanoseconds == id->state_nanoseconds &&
           lengths_fit(t, file_length - HEAD - sizeof *t);
}

static bool load_pieces(jsni_pack *out, const tail *t, const uint8_t *from)
{
    const size_t count = (size_t)t->files;
    out->pieces = jsni_alloc(count, sizeof *out->pieces);
    if (out->pieces == NULL)
        return false;
    memcpy(out->pieces, from, count * sizeof *out->pieces);
    for (size_t i = 0; i < count; i++)
        if (out->pieces[i].offset > t->payload_length ||
            out->pieces[i].length > t->payload_length - out->pieces[i].offset)
            return false;
    return true;
}

static bool load_mapped(jsni_pack *out, jsni_pack_kind kind,
                        const jsni_file_identity *identity)
{
    tail t;
    if (out->map.length < HEAD + sizeof t)
        return false;
    const uint8_t *end = out->map.data + out->map.length - sizeof t;
    memcpy(&t, end, sizeof t);
    if (!right_tail(&t, out->map.length, kind, identity))
        return false;
    const uint8_t *payload = out->map.data + HEAD;
    const uint8_t *files = payload + t.payload_length;
    const uint8_t *folders = files + t.files_length;
    const uint8_t *pieces = folders + t.folders_length;
    uint64_t sum = jsni_checksum(0, files, (size_t)t.files_length);
    sum = jsni_checksum(sum, folders, (size_t)t.folders_length);
    if (t.width == 0)
        sum = jsni_checksum(sum, pieces, (size_t)(end - pieces));
    if (sum != t.index_sum ||
        !load_names(&out->files, (const char *)files, t.files_length, t.files) ||
        !load_names(&out->folders, (const char *)folders, t.folders_length,
                    t.folders) ||
        (t.width == 0 && !load_pieces(out, &t, pieces)))
        return false;
    if (t.payload_sum != 0 && t.payload_length <= VERIFY_LIMIT &&
        jsni_checksum(0, payload, (size_t)t.payload_length) != t.payload_sum)
        return false;
    out->pixels = t.width > 0 ? payload : NULL;
    out->bytes = t.width > 0 ? NULL : payload;
    out->width = (size_t)t.width;
    out->height = (size_t)t.height;
    return true;
}

bool jsni_pack_cache_load(jsni_pack *out, const char *file, jsni_pack_kind kind,
                          const jsni_file_identity *identity)
{
    *out = (jsni_pack){0};
    if (!jsni_file_exists(file) || jsni_file_map(&out->map, file) != JSN_OK)
        return false;
    if (load_mapped(out, kind, identity))
        return true;
    jsni_pack_release(out);
    return false;
}
