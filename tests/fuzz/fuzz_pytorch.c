/* Fuzz target: files of PyTorch. Every element of what is read can be read.
 * covers: format/pytorch.c format/pytorch_state.c format/pickle.c format/pickle_code.c
 * format/zip.c */
#include "fuzz/fuzz.h"

#include "core/sha256.h"
#include "format/pytorch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_safetensors *file = NULL;
    const jsn_status status = jsni_pytorch_parse(&file, "fuzz", data, size);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    FUZZ_CHECK((status == JSN_OK) == (file != NULL));
    for (size_t i = 0; file != NULL && i < jsni_safetensors_count(file); i++) {
        const jsni_safetensor *t = jsni_safetensors_at(file, i);
        jsni_sha256 sha;
        jsni_sha256_init(&sha);
        jsni_sha256_add(&sha, t->data, t->bytes);
        FUZZ_CHECK(jsni_safetensors_find(file, t->name) == t);
    }
    jsni_safetensors_close(file);
    return 0;
}
