/* data/codec_heif.c - HEIC and AVIF by libheif: the main picture, upright as the file says.
 * Transparent pixels are laid over white. */
#include <libheif/heif.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "data/image_codec.h"
#include "data/orient.h"

/* By the brand, as image_file.c names files of other builds. */
static bool detect(const uint8_t *bytes, size_t length)
{
    static const char *const brands[] = {"hei", "hev", "mif1", "msf1", "avi"};
    if (length < 12 || memcmp(bytes + 4, "ftyp", 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (memcmp(bytes + 8, brands[i], strlen(brands[i])) == 0)
            return true;
    return false;
}

typedef struct heif_source {
    const jsni_image_input *input;
    struct heif_context *context;
    struct heif_image_handle *picture;
    struct heif_image *decoded;
    size_t width, height;
} heif_source;

static jsn_status refuse(const heif_source *r, struct heif_error error,
                         const char *otherwise)
{
    if (error.code == heif_error_Memory_allocation_error &&
        error.subcode != heif_suberror_Security_limit_exceeded)
        return jsni_codec_no_memory(r->input);
    if (error.code == heif_error_Unsupported_filetype ||
        error.code == heif_error_Unsupported_feature ||
        error.code == heif_error_Decoder_plugin_error)
        return jsni_codec_fail(r->input, &jsni_codec_heif,
                               "libheif has no decoder for it here");
    return jsni_codec_fail(r->input, &jsni_codec_heif, otherwise);
}

static jsn_status open_heif(heif_source *r, const jsni_image_input *input)
{
    *r = (heif_source){.input = input, .context = heif_context_alloc()};
    if (r->context == NULL)
        return jsni_codec_no_memory(input);
    heif_context_set_maximum_image_size_limit(r->context, JSN_IMAGE_MAX_SIDE);
    heif_context_set_max_decoding_threads(r->context, 0); /* in the caller's */
    struct heif_error error = heif_context_read_from_memory_without_copy(
        r->context, input->bytes, input->length, NULL);
    if (error.code == heif_error_Ok)
        error = heif_context_get_primary_image_handle(r->context, &r->picture);
    if (error.code != heif_error_Ok)
        return refuse(r, error, "its header is damaged");
    const int width = heif_image_handle_get_width(r->picture);
    const int height = heif_image_handle_get_height(r->picture);
    r->width = width > 0 ? (size_t)width : 0;
    r->height = height > 0 ? (size_t)height : 0;
    return jsni_codec_check_size(input, &jsni_codec_heif, r->width, r->height);
}

static void close_heif(heif_source *r)
{
    if (r->decoded != NULL)
        heif_image_release(r->decoded);
    if (r->picture != NULL)
        heif_image_handle_release(r->picture);
    if (r->context != NULL)
        heif_context_free(r->context);
}

static jsn_status read_pixels(heif_source *r, jsn_image *out)
{
    const bool alpha = heif_image_handle_has_alpha_channel(r->picture) != 0;
    const struct heif_error error = heif_decode_image(
        r->picture, &r->decoded, heif_colorspace_RGB,
        alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB, NULL);
    if (error.code != heif_error_Ok)
        return refuse(r, error, "its data is damaged");
    int stride = 0;
    const uint8_t *from =
        heif_image_get_plane_readonly(r->decoded, heif_channel_interleaved, &stride);
    if (from == NULL || stride < 0 ||
        heif_image_get_primary_width(r->decoded) != (int)r->width ||
        heif_image_get_primary_height(r->decoded) != (int)r->height)
        return jsni_codec_fail(r->input, &jsni_codec_heif,
                               "its picture has another size than it says");
    JSNI_TRY(jsni_image_reserve(out, r->width, r->height, r->input->name));
    for (size_t y = 0; y < r->height; y++, from += stride) {
        uint8_t *to = out->data + y * r->width * 3;
        if (alpha)
            jsni_image_flatten(from, to, r->width);
        else
            memcpy(to, from, r->width * 3);
    }
    return JSN_OK;
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    heif_source r;
    const jsn_status status = open_heif(&r, input);
    *width = r.width;
    *height = r.height;
    close_heif(&r);
    return status;
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    heif_source r;
    jsn_status status = open_heif(&r, input);
    if (status == JSN_OK)
        status = read_pixels(&r, out);
    close_heif(&r);
    return status;
}

const jsni_codec jsni_codec_heif = {
    "HEIF", "heic heif avif ", detect, measure, decode, NULL, NULL, NULL};
