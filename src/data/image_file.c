/* data/image_file.c - see jensen/image_file.h and data/image_decoder.h: finds the format
 * of some bytes and hands them to its codec; knows no format by name. */
#define _POSIX_C_SOURCE 200809L
#include "jensen/image_file.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/image_part.h"
#include "core/limit.h"
#include "data/image_codec.h"
#include "data/image_decoder.h"

#define TABLE_ENTRY(id) &jsni_codec_##id,
static const jsni_codec *const table[] = {JSNI_CODEC_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

/* What can be named without being read; the first that fits counts. Files of "ftyp" that
 * are no pictures are videos, whatever brand they name. */
static const struct {
    const char *name, *magic;
    size_t offset, length;
    const char *library; /* what a build needs to read it; NULL: read by none */
    const char *codec;   /* that reads it then */
    /* COMMON: a build without the library lacks something. RARE: one among others, which is
     * left out as a broken image is. */
    enum { COMMON, RARE, VIDEO } kind;
} known[] = {
    {"a JPEG image", "\xff\xd8\xff", 0, 3, "libjpeg-turbo", "JPEG", COMMON},
    {"a PNG image", "\x89PNG", 0, 4, "libpng", "PNG", COMMON},
    {"a WebP image", "WEBP", 8, 4, "libwebp", "WebP", COMMON},
    {"a GIF image", "GIF8", 0, 4, "giflib", "GIF", RARE},
    {"a TIFF image", "II*\0", 0, 4, "libtiff", "TIFF", RARE},
    {"a TIFF image", "MM\0*", 0, 4, "libtiff", "TIFF", RARE},
    {"a HEIF image", "ftyphei", 4, 7, "libheif", "HEIF", RARE},
    {"a HEIF image", "ftyphev", 4, 7, "libheif", "HEIF", RARE},
    {"a HEIF image", "ftypmif1", 4, 8, "libheif", "HEIF", RARE},
    {"a HEIF image", "ftypmsf1", 4, 8, "libheif", "HEIF", RARE},
    {"an AVIF image", "ftypavi", 4, 7, "libheif", "HEIF", RARE},
    {"a CR3 raw image", "ftypcrx", 4, 7, NULL, NULL, RARE},
    {"a JPEG XL image", "\xff\x0a", 0, 2, NULL, NULL, RARE},
    {"a JPEG XL image", "JXL \r\n\x87\n", 4, 8, NULL, NULL, RARE},
    {"a JPEG 2000 image", "jP  \r\n\x87\n", 4, 8, NULL, NULL, RARE},
    {"a video (MP4 or MOV)", "ftyp", 4, 4, NULL, NULL, VIDEO},
    {"a video (MOV)", "moov", 4, 4, NULL, NULL, VIDEO},
    {"a video (MOV)", "mdat", 4, 4, NULL, NULL, VIDEO},
    {"a video (MOV)", "wide", 4, 4, NULL, NULL, VIDEO},
    {"a video (AVI)", "AVI ", 8, 4, NULL, NULL, VIDEO},
    {"a video (Matroska or WebM)", "\x1a\x45\xdf\xa3", 0, 4, NULL, NULL, VIDEO},
};

struct jsni_image_decoder {
    void *state[JSNI_COUNT_OF(table)];
    jsni_image_decoder *next; /* in a pool's list of idle ones */
};

struct jsni_decoder_pool {
    pthread_mutex_t mutex;
    jsni_image_decoder *idle;
};

jsn_status jsni_image_decoder_create(jsni_image_decoder **out)
{
    *out = jsni_alloc_zero(1, sizeof **out);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

void jsni_image_decoder_destroy(jsni_image_decoder *decoder)
{
    if (decoder == NULL)
        return;
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (decoder->state[i] != NULL)
            table[i]->release(decoder->state[i]);
    jsni_free(decoder);
}

jsn_status jsni_codec_fail(const jsni_image_input *input, const jsni_codec *codec,
                           const char *reason)
{
    return jsni_fail(JSN_ERR_DATA, "%s: not a valid %s image: %s", input->name,
                     codec->name, reason);
}

jsn_status jsni_codec_no_memory(const jsni_image_input *input)
{
    return jsni_fail(JSN_ERR_MEMORY, "%s: no memory to read it", input->name);
}

jsn_status jsni_codec_check_size(const jsni_image_input *input, const jsni_codec *codec,
                                 uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return jsni_codec_fail(input, codec, "it has no pixels");
    if (width > JSN_IMAGE_MAX_SIDE || height > JSN_IMAGE_MAX_SIDE)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: %llu x %llu pixels; jensen reads at most %u per side",
                         input->name, (unsigned long long)width,
                         (unsigned long long)height, JSN_IMAGE_MAX_SIDE);
    if (width * height > jsni_limit(JSNI_LIMIT_PIXELS))
        return jsni_limit_fail(JSNI_LIMIT_PIXELS, "%s: %llu x %llu", input->name,
                               (unsigned long long)width, (unsigned long long)height);
    return JSN_OK;
}

static bool has_codec(const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (strcmp(table[i]->name, name) == 0)
            return true;
    return false;
}

/* A format that is known by its first bytes, and that no codec has taken. */
static jsn_status not_taken(const jsni_image_input *input, size_t i)
{
    static const char convert[] = "is not read; convert it to PNG or JPEG";
    static const char take_out[] =
        "is not an image; save its frames as images, or remove it";
    if (known[i].library == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: %s, which %s", input->name, known[i].name,
                         known[i].kind == VIDEO ? take_out : convert);
    if (has_codec(known[i].codec)) /* its codec looks at more bytes than these */
        return jsni_fail(JSN_ERR_DATA,
                         "%s: not a valid %s image: its first bytes are "
                         "damaged, or it is cut short",
                         input->name, known[i].codec);
    return jsni_fail(known[i].kind == COMMON ? JSN_ERR_UNSUPPORTED : JSN_ERR_DATA,
                     "%s: %s, which this build cannot read; one with %s can",
                     input->name, known[i].name, known[i].library);
}

static jsn_status no_codec(const jsni_image_input *input)
{
    if (input->length == 0)
        return jsni_fail(JSN_ERR_DATA, "%s: the file is empty", input->name);
    for (size_t i = 0; i < JSNI_COUNT_OF(known); i++)
        if (input->length >= known[i].offset + known[i].length &&
            memcmp(input->bytes + known[i].offset, known[i].magic, known[i].length) ==
                0)
            return not_taken(input, i);
    return jsni_fail(JSN_ERR_DATA, "%s: not an image in any format that jensen reads",
                     input->name);
}

static jsn_status find_codec(const jsni_image_input *input, size_t *out)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i]->detect(input->bytes, input->length)) {
            *out = i;
            return JSN_OK;
        }
    return no_codec(input);
}

jsn_status jsni_image_decoder_run(jsni_image_decoder *decoder,
                                  const jsni_image_input *input, jsn_image *out)
{
    size_t i = 0;
    JSNI_TRY(find_codec(input, &i));
    return table[i]->decode(&decoder->state[i], input, out);
}

jsn_status jsni_image_decoder_read(jsni_image_decoder *decoder, const char *path,
                                   jsn_image *out)
{
    char *bytes = NULL;
    size_t length = 0;
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, path, &bytes, &length));
    const jsni_image_input input = {(const uint8_t *)bytes, length, path};
    const jsn_status status = jsni_image_decoder_run(decoder, &input, out);
    jsni_free(bytes);
    return status;
}

jsn_status jsni_image_decoder_run_part(jsni_image_decoder *decoder,
                                       const jsni_image_input *input,
                                       const jsni_image_want *want,
                                       jsni_image_part *part)
{
    size_t i = 0;
    JSNI_TRY(find_codec(input, &i));
    if (table[i]->decode_part != NULL)
        return table[i]->decode_part(&decoder->state[i], input, want, part);
    JSNI_TRY(table[i]->decode(&decoder->state[i], input, &part->image));
    part->width = part->image.width;
    part->height = part->image.height;
    part->left = part->top = 0;
    part->divisor = 1;
    return JSN_OK;
}

bool jsni_image_divides(const jsni_image_input *input)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        if (table[i]->detect(input->bytes, input->length))
            return table[i]->decode_part != NULL;
    return false;
}

jsn_status jsni_image_want_coarse(void *user, size_t width, size_t height,
                                  jsni_image_want *want)
{
    const size_t side = width < height ? width : height;
    want->divisor = 8;
    while (want->divisor > 1 && side / want->divisor < *(const size_t *)user)
        want->divisor /= 2;
    return JSN_OK;
}

jsn_status jsni_image_ask(jsni_image_want_fn *fn, void *user, const char *name,
                          size_t width, size_t height, jsni_image_want *want)
{
    *want = (jsni_image_want){0, 0, width, height, 1};
    JSNI_TRY(fn(user, width, height, want));
    const unsigned d = want->divisor;
    if (want->width == 0 || want->height == 0 || want->left >= width ||
        want->top >= height || want->width > width - want->left ||
        want->height > height - want->top || (d != 1 && d != 2 && d != 4 && d != 8))
        return jsni_fail(JSN_ERR_RANGE,
                         "%s: no part of %zux%zu pixels at %zu,%zu, divided by %u, in "
                         "an image of %zux%zu",
                         name, want->width, want->height, want->left, want->top, d,
                         width, height);
    return JSN_OK;
}

jsn_status jsni_image_decoder_measure(jsni_image_decoder *decoder,
                                      const jsni_image_input *input, size_t *width,
                                      size_t *height)
{
    size_t i = 0;
    JSNI_TRY(find_codec(input, &i));
    return table[i]->measure(&decoder->state[i], input, width, height);
}

jsn_status jsni_decoder_pool_create(jsni_decoder_pool **out)
{
    *out = jsni_alloc_zero(1, sizeof **out);
    JSNI_TRY_ALLOC(*out);
    pthread_mutex_init(&(*out)->mutex, NULL);
    return JSN_OK;
}

void jsni_decoder_pool_destroy(jsni_decoder_pool *pool)
{
    if (pool == NULL)
        return;
    while (pool->idle != NULL) {
        jsni_image_decoder *decoder = pool->idle;
        pool->idle = decoder->next;
        jsni_image_decoder_destroy(decoder);
    }
    pthread_mutex_destroy(&pool->mutex);
    jsni_free(pool);
}

jsn_status jsni_decoder_pool_take(jsni_decoder_pool *pool, jsni_image_decoder **out)
{
    pthread_mutex_lock(&pool->mutex);
    *out = pool->idle;
    if (pool->idle != NULL)
        pool->idle = pool->idle->next;
    pthread_mutex_unlock(&pool->mutex);
    return *out != NULL ? JSN_OK : jsni_image_decoder_create(out);
}

void jsni_decoder_pool_give(jsni_decoder_pool *pool, jsni_image_decoder *decoder)
{
    pthread_mutex_lock(&pool->mutex);
    decoder->next = pool->idle;
    pool->idle = decoder;
    pthread_mutex_unlock(&pool->mutex);
}

jsn_status jsni_image_reserve(jsn_image *image, size_t width, size_t height,
                              const char *name)
{
    if (width == 0 || height == 0 || width > JSN_IMAGE_MAX_SIDE ||
        height > JSN_IMAGE_MAX_SIDE || width * height > JSN_IMAGE_MAX_PIXELS)
        return jsni_fail(JSN_ERR_DATA, "%s: an image of %zu x %zu pixels", name, width,
                         height);
    if (image->data != NULL && image->width * image->height == width * height) {
        image->width = width;
        image->height = height;
        return JSN_OK;
    }
    jsn_image_release(image);
    return jsn_image_create(image, width, height);
}

jsn_status jsni_image_decode(jsn_image *out, const void *bytes, size_t length,
                             const char *name)
{
    if (out == NULL || (bytes == NULL && length > 0))
        return jsni_fail(JSN_ERR_ARGUMENT, "image: need an image and its bytes");
    const jsni_image_input input = {bytes, length, name != NULL ? name : "image"};
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_image_decoder_create(&decoder));
    const jsn_status status = jsni_image_decoder_run(decoder, &input, out);
    jsni_image_decoder_destroy(decoder);
    return status;
}

jsn_status jsni_image_decoder_part(jsni_image_decoder *decoder, const void *bytes,
                                   size_t length, const char *name,
                                   jsni_image_want_fn *fn, void *user,
                                   jsni_image_part *part)
{
    const jsni_image_input input = {bytes, length, name != NULL ? name : "image"};
    size_t width = 0, height = 0;
    jsni_image_want want;
    JSNI_TRY(jsni_image_decoder_measure(decoder, &input, &width, &height));
    JSNI_TRY(jsni_image_ask(fn, user, input.name, width, height, &want));
    return jsni_image_decoder_run_part(decoder, &input, &want, part);
}

jsn_status jsni_image_measure(const void *bytes, size_t length, const char *name,
                              size_t *width, size_t *height)
{
    if ((bytes == NULL && length > 0) || width == NULL || height == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "image: need bytes, width and height");
    const jsni_image_input input = {bytes, length, name != NULL ? name : "image"};
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_image_decoder_create(&decoder));
    const jsn_status status =
        jsni_image_decoder_measure(decoder, &input, width, height);
    jsni_image_decoder_destroy(decoder);
    return status;
}

int jsni_image_has_name(const char *name)
{
    if (name == NULL)
        return 0;
    /* The last ones are not read, but an image that is left out should be named. */
    static const char *const endings[] = {
        ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".ppm",  ".pgm",  ".pnm",
        ".bmp", ".webp", ".tif", ".tiff", ".gif", ".heic", ".heif", ".avif"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return 1;
    return 0;
}

jsn_status jsn_image_read(jsn_image *out, const char *path)
{
    if (out == NULL || path == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "image: need an image and a path");
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_image_decoder_create(&decoder));
    const jsn_status status = jsni_image_decoder_read(decoder, path, out);
    jsni_image_decoder_destroy(decoder);
    return status;
}

/* Whether `ending` is among the words of `list`, each followed by a space. */
static bool has_ending(const char *list, const char *ending)
{
    const size_t length = strlen(ending);
    for (const char *at = list; *at != '\0'; at = strchr(at, ' ') + 1)
        if (strncasecmp(at, ending, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

jsn_status jsni_image_encode(const char *name, const jsn_image *image, jsni_text *out)
{
    const char *slash = strrchr(name, '/');
    const char *dot = strrchr(slash != NULL ? slash : name, '.');
    const jsni_codec *codec = NULL;
    for (size_t i = 0; i < JSNI_COUNT_OF(table) && dot != NULL; i++)
        if (table[i]->encode != NULL && has_ending(table[i]->endings, dot + 1))
            codec = table[i];
    if (codec == NULL && dot != NULL && has_ending("png jpg jpeg ", dot + 1))
        return jsni_fail(JSN_ERR_UNSUPPORTED, "%s: this build cannot write %s files",
                         name, dot);
    if (codec == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "%s: images are written as .png, .jpg, .ppm or .bmp", name);
    JSNI_TRY(codec->encode(image, out));
    return out->status;
}

jsn_status jsni_image_write_in(const char *folder, const char *name,
                               const jsn_image *image)
{
    jsni_text text = {0};
    jsn_status status = jsni_image_encode(name, image, &text);
    if (status == JSN_OK)
        status = jsni_file_write_unsynced(folder, name, text.data, text.length);
    jsni_text_release(&text);
    return status;
}

jsn_status jsn_image_write(const char *path, const jsn_image *image)
{
    if (path == NULL || image == NULL || image->data == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "image: need a path and an image");
    return jsni_image_write_in(NULL, path, image);
}
