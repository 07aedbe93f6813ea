/* Fuzz target: TensorBoard event files. The first byte is the last step; what is kept is
 * kept again when it is read again.
 * covers: format/tfevents.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "format/tfevents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const int64_t last = data[0];
    const size_t length = size - 1;
    uint8_t *bytes = jsni_alloc(length, 1);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data + 1, length);
    const size_t kept = jsni_tfevents_keep(bytes, length, last);
    FUZZ_CHECK(kept <= length);
    FUZZ_CHECK(jsni_tfevents_keep(bytes, kept, last) == kept);
    jsni_free(bytes);
    return 0;
}
