/* Fuzz target: safetensors. Every element of what is read lies inside the file.
 * covers: format/safetensors.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/sha256.h"
#include "format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_safetensors *file = NULL;
    const jsn_status status = jsni_safetensors_parse(&file, "fuzz", data, size);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK((status == JSN_OK) == (file != NULL));
    if (file != NULL) {
        jsni_sha256 sha;
        size_t total = 0;
        jsni_sha256_init(&sha);
        for (size_t i = 0; i < jsni_safetensors_count(file); i++) {
            const jsni_safetensor *t = jsni_safetensors_at(file, i);
            FUZZ_CHECK(jsni_safetensors_find(file, t->name) == t);
            jsni_sha256_add(&sha, t->data, t->bytes);
            total += t->bytes;
        }
        FUZZ_CHECK(total < size);
        const jsn_status verified = jsni_safetensors_verify(file);
        FUZZ_CHECK(verified == JSN_OK || verified == JSN_ERR_DATA);
    }
    jsni_safetensors_close(file);
    return 0;
}
