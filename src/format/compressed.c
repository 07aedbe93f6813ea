/* format/compressed.c - decompression through libarchive; see compressed.h.
 *
 * libarchive would find out by itself how a file is compressed, layer by layer, and start
 * programs for what it has no code for. Here it is told: the one filter that the first
 * bytes ask for, out of those below. Each layer is a handle of its own, which gets its
 * bytes from the one below, and counts what comes out before anything looks at it.
 */
#define _POSIX_C_SOURCE 200809L
#include "format/compressed.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/limit.h"

/* Those that libarchive decompresses itself. */
static const int filters[] = {
    [JSNI_COMPRESSION_NONE] = ARCHIVE_FILTER_NONE,
    [JSNI_COMPRESSION_GZIP] = ARCHIVE_FILTER_GZIP,
    [JSNI_COMPRESSION_BZIP2] = ARCHIVE_FILTER_BZIP2,
    [JSNI_COMPRESSION_XZ] = ARCHIVE_FILTER_XZ,
    [JSNI_COMPRESSION_ZSTD] = ARCHIVE_FILTER_ZSTD,
    [JSNI_COMPRESSION_LZ4] = ARCHIVE_FILTER_LZ4,
    [JSNI_COMPRESSION_LZIP] = ARCHIVE_FILTER_LZIP,
};

enum { BLOCK = 1 << 16 };

struct jsni_unpacker {
    struct archive *archive;
    jsni_unpacker *below; /* owned: what this one reads from; NULL: the file */
    char *path;           /* owned */
    int fd;               /* owned: the file; -1: it is below */
    size_t size;          /* of the compressed file */
    uint64_t expanded;    /* bytes out of it so far */
    const void *held;     /* the first piece, looked at and not handed out */
    size_t held_length;
    jsn_status status; /* why `below` gave nothing */
};

/* libarchive has no text where it found no memory for one, nor for some of what is wrong
 * in sparse files; then errno tells, which the caller has cleared. */
jsn_status jsni_archive_fail(const char *path, const char *what, const char *text,
                             int error)
{
    if (error == EIO)
        return jsni_fail(JSN_ERR_IO, "%s: cannot be read: %s", path,
                         text != NULL ? text : "unknown reason");
    if (error == ENOMEM || (text == NULL && errno == ENOMEM) ||
        (text != NULL && strstr(text, "not enough memory") != NULL))
        return jsni_fail(JSN_ERR_MEMORY, "%s: no memory to read it", path);
    return jsni_fail(JSN_ERR_DATA, "%s: %s: %s", path, what,
                     text != NULL ? text : "damaged");
}

static jsn_status damaged(const jsni_unpacker *u)
{
    if (u->status != JSN_OK)
        return u->status;
    return jsni_archive_fail(u->path, "cannot be decompressed",
                             archive_error_string(u->archive),
                             archive_errno(u->archive));
}

/* libarchive's call for more of what the layer below gives. */
static la_ssize_t read_below(struct archive *archive, void *user, const void **data)
{
    jsni_unpacker *u = user;
    size_t length = 0;
    u->status = jsni_unpacker_next(u->below, data, &length);
    if (u->status == JSN_OK)
        return (la_ssize_t)length;
    archive_set_error(archive, EIO, "%s", jsn_last_error());
    return ARCHIVE_FATAL;
}

/* A libarchive that lacks a library would start a program instead, and says so with less
 * than ARCHIVE_OK. */
static jsn_status start(jsni_unpacker *u, struct archive_entry *entry,
                        jsni_compression kind)
{
    errno = 0;
    const int added = archive_read_append_filter(u->archive, filters[kind]);
    if (added < ARCHIVE_WARN)
        return damaged(u);
    if (added != ARCHIVE_OK)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: cannot be decompressed: of a kind that this libarchive "
                         "lacks",
                         u->path);
    if (archive_read_support_format_raw(u->archive) != ARCHIVE_OK)
        return damaged(u);
    const int opened = u->below != NULL
                           ? archive_read_open(u->archive, u, NULL, read_below, NULL)
                           : archive_read_open_fd(u->archive, u->fd, BLOCK);
    if (opened != ARCHIVE_OK ||
        archive_read_next_header2(u->archive, entry) != ARCHIVE_OK)
        return damaged(u);
    return jsni_unpacker_next(u, &u->held, &u->held_length);
}

/* Puts a layer above *top, which becomes the new one; NULL: above the file `fd`, which it
 * takes over. */
static jsn_status add_layer(jsni_unpacker **top, const char *path, size_t size, int fd,
                            jsni_compression kind)
{
    jsni_unpacker *u = jsni_alloc_zero(1, sizeof *u);
    JSNI_TRY_ALLOC(u);
    u->below = *top;
    u->size = size;
    u->fd = *top == NULL ? fd : -1;
    *top = u;
    JSNI_TRY_ALLOC(u->path = jsni_text_copy(path));
    u->archive = archive_read_new();
    /* An own entry: archive_read_new() does not look whether it got one. */
    struct archive_entry *entry = archive_entry_new();
    const jsn_status status =
        u->archive == NULL || entry == NULL
            ? jsni_fail(JSN_ERR_MEMORY, "libarchive could not be started")
            : start(u, entry, kind);
    archive_entry_free(entry);
    return status;
}

jsn_status jsni_unpacker_open(jsni_unpacker **out, const char *path)
{
    jsni_compression kind = JSNI_COMPRESSION_NONE;
    size_t size = 0;
    int fd = -1;
    *out = NULL;
    JSNI_TRY(jsni_compression_open(path, &kind, &size, &fd));
    jsni_unpacker *top = NULL;
    jsn_status status = JSN_OK;
    for (size_t layers = 0; status == JSN_OK && kind != JSNI_COMPRESSION_NONE;) {
        status = ++layers > jsni_limit(JSNI_LIMIT_LAYERS)
                     ? jsni_limit_fail(JSNI_LIMIT_LAYERS, "%s", path)
                     : add_layer(&top, path, size, fd, kind);
        if (status == JSN_OK)
            kind = jsni_compression_of(top->held, top->held_length);
    }
    if (top == NULL)
        (void)close(fd);
    if (status == JSN_OK)
        *out = top;
    else
        jsni_unpacker_close(top);
    return status;
}

jsn_status jsni_unpacker_next(jsni_unpacker *u, const void **data, size_t *length)
{
    la_int64_t offset = 0;
    *data = u->held;
    *length = u->held_length;
    u->held_length = 0;
    while (*length == 0) {
        const int result = archive_read_data_block(u->archive, data, length, &offset);
        if (result == ARCHIVE_EOF) {
            *length = 0;
            return JSN_OK;
        }
        if (result != ARCHIVE_OK && result != ARCHIVE_RETRY)
            return damaged(u);
        u->expanded += *length;
    }
    if (u->expanded > jsni_limit(JSNI_LIMIT_ARCHIVE))
        return jsni_limit_fail(JSNI_LIMIT_ARCHIVE, "%s", u->path);
    return jsni_limit_ratio(u->path, u->size, u->expanded);
}

size_t jsni_unpacker_at(const jsni_unpacker *u)
{
    while (u->below != NULL)
        u = u->below;
    const la_int64_t at = archive_filter_bytes(u->archive, -1);
    return at > 0 && (size_t)at < u->size ? (size_t)at : 0;
}

void jsni_unpacker_close(jsni_unpacker *u)
{
    while (u != NULL) {
        jsni_unpacker *below = u->below;
        (void)archive_read_free(u->archive);
        if (u->fd >= 0)
            (void)close(u->fd);
        jsni_free(u->path);
        jsni_free(u);
        u = below;
    }
}
