/* augment/pixelkernel_base.c - the pixel loops for any machine. */
#include "augment/pixelkernel_body.h"

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

/* HSV and back in blocks whose intermediate numbers stay in the first cache. pixel_op_hsv.c
 * has the definition; this is the same arithmetic with masks (0 or -1) for choices,
 * because compilers keep branches around floating point out of vector code. */
enum { BLOCK = 64 };

typedef struct hue_block {
    int32_t r[BLOCK], g[BLOCK], b[BLOCK];
    int32_t h[BLOCK], s[BLOCK], v[BLOCK];
} hue_block;

static void block_to_hsv(hue_block *k)
{
    for (int i = 0; i < BLOCK; i++) {
        const int32_t r = k->r[i], g = k->g[i], b = k->b[i];
        const int32_t rg = r > g ? r : g, high = rg > b ? rg : b;
        const int32_t least = r < g ? r : g, low = least < b ? least : b;
        const int32_t span = high - low;
        const int32_t is_r = -(r == high), is_g = ~is_r & -(g == high);
        const int32_t is_b = ~(is_r | is_g);
        const int32_t plus =
            (is_r & (high - b)) | (is_g & (high - r)) | (is_b & (high - g));
        const int32_t minus =
            (is_r & (high - g)) | (is_g & (high - b)) | (is_b & (high - r));
        const float divisor = (float)(span + (span == 0));
        const float p = (float)plus / divisor, m = (float)minus / divisor;
        /* The sum is exact in double, so one rounding to float is Pillow's. */
        const int32_t base = (is_g & 2) | (is_b & 4);
        const float h = (float)((double)base + (double)p - (double)m);
        const double turn = (double)h / 6.0 + 1.0;
        const float rest = (float)(turn - (double)(int32_t)turn);
        const float s = (float)span / (float)(high + (high == 0));
        k->h[i] = (int32_t)((double)rest * 255.0) & -(span > 0);
        k->s[i] = (int32_t)((double)s * 255.0);
        k->v[i] = high;
    }
}

static void block_to_rgb(hue_block *k)
{
    for (int i = 0; i < BLOCK; i++) {
        const int32_t v = k->v[i];
        const float h = (float)((double)k->h[i] * 6.0 / 255.0);
        const int32_t sextant = (int32_t)h;
        const float f = (float)((double)h - (double)sextant);
        const float s = (float)((double)k->s[i] / 255.0);
        const double value = (double)v;
        const int32_t p = (int32_t)(value * (1.0 - (double)s) + 0.5);
        const int32_t q = (int32_t)(value * (1.0 - (double)(s * f)) + 0.5);
        const int32_t t =
            (int32_t)(value * (1.0 - (double)s * (1.0 - (double)f)) + 0.5);
        /* The sextants' masks; hue 255 is the sixth, which is the first again. */
        const int32_t n0 = -(sextant == 0) | -(sextant == 6), n1 = -(sextant == 1);
        const int32_t n2 = -(sextant == 2), n3 = -(sextant == 3);
        const int32_t n4 = -(sextant == 4), n5 = -(sextant == 5);
        k->r[i] = ((n0 | n5) & v) | (n1 & q) | (n4 & t) | ((n2 | n3) & p);
        k->g[i] = ((n1 | n2) & v) | (n0 & t) | (n3 & q) | ((n4 | n5) & p);
        k->b[i] = ((n3 | n4) & v) | (n2 & t) | (n5 & q) | ((n0 | n1) & p);
    }
}

static void hue(const uint8_t *in, uint8_t *out, size_t pixels, uint8_t shift)
{
    hue_block k;
    memset(&k, 0, sizeof k);
    for (size_t at = 0; at < pixels; at += BLOCK) {
        const size_t count = pixels - at < BLOCK ? pixels - at : BLOCK;
        for (size_t i = 0; i < count; i++) {
            k.r[i] = in[(at + i) * C];
            k.g[i] = in[(at + i) * C + 1];
            k.b[i] = in[(at + i) * C + 2];
        }
        block_to_hsv(&k);
        for (int i = 0; i < BLOCK; i++)
            k.h[i] = (k.h[i] + shift) & 255;
        block_to_rgb(&k);
        for (size_t i = 0; i < count; i++) {
            out[(at + i) * C] = (uint8_t)k.r[i];
            out[(at + i) * C + 1] = (uint8_t)k.g[i];
            out[(at + i) * C + 2] = (uint8_t)k.b[i];
        }
    }
}

enum { ROWS = JSNI_ACROSS_ROWS, LANES = C * ROWS };

/* `rows` (at most ROWS) rows as group[width][ROWS][3]; missing rows are 0. */
static void interleave(const uint8_t *in, size_t stride, size_t rows, size_t width,
                       uint8_t *group)
{
    if (rows < ROWS)
        memset(group, 0, width * LANES);
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *from = in + r * stride;
        uint8_t *to = group + C * r;
        for (size_t x = 0; x < width; x++)
            memcpy(to + x * LANES, from + x * C, C);
    }
}

static void across_column(const uint8_t *in, const int32_t *weight, size_t count,
                          uint8_t out[LANES])
{
    int32_t sum[LANES];
    for (size_t i = 0; i < LANES; i++)
        sum[i] = 1 << (DIGITS - 1);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < LANES; i++)
            sum[i] += in[k * LANES + i] * weight[k];
    for (size_t i = 0; i < LANES; i++)
        out[i] = settle(sum[i]);
}

/* Rows are interleaved pixel by pixel, so that this pass, as the other one, is sums of long
 * rows of bytes times a weight, which is what vector instructions are good at. */
static void across(const jsni_across *a)
{
    const jsni_windows *w = a->windows;
    for (size_t y = 0; y < a->rows; y += ROWS) {
        const size_t rows = a->rows - y < ROWS ? a->rows - y : ROWS;
        uint8_t *out = a->out + y * a->out_width * C;
        interleave(a->in + y * a->stride, a->stride, rows, a->width, a->room);
        for (size_t x = 0; x < a->out_width; x++) {
            uint8_t byte[LANES];
            across_column(a->room + (size_t)w->first[x] * LANES,
                          w->weight + x * w->taps, w->count[x], byte);
            for (size_t r = 0; r < rows; r++)
                memcpy(out + (r * a->out_width + x) * C, byte + C * r, C);
        }
    }
}

const jsni_pixelkernel jsni_pixelkernel_base = {
    .name = "base",
    .isa = JSNI_ISA_PLAIN,
    .ranges = ranges,
    .gray_sum = gray_sum,
    .blend = blend,
    .color = color,
    .sharpen = sharpen,
    .hue = hue,
    .mirror = mirror,
    .across = across,
    .down = down,
};
