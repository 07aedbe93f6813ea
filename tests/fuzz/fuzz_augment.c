/* Fuzz target: augmentation specs over small images. Four bytes give the sizes of image
 * and output, the rest is the spec. The fused path must agree with the stages.
 * covers: augment/pipeline.c augment/augment.c */
#include "fuzz/fuzz.h"

#include <ctype.h>
#include <string.h>

#include "augment/pipeline.h"
#include "core/alloc.h"

enum { SIDE = 24 };

/* Numbers of more than two digits before the point ask for images too large for a fuzzer. */
static bool is_modest(const char *spec)
{
    size_t digits = 0;
    bool fraction = false;
    for (; *spec != '\0'; spec++) {
        const bool digit = isdigit((unsigned char)*spec) != 0;
        fraction = *spec == '.' || (fraction && digit);
        digits = digit && !fraction ? digits + 1 : 0;
        if (digits > 2 || *spec == 'e')
            return false;
    }
    return true;
}

static void apply(const jsn_augment *pipeline, const jsn_image *image, uint32_t view)
{
    static float out[3 * SIDE * SIDE], staged[3 * SIDE * SIDE];
    jsn_augment_scratch *scratch = NULL;
    const jsn_augment_key key = {1, 2, 3, view, 0};
    FUZZ_CHECK(jsn_augment_scratch_create(&scratch) == JSN_OK);
    const jsn_status status = jsn_augment_apply(pipeline, scratch, image, &key, out);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA || status == JSN_ERR_RANGE);
    FUZZ_CHECK(jsni_augment_staged(pipeline, scratch, image, &key, staged) == status);
    if (status == JSN_OK)
        FUZZ_CHECK(memcmp(out, staged,
                          3 * pipeline->width * pipeline->height * sizeof *out) == 0);
    jsn_augment_scratch_destroy(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t before = jsni_alloc_live();
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, std[3] = {0.2f, 0.2f, 0.2f};
    static uint8_t pixels[SIDE * SIDE * 3];
    char spec[300];
    if (size < 4 || size - 4 >= sizeof spec)
        return 0;
    const jsn_image image = {pixels, 1u + data[0] % SIDE, 1u + data[1] % SIDE};
    memcpy(spec, data + 4, size - 4);
    spec[size - 4] = '\0';
    if (!is_modest(spec))
        return 0;
    for (size_t i = 0; i < 3 * image.width * image.height; i++)
        pixels[i] = (uint8_t)(i * 37 + data[i & 3]);
    jsn_augment *pipeline = NULL;
    const jsn_status status = jsn_augment_create(&pipeline, spec, 1u + data[2] % SIDE,
                                                 1u + data[3] % SIDE, mean, std);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_ARGUMENT ||
               status == JSN_ERR_RANGE || status == JSN_ERR_UNKNOWN_NAME);
    for (uint32_t view = 0; status == JSN_OK && view < 2; view++)
        apply(pipeline, &image, view);
    jsn_augment_destroy(pipeline);
    FUZZ_CHECK(jsni_alloc_live() == before);
    return 0;
}
