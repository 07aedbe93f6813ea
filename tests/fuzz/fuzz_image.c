/* Fuzz target: image files of every format. What is measured must decode to that size. */
#include "fuzz/fuzz.h"

#include "data/image_decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_image_decoder *decoder = NULL;
    jsn_image image = {0};
    size_t width = 0, height = 0;
    const jsni_image_input input = {data, size, "fuzz", 0},
                           small = {data, size, "fuzz", 8};
    FUZZ_CHECK(jsni_image_decoder_create(&decoder) == JSN_OK);
    const jsn_status measured =
        jsni_image_decoder_measure(decoder, &input, &width, &height);
    FUZZ_CHECK(measured == JSN_OK || measured == JSN_ERR_DATA ||
               measured == JSN_ERR_UNSUPPORTED);
    /* Large headers are fine, but too slow to fuzz. */
    if (measured == JSN_OK && width * height < 1 << 20) {
        if (jsni_image_decoder_run(decoder, &input, &image) == JSN_OK)
            FUZZ_CHECK(image.width == width && image.height == height);
        (void)!jsni_image_decoder_run(decoder, &small, &image);
    }
    jsn_image_release(&image);
    jsni_image_decoder_destroy(decoder);
    return 0;
}
