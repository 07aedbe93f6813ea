/* format/compressed_file.c - how compressed files begin, and whole files that may be
 * compressed; see compressed.h. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/limit.h"
#include "format/compressed.h"

static const struct {
    jsni_compression kind;
    const char *magic; /* a '?' fits any byte */
    size_t length;
} kinds[] = {
    {JSNI_COMPRESSION_GZIP, "\x1f\x8b", 2},
    /* "BZh9" alone could be the start of a text; the digits of pi behind it are not. */
    {JSNI_COMPRESSION_BZIP2, "BZh?1AY&SY", 10},
    {JSNI_COMPRESSION_XZ, "\xfd\x37zXZ", 6}, /* with its NUL */
    {JSNI_COMPRESSION_ZSTD, "\x28\xb5\x2f\xfd", 4},
    {JSNI_COMPRESSION_LZ4, "\x04\x22\x4d\x18", 4},
    {JSNI_COMPRESSION_LZIP, "LZIP\x01", 5},
};

static bool begins(const char *data, const char *magic, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (magic[i] != '?' && data[i] != magic[i])
            return false;
    return true;
}

jsni_compression jsni_compression_of(const char *data, size_t length)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(kinds); i++)
        if (length >= kinds[i].length && begins(data, kinds[i].magic, kinds[i].length))
            return kinds[i].kind;
    return JSNI_COMPRESSION_NONE;
}

jsn_status jsni_compression_open(const char *path, jsni_compression *out, size_t *size,
                                 int *fd)
{
    char head[JSNI_COMPRESSION_HEAD];
    struct stat info = {0};
    /* A pipe would wait for ever to be opened otherwise. */
    JSNI_TRY(jsni_file_open(fd, NULL, path, O_RDONLY | O_NONBLOCK));
    ssize_t got = -1;
    if (fstat(*fd, &info) == 0 && !S_ISREG(info.st_mode)) {
        (void)close(*fd);
        return jsni_fail(JSN_ERR_DATA, "%s: is not a regular file", path);
    }
    do {
        got = pread(*fd, head, sizeof head, 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        const int error = errno;
        (void)close(*fd);
        return jsni_fail(jsni_errno_status(error), "%s: cannot be read: %s", path,
                         strerror(error));
    }
    *out = jsni_compression_of(head, (size_t)got);
    *size = (size_t)info.st_size;
    return JSN_OK;
}

/* Everything that comes out, in a block that grows; NULL stays NULL for nothing. */
static jsn_status unpack_all(jsni_unpacker *unpacker, const char *path, char **out,
                             size_t *length)
{
    size_t room = 0, used = 0;
    for (;;) {
        const void *piece = NULL;
        size_t count = 0;
        JSNI_TRY(jsni_unpacker_next(unpacker, &piece, &count));
        if (used + count > jsni_limit(JSNI_LIMIT_FILE))
            return jsni_limit_fail(JSNI_LIMIT_FILE, "%s", path);
        if (used + count + 1 > room) {
            room += room / 2;
            room = used + count + 1 > room ? used + count + 1 : room;
            char *larger = jsni_realloc(*out, room, 1);
            JSNI_TRY_ALLOC(larger);
            *out = larger;
        }
        if (count > 0)
            memcpy(*out + used, piece, count);
        used += count;
        (*out)[used] = '\0';
        *length = used;
        if (count == 0)
            return JSN_OK;
    }
}

jsn_status jsni_file_read_any(const char *path, char **out, size_t *length)
{
    jsni_unpacker *unpacker = NULL;
    *out = NULL;
    *length = 0;
    JSNI_TRY(jsni_unpacker_open(&unpacker, path));
    if (unpacker == NULL)
        return jsni_limit_read(JSNI_LIMIT_FILE, NULL, path, out, length);
    const jsn_status status = unpack_all(unpacker, path, out, length);
    jsni_unpacker_close(unpacker);
    if (status != JSN_OK) {
        jsni_free(*out);
        *out = NULL;
    }
    return status;
}
