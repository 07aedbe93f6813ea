/* data/codec_jpeg.c - JPEG by libjpeg-turbo's TurboJPEG interface.
 *
 * Size, components and orientation are read by a walk over the segments, which saves
 * the library's second look at the header (a fifth of the time for 32x32 images). A
 * walk that was fooled is harmless: the library writes at most the rows and columns it
 * is told, or refuses. Truncated files are refused; lesser damage that the library
 * calls a warning is accepted, as most programs do.
 *
 * Parts of an image are decoded by jpeg_part_libjpeg.c, since TurboJPEG 2 knows none. Of the
 * library's smaller sizes 1/2, 1/4 and 1/8 are used: the others have no vector code and
 * take longer than the full size.
 */
#include <string.h>
#include <turbojpeg.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/image_part.h"
#include "data/image_codec.h"
#include "data/jpeg_part.h"
#include "data/jpeg_tables.h"
#include "data/orient.h"

enum { QUALITY = 95, SMALL = 1 << 16, SHIFT = 16 };

/* What a decoder keeps. The library writes rows that are aligned to 32 bytes past the
 * cache, which slows small images down by a sixth; so those are decoded to a place that is
 * not aligned, and copied. */
typedef struct kept {
    tjhandle handle;
    uint8_t small[SMALL + SHIFT]; /* 8 bytes in; images start SHIFT further */
    jsni_jpeg_reader *reader;     /* made when a part is first wanted */
    jsni_jpeg_start start;        /* of the files before */
} kept;

typedef struct header {
    size_t width, height;
    unsigned components;
    bool progressive;
    int orientation;
} header;

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

static bool is_frame(unsigned marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
           marker != 0xcc;
}

static jsn_status read_header(const jsni_image_input *input, header *out)
{
    const uint8_t *b = input->bytes;
    size_t at = 2;
    out->orientation = 1;
    while (at + 4 <= input->length) {
        if (b[at] != 0xff || b[at + 1] == 0xff || b[at + 1] == 0) {
            at++; /* fill bytes, and what some writers leave between segments */
            continue;
        }
        const unsigned marker = b[at + 1];
        if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
            at += 2;
            continue;
        }
        if (marker == 0xda || marker == 0xd9)
            break;
        const size_t length = (size_t)b[at + 2] << 8 | b[at + 3];
        const uint8_t *body = b + at + 4;
        if (length < 2 || length > input->length - at - 2)
            break;
        if (is_frame(marker) && length >= 8) {
            out->height = (size_t)body[1] << 8 | body[2];
            out->width = (size_t)body[3] << 8 | body[4];
            out->components = body[5];
            /* SOF2, 6, 10, 14; limiting scans costs time, and only these have many. */
            out->progressive = (marker & 3) == 2;
            return jsni_codec_check_size(input, &jsni_codec_jpeg, out->width,
                                         out->height);
        }
        if (marker == 0xe1 && length >= 8 && memcmp(body, "Exif\0\0", 6) == 0)
            out->orientation = jsni_exif_orientation(body + 6, length - 8);
        at += 2 + length;
    }
    return jsni_codec_fail(input, &jsni_codec_jpeg, "it has no frame header");
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    header h;
    JSNI_TRY(read_header(input, &h));
    const bool turns = jsni_orientation_turns(h.orientation);
    *width = turns ? h.height : h.width;
    *height = turns ? h.width : h.height;
    return JSN_OK;
}

/* Adobe's convention, which all writers of such files follow: 255 is no ink. */
static void cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < 3; c++)
            rgb[3 * i + c] = (uint8_t)((cmyk[4 * i + c] * cmyk[4 * i + 3] + 127) / 255);
}

/* The library reports a failure after a warning as a warning, too; only its text, the
 * latest, tells. These are its warnings that leave an image whole or nearly so. */
bool jsni_jpeg_is_harmless(const char *warning)
{
    static const char *const starts[] = {"Corrupt JPEG data: ", "Unknown Adobe",
                                         "Inconsistent progression",
                                         "Warning: ", "Invalid SOS"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(warning, starts[i], strlen(starts[i])) == 0)
            return strstr(warning, "premature end") == NULL;
    return false;
}

jsn_status jsni_jpeg_failed(const jsni_image_input *input, const char *reason)
{
    /* libjpeg's words, and those of TurboJPEG; there is no code for it */
    return strstr(reason, "Insufficient memory") != NULL ||
                   strstr(reason, "emory allocation failure") != NULL
               ? jsni_codec_no_memory(input)
               : jsni_codec_fail(input, &jsni_codec_jpeg, reason);
}

static jsn_status decompress(tjhandle handle, const jsni_image_input *input,
                             const header *h, uint8_t *to, int format)
{
    if (tjDecompress2(handle, input->bytes, (unsigned long)input->length, to,
                      (int)h->width, 0, (int)h->height, format,
                      h->progressive ? TJFLAG_LIMITSCANS : 0) == 0)
        return JSN_OK;
    const char *reason = tjGetErrorStr2(handle);
    if (tjGetErrorCode(handle) == TJERR_WARNING && jsni_jpeg_is_harmless(reason))
        return JSN_OK;
    return jsni_jpeg_failed(input, reason);
}

static jsn_status renew(kept *k)
{
    tjhandle handle = tjInitDecompress();
    if (handle == NULL)
        return jsni_fail(JSN_ERR_MEMORY, "libjpeg-turbo could not be started");
    if (k->handle != NULL)
        (void)tjDestroy(k->handle);
    jsni_jpeg_reader_destroy(k->reader);
    k->handle = handle;
    k->reader = NULL;
    return JSN_OK;
}

/* What the decoder keeps; as new for a file that could use tables of the one before. */
static jsn_status start(void **state, const jsni_image_input *input, kept **out)
{
    kept *k = *state;
    if (k == NULL) {
        JSNI_TRY_ALLOC(k = jsni_alloc(1, sizeof *k));
        k->handle = NULL;
        k->reader = NULL;
        k->start.length = 0;
        *state = k;
    }
    *out = k;
    return k->handle != NULL &&
                   jsni_jpeg_has_tables(input->bytes, input->length, &k->start)
               ? JSN_OK
               : renew(k);
}

static jsn_status decode_cmyk(tjhandle handle, const jsni_image_input *input,
                              const header *h, jsn_image *out)
{
    uint8_t *cmyk = jsni_alloc(h->width * h->height, 4);
    JSNI_TRY_ALLOC(cmyk);
    const jsn_status status = decompress(handle, input, h, cmyk, TJPF_CMYK);
    if (status == JSN_OK)
        cmyk_to_rgb(cmyk, out->data, h->width * h->height);
    jsni_free(cmyk);
    return status;
}

/* All of the image, its sides divided and rounded up; upright. */
static jsn_status decode_whole(kept *k, const jsni_image_input *input, header h,
                               unsigned divisor, jsn_image *out)
{
    h.width = (h.width + divisor - 1) / divisor;
    h.height = (h.height + divisor - 1) / divisor;
    JSNI_TRY(jsni_image_reserve(out, h.width, h.height, input->name));
    const size_t bytes = h.width * h.height * JSN_IMAGE_CHANNELS;
    if (h.components == 4) {
        JSNI_TRY(decode_cmyk(k->handle, input, &h, out));
    } else if (bytes <= SMALL) {
        JSNI_TRY(decompress(k->handle, input, &h, k->small + SHIFT, TJPF_RGB));
        memcpy(out->data, k->small + SHIFT, bytes);
    } else {
        JSNI_TRY(decompress(k->handle, input, &h, out->data, TJPF_RGB));
    }
    return jsni_image_orient(out, h.orientation);
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    header h = {0};
    kept *k = NULL;
    JSNI_TRY(read_header(input, &h));
    JSNI_TRY(start(state, input, &k));
    return decode_whole(k, input, h, 1, out);
}

static jsn_status decode_box(kept *k, const jsni_image_input *input, const header *h,
                             const jsni_jpeg_box *box, jsn_image *out)
{
    if (k->reader == NULL)
        JSNI_TRY(jsni_jpeg_reader_create(&k->reader));
    JSNI_TRY(
        jsni_image_reserve(out, box->x1 - box->x0, box->y1 - box->y0, input->name));
    JSNI_TRY(jsni_jpeg_read_box(k->reader, input, box, out->data));
    return jsni_image_orient(out, h->orientation);
}

static jsn_status decode_part(void **state, const jsni_image_input *input,
                              const jsni_image_want *want, jsni_image_part *part)
{
    header h = {0};
    kept *k = NULL;
    JSNI_TRY(read_header(input, &h));
    JSNI_TRY(start(state, input, &k));
    const bool turns = jsni_orientation_turns(h.orientation);
    const bool flip_x = jsni_orientation_flips_x(h.orientation);
    const bool flip_y = jsni_orientation_flips_y(h.orientation);
    const unsigned d = want->divisor;
    const size_t width = (h.width + d - 1) / d, height = (h.height + d - 1) / d;
    /* In the file's coordinates: the wanted part, then its hull of coarse pixels. */
    size_t x = turns ? want->top : want->left, y = turns ? want->left : want->top;
    const size_t w = turns ? want->height : want->width;
    const size_t v = turns ? want->width : want->height;
    if (x + w > h.width || y + v > h.height)
        return jsni_codec_fail(input, &jsni_codec_jpeg, "its size has changed");
    x = flip_x ? h.width - x - w : x;
    y = flip_y ? h.height - y - v : y;
    jsni_jpeg_box box = {x / d, y / d, (x + w + d - 1) / d, (y + v + d - 1) / d, d};
    const bool all = box.x1 - box.x0 == width && box.y1 - box.y0 == height;
    /* CMYK is rare, and not worth a second conversion. */
    if (all || h.components == 4 || !jsni_jpeg_reads_boxes()) {
        JSNI_TRY(decode_whole(k, input, h, d, &part->image));
        box = (jsni_jpeg_box){0, 0, width, height, d};
    } else {
        JSNI_TRY(decode_box(k, input, &h, &box, &part->image));
    }
    const ptrdiff_t left =
        flip_x ? (ptrdiff_t)h.width - (ptrdiff_t)(box.x1 * d) : (ptrdiff_t)(box.x0 * d);
    const ptrdiff_t top = flip_y ? (ptrdiff_t)h.height - (ptrdiff_t)(box.y1 * d)
                                 : (ptrdiff_t)(box.y0 * d);
    *part = (jsni_image_part){
        part->image,        turns ? h.height : h.width, turns ? h.width : h.height,
        turns ? top : left, turns ? left : top,         d};
    return JSN_OK;
}

static void release(void *state)
{
    kept *k = state;
    if (k->handle != NULL)
        (void)tjDestroy(k->handle);
    jsni_jpeg_reader_destroy(k->reader);
    jsni_free(k);
}

static jsn_status encode(const jsn_image *image, jsni_text *out)
{
    tjhandle handle = tjInitCompress();
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    if (handle == NULL)
        return jsni_fail(JSN_ERR_MEMORY, "libjpeg-turbo could not be started");
    jsn_status status = JSN_OK;
    if (tjCompress2(handle, image->data, (int)image->width, 0, (int)image->height,
                    TJPF_RGB, &bytes, &length, TJSAMP_444, QUALITY, 0) != 0)
        status = jsni_fail(JSN_ERR_IO, "JPEG could not be written: %s",
                           tjGetErrorStr2(handle));
    else
        jsni_text_add_n(out, (const char *)bytes, length);
    tjFree(bytes);
    (void)tjDestroy(handle);
    return status;
}

const jsni_codec jsni_codec_jpeg = {"JPEG", "jpg jpeg ", detect,  measure,
                                    decode, decode_part, release, encode};
