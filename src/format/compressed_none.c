/* format/compressed_none.c - the build without libarchive; see compressed.h. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "core/fail.h"
#include "format/compressed.h"

jsn_status jsni_unpacker_open(jsni_unpacker **out, const char *path)
{
    jsni_compression kind = JSNI_COMPRESSION_NONE;
    size_t size = 0;
    int fd = -1;
    *out = NULL;
    JSNI_TRY(jsni_compression_open(path, &kind, &size, &fd));
    (void)close(fd);
    return kind == JSNI_COMPRESSION_NONE
               ? JSN_OK
               : jsni_fail(JSN_ERR_UNSUPPORTED,
                           "%s: is compressed, and this build has no libarchive", path);
}

jsn_status jsni_unpacker_next(jsni_unpacker *unpacker, const void **data,
                              size_t *length)
{
    (void)unpacker;
    *data = NULL;
    *length = 0;
    return JSN_OK;
}

size_t jsni_unpacker_at(const jsni_unpacker *unpacker)
{
    (void)unpacker;
    return 0;
}

void jsni_unpacker_close(jsni_unpacker *unpacker)
{
    (void)unpacker;
}
