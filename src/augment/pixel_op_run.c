/* augment/pixel_op_run.c - the operations on whole images. The loops are written so that
 * compilers turn them into vector code; the bytes are those of augment/pixel.h. */
#include <string.h>

#include "augment/pixel_op.h"
#include "augment/pixelkernel.h"

enum { C = 3 };

static void identity(uint8_t table[3][256])
{
    for (int c = 0; c < C; c++)
        for (int i = 0; i < 256; i++)
            table[c][i] = (uint8_t)i;
}

static void autocontrast(const uint8_t *in, size_t pixels, uint8_t table[C][256])
{
    uint8_t low[C], high[C];
    jsni_pixelkernel_best()->ranges(in, pixels, low, high);
    for (int c = 0; c < C; c++)
        for (int i = 0; i < 256; i++)
            table[c][i] = jsni_autocontrast(i, low[c], high[c]);
}

static void equalize(const uint8_t *in, size_t pixels, uint8_t table[C][256])
{
    uint32_t histogram[C][256] = {{0}};
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < C; c++)
            histogram[c][in[i * C + (size_t)c]]++;
    for (int c = 0; c < C; c++) {
        int highest = 255;
        while (highest > 0 && histogram[c][highest] == 0)
            highest--;
        const uint32_t step =
            jsni_equalize_step((uint32_t)pixels, histogram[c][highest]);
        uint32_t below = 0;
        for (int i = 0; i < 256; i++) {
            table[c][i] = step == 0 ? (uint8_t)i : jsni_equalize(below, step);
            below += histogram[c][i];
        }
    }
}

static uint8_t gray_mean(const uint8_t *in, size_t pixels)
{
    enum { MOST = 65536 }; /* pixels whose sum surely fits 32 bits */
    uint64_t sum = 0;
    for (size_t at = 0; at < pixels; at += MOST)
        sum += jsni_pixelkernel_best()->gray_sum(
            in + at * C, pixels - at < MOST ? pixels - at : MOST);
    return jsni_gray_mean(sum, pixels);
}

/* The operations that treat all channels alike and need no statistics but `base`. One
 * loop each, so that each is vector code. */
static void fill_table(const jsni_pixel_op *op, int base, uint8_t table[C][256])
{
    uint8_t *t = table[0];
    switch (op->kind) {
    case JSNI_PIXEL_INVERT:
        for (int i = 0; i < 256; i++)
            t[i] = (uint8_t)(255 - i);
        break;
    case JSNI_PIXEL_POSTERIZE:
        for (int i = 0; i < 256; i++)
            t[i] = jsni_posterize(i, op->value);
        break;
    case JSNI_PIXEL_SOLARIZE:
        for (int i = 0; i < 256; i++)
            t[i] = jsni_solarize(i, op->value);
        break;
    case JSNI_PIXEL_SOLARIZE_ADD:
        for (int i = 0; i < 256; i++)
            t[i] = jsni_solarize_add(i, op->value);
        break;
    default:
        for (int i = 0; i < 256; i++)
            t[i] = jsni_blend(base, i, op->factor);
    }
    memcpy(table[1], t, 256);
    memcpy(table[2], t, 256);
}

bool jsni_pixel_op_table(const jsni_pixel_op *op, const uint8_t *in, size_t pixels,
                         uint8_t table[3][256])
{
    switch (op->kind) {
    case JSNI_PIXEL_AUTOCONTRAST:
        autocontrast(in, pixels, table);
        return true;
    case JSNI_PIXEL_EQUALIZE:
        equalize(in, pixels, table);
        return true;
    case JSNI_PIXEL_CONTRAST:
        fill_table(op, gray_mean(in, pixels), table);
        return true;
    case JSNI_PIXEL_INVERT:
    case JSNI_PIXEL_POSTERIZE:
    case JSNI_PIXEL_SOLARIZE:
    case JSNI_PIXEL_SOLARIZE_ADD:
    case JSNI_PIXEL_BRIGHTNESS:
        fill_table(op, 0, table);
        return true;
    default:
        identity(table);
        return false;
    }
}

void jsni_table_run(const uint8_t table[3][256], const uint8_t *in, uint8_t *out,
                    size_t pixels)
{
    for (size_t i = 0; i < pixels * C; i += C) {
        out[i] = table[0][in[i]];
        out[i + 1] = table[1][in[i + 1]];
        out[i + 2] = table[2][in[i + 2]];
    }
}

static void sharpness(const uint8_t *in, uint8_t *out, size_t width, size_t height,
                      float factor)
{
    const size_t stride = width * C;
    memcpy(out, in, stride * height);
    if (width < 3)
        return;
    for (size_t y = 1; y + 1 < height; y++) {
        const uint8_t *row = in + y * stride;
        jsni_pixelkernel_best()->sharpen(row - stride, row, row + stride,
                                         out + y * stride, stride, factor);
    }
}

static void cutout_abs(const jsni_pixel_box *box, const uint8_t *in, uint8_t *out,
                       size_t width, size_t height)
{
    memcpy(out, in, width * height * C);
    for (int32_t y = box->y0; y <= box->y1; y++)
        for (int32_t x = box->x0; x <= box->x1; x++) {
            uint8_t *p = out + ((size_t)y * width + (size_t)x) * C;
            p[0] = JSNI_CUTOUT_ABS_R;
            p[1] = JSNI_CUTOUT_ABS_G;
            p[2] = JSNI_CUTOUT_ABS_B;
        }
}

static void flip(const uint8_t *in, uint8_t *out, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < C; c++)
                out[(y * width + x) * C + c] = in[(y * width + width - 1 - x) * C + c];
}

/* In all three channels. */
static void gray(const uint8_t *in, uint8_t *out, size_t pixels)
{
    for (size_t i = 0; i < pixels * C; i += C)
        memset(out + i, jsni_gray(in[i], in[i + 1], in[i + 2]), C);
}

void jsni_pixel_op_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                       size_t width, size_t height)
{
    switch (op->kind) {
    case JSNI_PIXEL_ROTATE:
    case JSNI_PIXEL_SHEAR_X:
    case JSNI_PIXEL_SHEAR_Y:
    case JSNI_PIXEL_TRANSLATE_X:
    case JSNI_PIXEL_TRANSLATE_Y:
        jsni_warp_run(op, in, out, width, height);
        return;
    case JSNI_PIXEL_COLOR:
        jsni_pixelkernel_best()->color(in, out, width * height, op->factor);
        return;
    case JSNI_PIXEL_SHARPNESS:
        sharpness(in, out, width, height, op->factor);
        return;
    case JSNI_PIXEL_CUTOUT_ABS:
        cutout_abs(&op->box, in, out, width, height);
        return;
    case JSNI_PIXEL_HUE:
        jsni_hue_shift(in, out, width * height, op->value);
        return;
    case JSNI_PIXEL_FLIP:
        flip(in, out, width, height);
        return;
    case JSNI_PIXEL_GRAY:
        gray(in, out, width * height);
        return;
    case JSNI_PIXEL_HSV:
        jsni_rgb_to_hsv(in, out, width * height);
        return;
    case JSNI_PIXEL_HSV_AND_BACK:
        jsni_rgb_to_hsv(in, out, width * height);
        jsni_hsv_to_rgb(out, out, width * height);
        return;
    case JSNI_PIXEL_SMOOTH: /* what Sharpness blends with */
        sharpness(in, out, width, height, 0.0f);
        return;
    default: {
        uint8_t table[3][256];
        (void)jsni_pixel_op_table(op, in, width * height, table);
        jsni_table_run((const uint8_t(*)[256])table, in, out, width * height);
    }
    }
}
