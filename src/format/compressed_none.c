/* format/compressed_none.c - the build without libarchive; see compressed.h. */
#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "format/compressed.h"

jsn_status jsni_file_read_any(const char *path, size_t limit, char **out,
                              size_t *length)
{
    JSNI_TRY(jsni_file_read(path, limit, out, length));
    if (!jsni_is_compressed(*out, *length))
        return JSN_OK;
    jsni_free(*out);
    *out = NULL;
    return jsni_fail(JSN_ERR_UNSUPPORTED,
                     "%s: is compressed, and this build has no libarchive", path);
}
