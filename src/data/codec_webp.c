/* data/codec_webp.c - WebP by libwebp, lossy and lossless; animations are refused. */
#include <string.h>
#include <webp/decode.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"
#include "data/orient.h"

enum { ROOM = 1 << 18 };

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 12 && memcmp(bytes, "RIFF", 4) == 0 &&
           memcmp(bytes + 8, "WEBP", 4) == 0;
}

/* The orientation in the EXIF chunk, which follows the pixels. */
static int find_orientation(const jsni_image_input *input)
{
    const uint8_t *b = input->bytes;
    for (size_t at = 12; at + 8 <= input->length;) {
        const size_t size = (size_t)b[at + 4] | (size_t)b[at + 5] << 8 |
                            (size_t)b[at + 6] << 16 | (size_t)b[at + 7] << 24;
        if (size > input->length - at - 8)
            break;
        if (memcmp(b + at, "EXIF", 4) == 0) {
            const size_t skip =
                size >= 6 && memcmp(b + at + 8, "Exif\0\0", 6) == 0 ? 6 : 0;
            return jsni_exif_orientation(b + at + 8 + skip, size - skip);
        }
        at += 8 + size + size % 2;
    }
    return 1;
}

static jsn_status read_features(const jsni_image_input *input,
                                WebPBitstreamFeatures *features)
{
    if (WebPGetFeatures(input->bytes, input->length, features) != VP8_STATUS_OK)
        return jsni_codec_fail(input, &jsni_codec_webp, "its header is damaged");
    if (features->has_animation)
        return jsni_codec_fail(input, &jsni_codec_webp, "animations are not supported");
    return jsni_codec_check_size(input, &jsni_codec_webp, (uint64_t)features->width,
                                 (uint64_t)features->height);
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    WebPBitstreamFeatures f;
    JSNI_TRY(read_features(input, &f));
    const bool turns = jsni_orientation_turns(find_orientation(input));
    *width = (size_t)(turns ? f.height : f.width);
    *height = (size_t)(turns ? f.width : f.height);
    return JSN_OK;
}

/* By the interface that says why it failed. */
static jsn_status decode_to(const jsni_image_input *input,
                            const WebPBitstreamFeatures *f, WEBP_CSP_MODE mode,
                            int channels, uint8_t *to)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return jsni_fail(JSN_ERR_UNSUPPORTED, "libwebp is of another version");
    config.output.colorspace = mode;
    config.output.is_external_memory = 1;
    config.output.u.RGBA =
        (WebPRGBABuffer){to, f->width * channels,
                         (size_t)f->width * (size_t)f->height * (size_t)channels};
    /* libwebp 1.2 frees what it never set when the tables of a lossless image find no
     * memory, and calls want of memory damage in other places: that is tried again. */
    JSNI_TRY(jsni_alloc_room(ROOM));
    VP8StatusCode code = WebPDecode(input->bytes, input->length, &config);
    if (code != VP8_STATUS_OK && code != VP8_STATUS_OUT_OF_MEMORY)
        code = WebPDecode(input->bytes, input->length, &config);
    if (code == VP8_STATUS_OK)
        return JSN_OK;
    return code == VP8_STATUS_OUT_OF_MEMORY
               ? jsni_codec_no_memory(input)
               : jsni_codec_fail(input, &jsni_codec_webp, "its data is damaged");
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    WebPBitstreamFeatures f;
    JSNI_TRY(read_features(input, &f));
    const size_t pixels = (size_t)f.width * (size_t)f.height;
    JSNI_TRY(jsni_image_reserve(out, (size_t)f.width, (size_t)f.height, input->name));
    if (!f.has_alpha) {
        JSNI_TRY(decode_to(input, &f, MODE_RGB, 3, out->data));
    } else {
        uint8_t *rgba = jsni_alloc(pixels, 4);
        JSNI_TRY_ALLOC(rgba);
        const jsn_status status = decode_to(input, &f, MODE_RGBA, 4, rgba);
        if (status == JSN_OK)
            jsni_image_flatten(rgba, out->data, pixels);
        jsni_free(rgba);
        JSNI_TRY(status);
    }
    return jsni_image_orient(out, find_orientation(input));
}

const jsni_codec jsni_codec_webp = {"WebP", "webp ", detect, measure,
                                    decode, NULL,    NULL,   NULL};
