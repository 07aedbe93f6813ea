/* augment/op_run.c - the operations on whole images. The loops are written so that
 * compilers turn them into vector code; the bytes are those of augment/pixel.h. */
#include <string.h>

#include "augment/op_impl.h"

enum { C = 3 };

static void identity(uint8_t table[3][256])
{
    for (int c = 0; c < C; c++)
        for (int i = 0; i < 256; i++)
            table[c][i] = (uint8_t)i;
}

/* Lowest and highest byte a channel. Sixteen pixels at a time in 48 lanes: a lane meets
 * one channel only, so the inner loop is plain vector minimum and maximum. */
static void ranges(const uint8_t *in, size_t pixels, uint8_t low[C], uint8_t high[C])
{
    enum { LANES = 16 * C };
    uint8_t lowest[LANES], highest[LANES];
    memset(lowest, 255, sizeof lowest);
    memset(highest, 0, sizeof highest);
    size_t at = 0;
    for (; at + LANES <= pixels * C; at += LANES)
        for (size_t i = 0; i < LANES; i++) {
            const uint8_t v = in[at + i];
            lowest[i] = v < lowest[i] ? v : lowest[i];
            highest[i] = v > highest[i] ? v : highest[i];
        }
    for (size_t i = 0; at < pixels * C; at++, i++) {
        lowest[i] = in[at] < lowest[i] ? in[at] : lowest[i];
        highest[i] = in[at] > highest[i] ? in[at] : highest[i];
    }
    for (int c = 0; c < C; c++) {
        low[c] = 255;
        high[c] = 0;
        for (int i = c; i < LANES; i += C) {
            low[c] = lowest[i] < low[c] ? lowest[i] : low[c];
            high[c] = highest[i] > high[c] ? highest[i] : high[c];
        }
    }
}

static void autocontrast(const uint8_t *in, size_t pixels, uint8_t table[C][256])
{
    uint8_t low[C], high[C];
    ranges(in, pixels, low, high);
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
    uint64_t sum = 0;
    for (size_t at = 0; at < pixels;) {
        /* A block whose sum fits 32 bits, so that the loop needs no wide lanes. */
        const size_t end = pixels - at > 65536 ? at + 65536 : pixels;
        uint32_t part = 0;
        for (; at < end; at++)
            part += jsni_gray(in[at * C], in[at * C + 1], in[at * C + 2]);
        sum += part;
    }
    return jsni_gray_mean(sum, pixels);
}

static void fill_table(const jsni_op *op, int base, uint8_t table[C][256])
{
    for (int i = 0; i < 256; i++) {
        uint8_t v = 0;
        switch (op->kind) {
        case JSNI_OP_INVERT:
            v = (uint8_t)(255 - i);
            break;
        case JSNI_OP_POSTERIZE:
            v = jsni_posterize(i, op->value);
            break;
        case JSNI_OP_SOLARIZE:
            v = jsni_solarize(i, op->value);
            break;
        case JSNI_OP_SOLARIZE_ADD:
            v = jsni_solarize_add(i, op->value);
            break;
        default:
            v = jsni_blend(base, i, op->factor);
        }
        table[0][i] = v;
    }
    memcpy(table[1], table[0], 256);
    memcpy(table[2], table[0], 256);
}

bool jsni_op_table(const jsni_op *op, const uint8_t *in, size_t pixels,
                   uint8_t table[3][256])
{
    switch (op->kind) {
    case JSNI_OP_AUTOCONTRAST:
        autocontrast(in, pixels, table);
        return true;
    case JSNI_OP_EQUALIZE:
        equalize(in, pixels, table);
        return true;
    case JSNI_OP_CONTRAST:
        fill_table(op, gray_mean(in, pixels), table);
        return true;
    case JSNI_OP_INVERT:
    case JSNI_OP_POSTERIZE:
    case JSNI_OP_SOLARIZE:
    case JSNI_OP_SOLARIZE_ADD:
    case JSNI_OP_BRIGHTNESS:
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

static void color(const uint8_t *in, uint8_t *out, size_t pixels, float factor)
{
    for (size_t i = 0; i < pixels * C; i += C) {
        const int r = in[i], g = in[i + 1], b = in[i + 2];
        const int base = jsni_gray(r, g, b);
        out[i] = jsni_blend(base, r, factor);
        out[i + 1] = jsni_blend(base, g, factor);
        out[i + 2] = jsni_blend(base, b, factor);
    }
}

/* Neighbours of a byte in its channel are 3 bytes away, so a row is one flat loop. */
static void sharpness(const uint8_t *in, uint8_t *out, size_t width, size_t height,
                      float factor)
{
    const size_t stride = width * C;
    memcpy(out, in, stride * height);
    if (width < 3)
        return;
    for (size_t y = 1; y + 1 < height; y++) {
        const uint8_t *row = in + y * stride;
        const uint8_t *up = row - stride, *down = row + stride;
        uint8_t *to = out + y * stride;
        for (size_t i = C; i < stride - C; i++) {
            const int sum = up[i - C] + up[i] + up[i + C] + row[i - C] + row[i] +
                            row[i + C] + down[i - C] + down[i] + down[i + C];
            to[i] = jsni_blend(jsni_smooth(sum, row[i]), row[i], factor);
        }
    }
}

static void cutout_abs(const jsni_op_box *box, const uint8_t *in, uint8_t *out,
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

void jsni_op_run(const jsni_op *op, const uint8_t *in, uint8_t *out, size_t width,
                 size_t height)
{
    switch (op->kind) {
    case JSNI_OP_ROTATE:
    case JSNI_OP_SHEAR_X:
    case JSNI_OP_SHEAR_Y:
    case JSNI_OP_TRANSLATE_X:
    case JSNI_OP_TRANSLATE_Y:
        jsni_warp_run(op, in, out, width, height);
        return;
    case JSNI_OP_COLOR:
        color(in, out, width * height, op->factor);
        return;
    case JSNI_OP_SHARPNESS:
        sharpness(in, out, width, height, op->factor);
        return;
    case JSNI_OP_CUTOUT_ABS:
        cutout_abs(&op->box, in, out, width, height);
        return;
    case JSNI_OP_HUE:
        jsni_hue_shift(in, out, width * height, op->value);
        return;
    case JSNI_OP_FLIP:
        flip(in, out, width, height);
        return;
    default: {
        uint8_t table[3][256];
        (void)jsni_op_table(op, in, width * height, table);
        jsni_table_run((const uint8_t(*)[256])table, in, out, width * height);
    }
    }
}
