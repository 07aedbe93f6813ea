/* Fuzz target: compressed files, by every filter. What comes out is at most what the limits
 * allow, here small ones.
 * covers: format/compressed.c format/compressed_file.c */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "format/compressed.h"
#include "fuzz/fuzz_file.h"
#include "jensen/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH], *text = NULL;
    size_t length = 0;
    FUZZ_CHECK(jsn_limit_set("file=1MiB,layers=3") == JSN_OK);
    fuzz_file(path, "", data, size);
    const jsn_status status = jsni_file_read_any(path, &text, &length);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK(status != JSN_OK || (length <= 1 << 20 && text[length] == '\0'));
    /* What is not compressed comes out as it is. */
    if (jsni_compression_of((const char *)data, size) == JSNI_COMPRESSION_NONE)
        FUZZ_CHECK(status == JSN_OK && length == size &&
                   (size == 0 || memcmp(text, data, size) == 0));
    jsni_free(text);
    fuzz_file_remove(path);
    return 0;
}
