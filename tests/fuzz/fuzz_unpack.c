/* Fuzz target: compressed files, by every filter. What comes out is at most what the limits
 * allow, here small ones.
 * covers: format/compressed.c format/compressed_file.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "format/compressed.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/limit.h"

enum { PATH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH], *text = NULL;
    size_t length = 0;
    FUZZ_CHECK(jsn_limit_set("file=64KiB,layers=3") == JSN_OK);
    fuzz_folder_begin();
    fuzz_folder_put("input", data, size);
    (void)snprintf(path, sizeof path, "%s/input", fuzz_folder);
    const jsn_status status = jsni_file_read_any(path, &text, &length);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK(status != JSN_OK || (length <= 1 << 16 && text[length] == '\0'));
    /* What is not compressed comes out as it is. */
    if (jsni_compression_of((const char *)data, size) == JSNI_COMPRESSION_NONE)
        FUZZ_CHECK(status == JSN_OK && length == size &&
                   (size == 0 || memcmp(text, data, size) == 0));
    jsni_free(text);
    return 0;
}
