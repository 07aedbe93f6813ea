/* data/codec_bmp.c - Windows bitmaps without compression: 1, 4, 8 bits with a palette,
 * 24 bits, 32 bits (BGRX, and BGRA when the header says so). */
#include <string.h>

#include "core/fail.h"
#include "data/image_codec.h"

enum { FILE_HEADER = 14, INFO_HEADER = 40 };

typedef struct header {
    size_t width, height;
    bool top_down;
    bool alpha;
    unsigned bits;
    size_t at;      /* of the pixels */
    size_t row;     /* bytes a row, a multiple of 4 */
    size_t palette; /* offset, 4 bytes a colour */
    size_t colours;
} header;

static uint32_t u16(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

static uint32_t u32(const uint8_t *p)
{
    return u16(p) | u16(p + 2) << 16;
}

static bool detect(const uint8_t *bytes, size_t length)
{
    return length >= 2 && bytes[0] == 'B' && bytes[1] == 'M';
}

/* BITFIELDS with the usual masks is plain BGRA. */
static bool usual_masks(const jsni_image_input *input, uint32_t info, bool *alpha)
{
    const uint8_t *masks = input->bytes + FILE_HEADER + INFO_HEADER;
    if (input->length < FILE_HEADER + INFO_HEADER + 16 || info < INFO_HEADER + 16)
        return false;
    *alpha = u32(masks + 12) == 0xff000000u;
    return u32(masks) == 0xff0000u && u32(masks + 4) == 0xff00u &&
           u32(masks + 8) == 0xffu;
}

static jsn_status read_header(const jsni_image_input *input, header *out)
{
    const uint8_t *b = input->bytes;
    if (input->length < FILE_HEADER + INFO_HEADER)
        return jsni_codec_fail(input, &jsni_codec_bmp, "its header is cut off");
    const uint32_t info = u32(b + 14);
    const int32_t width = (int32_t)u32(b + 18);
    const int32_t height = (int32_t)u32(b + 22);
    const uint32_t compression = u32(b + 30);
    if (info < INFO_HEADER || info > input->length - FILE_HEADER || width <= 0 ||
        height == INT32_MIN)
        return jsni_codec_fail(input, &jsni_codec_bmp, "its header is damaged");
    out->alpha = false;
    out->bits = u16(b + 28);
    out->top_down = height < 0;
    out->width = (size_t)width;
    out->height = (size_t)(height < 0 ? -height : height);
    JSNI_TRY(jsni_codec_check_size(input, &jsni_codec_bmp, out->width, out->height));
    if (strchr("\x01\x04\x08\x18\x20", (int)out->bits) == NULL || out->bits == 0 ||
        out->bits > 32 ||
        !(compression == 0 || (compression == 3 && out->bits == 32 &&
                               usual_masks(input, info, &out->alpha))))
        return jsni_codec_fail(input, &jsni_codec_bmp,
                               "its compression or bit depth is not supported");
    out->at = u32(b + 10);
    out->row = (out->width * out->bits + 31) / 32 * 4;
    out->palette = FILE_HEADER + info;
    out->colours = out->bits > 8 ? 0 : u32(b + 46);
    if (out->bits <= 8 && (out->colours == 0 || out->colours > 1u << out->bits))
        out->colours = (size_t)1 << out->bits;
    if (out->palette + 4 * out->colours > input->length || out->at > input->length ||
        (input->length - out->at) / out->row < out->height)
        return jsni_codec_fail(input, &jsni_codec_bmp, "it ends too early");
    return JSN_OK;
}

static jsn_status measure(void **state, const jsni_image_input *input, size_t *width,
                          size_t *height)
{
    (void)state;
    header h;
    JSNI_TRY(read_header(input, &h));
    *width = h.width;
    *height = h.height;
    return JSN_OK;
}

static void take_pixel(const jsni_image_input *input, const header *h,
                       const uint8_t *row, size_t x, uint8_t *to)
{
    const uint8_t *bgr = row + x * h->bits / 8;
    unsigned alpha = 255;
    if (h->bits <= 8) {
        const unsigned shift = 8 - h->bits - (unsigned)(x * h->bits % 8);
        const size_t colour = *bgr >> shift & ((1u << h->bits) - 1);
        bgr = input->bytes + h->palette + 4 * (colour < h->colours ? colour : 0);
    } else if (h->alpha) {
        alpha = bgr[3];
    }
    for (size_t c = 0; c < 3; c++)
        to[c] = (uint8_t)((bgr[2 - c] * alpha + 255 * (255 - alpha) + 127) / 255);
}

static jsn_status decode(void **state, const jsni_image_input *input, jsn_image *out)
{
    (void)state;
    header h;
    JSNI_TRY(read_header(input, &h));
    JSNI_TRY(jsni_image_reserve(out, h.width, h.height, input->name));
    for (size_t y = 0; y < h.height; y++) {
        const size_t line = h.top_down ? y : h.height - 1 - y;
        const uint8_t *row = input->bytes + h.at + line * h.row;
        for (size_t x = 0; x < h.width; x++)
            take_pixel(input, &h, row, x, out->data + (y * h.width + x) * 3);
    }
    return JSN_OK;
}

static void put32(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static jsn_status encode(const jsn_image *image, jsni_text *out)
{
    const size_t row = (image->width * 3 + 3) / 4 * 4;
    uint8_t head[FILE_HEADER + INFO_HEADER] = {'B', 'M'};
    put32(head + 2, sizeof head + row * image->height);
    put32(head + 10, sizeof head);
    put32(head + 14, INFO_HEADER);
    put32(head + 18, image->width);
    put32(head + 22, image->height);
    head[26] = 1;
    head[28] = 24;
    jsni_text_add_n(out, (const char *)head, sizeof head);
    for (size_t y = image->height; y-- > 0;) {
        const uint8_t *from = image->data + y * image->width * 3;
        for (size_t x = 0; x < image->width; x++)
            jsni_text_add_n(out,
                            (const char[]){(char)from[3 * x + 2], (char)from[3 * x + 1],
                                           (char)from[3 * x]},
                            3);
        jsni_text_add_n(out, "\0\0\0", row - image->width * 3);
    }
    return JSN_OK;
}

const jsni_codec jsni_codec_bmp = {"BMP",  "bmp ", detect, measure,
                                   decode, NULL,   NULL,   encode};
