/* Fuzz target: image files of every format. What is measured must decode to that size.
 * covers: data/codec_bmp.c data/codec_gif.c data/codec_heif.c data/codec_jpeg.c data/codec_png.c data/codec_ppm.c data/codec_tiff.c data/codec_webp.c data/orient.c */
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "core/image_part.h"
#include "data/image_decoder.h"

/* dav1d, which libheif decodes AVIF by, keeps 40 bytes of some damaged files. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:libdav1d\n";
}

/* libde265, which libheif decodes HEIC by, leaves parts of some damaged pictures unwritten:
 * they are whatever memory held. */
static bool same_twice(const jsni_image_input *input)
{
    return input->length < 12 || memcmp(input->bytes + 4, "ftyp", 4) != 0;
}

/* Parts of an image that decodes hold its pixels. */
static void check_parts(jsni_image_decoder *decoder, const jsni_image_input *input,
                        const jsn_image *whole, size_t width, size_t height)
{
    jsni_image_part part = {0};
    for (unsigned d = 1; d <= 8; d *= 2) {
        const jsni_image_want want = {width / 3, height / 4, (width + 1) / 2,
                                      (height + 1) / 2, d};
        if (jsni_image_decoder_run_part(decoder, input, &want, &part) != JSN_OK)
            continue;
        FUZZ_CHECK(part.width == width && part.height == height);
        if (whole == NULL || part.divisor > 1 || !same_twice(input))
            continue;
        const size_t y = want.top - (size_t)part.top, x = want.left - (size_t)part.left;
        FUZZ_CHECK(y + want.height <= part.image.height &&
                   x + want.width <= part.image.width);
        for (size_t i = 0; i < want.height; i++)
            FUZZ_CHECK(memcmp(part.image.data + ((y + i) * part.image.width + x) * 3,
                              whole->data + ((want.top + i) * width + want.left) * 3,
                              want.width * 3) == 0);
    }
    jsn_image_release(&part.image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jsni_image_decoder *decoder = NULL;
    jsn_image image = {0};
    size_t width = 0, height = 0;
    const jsni_image_input input = {data, size, "fuzz"};
    FUZZ_CHECK(jsni_image_decoder_create(&decoder) == JSN_OK);
    const jsn_status measured =
        jsni_image_decoder_measure(decoder, &input, &width, &height);
    FUZZ_CHECK(measured == JSN_OK || measured == JSN_ERR_DATA ||
               measured == JSN_ERR_UNSUPPORTED);
    /* Large headers are fine, but too slow to fuzz. */
    if (measured == JSN_OK && width * height <= 1 << 14) {
        const bool whole = jsni_image_decoder_run(decoder, &input, &image) == JSN_OK;
        if (whole)
            FUZZ_CHECK(image.width == width && image.height == height);
        check_parts(decoder, &input, whole ? &image : NULL, width, height);
    }
    jsn_image_release(&image);
    jsni_image_decoder_destroy(decoder);
    return 0;
}
