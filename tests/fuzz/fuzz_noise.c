/* Fuzz target: noise specs. The text up to the first NUL is the spec, the rest are the
 * labels and posteriors of a small data set. Counts must add up.
 * covers: noise/noise.c */
#include "fuzz/fuzz.h"

#include <string.h>

#include "core/alloc.h"
#include "jensen/noise.h"
#include "noise/noise_impl.h"

enum { N = 50, K = 10 };

static void check(const jsn_noise_input *in, const jsn_noise_result *r)
{
    size_t changed = 0, listed = 0, moved = 0;
    for (size_t i = 0; i < in->samples; i++) {
        FUZZ_CHECK(r->labels[i] >= 0 && (size_t)r->labels[i] < in->classes);
        listed += r->listed[i];
        changed += r->listed[i] && r->labels[i] != in->labels[i];
    }
    for (size_t i = 0; i < in->classes * in->classes; i++)
        moved += r->transitions[i];
    FUZZ_CHECK(changed == r->changed && listed == r->listed_samples);
    FUZZ_CHECK(moved == listed && r->drawn <= 2 * in->samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t before = jsni_alloc_live();
    char spec[300];
    int32_t labels[N];
    float posteriors[N * K];
    const uint8_t *end = size == 0 ? NULL : memchr(data, 0, size);
    const size_t length = end == NULL ? size : (size_t)(end - data);
    if (size == 0 || length >= sizeof spec)
        return 0;
    memcpy(spec, data, length);
    spec[length] = '\0';
    for (size_t i = 0; i < N; i++)
        labels[i] = data[(length + i) % size] % K;
    for (size_t i = 0; i < N * K; i++)
        posteriors[i] = (float)data[(length + 7 * i) % size] / 255.0f;
    jsn_noise *noise = NULL;
    const jsn_status status = jsn_noise_create(&noise, spec);
    FUZZ_CHECK(status != JSN_ERR_MEMORY && status != JSN_ERR_IO);
    if (status == JSN_OK) {
        jsn_noise_input in;
        jsn_noise_result result;
        jsn_noise_input_init(&in);
        in.labels = labels;
        in.samples = N;
        in.classes = K;
        in.posteriors = posteriors;
        in.asymmetric = data[0] % 2 ? "cifar10" : NULL;
        if (jsn_noise_apply(noise, &in, &result) == JSN_OK)
            check(&in, &result);
        jsn_noise_result_release(&result);
    }
    jsn_noise_destroy(noise);
    FUZZ_CHECK(jsni_alloc_live() == before);
    return 0;
}
