/* augment/pixel_op_hsv.c - RGB to HSV bytes and back with Pillow's mixture of float and
 * double steps; the hue shift of ColorJitter. */
#include <math.h>

#include "augment/pixel_op.h"
#include "augment/pixelkernel.h"

static inline int max3(int a, int b, int c)
{
    const int ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static inline int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static inline void to_hsv(const uint8_t in[3], uint8_t out[3])
{
    const int r = in[0], g = in[1], b = in[2];
    const int high = max3(r, g, b), low = min3(r, g, b);
    if (high == low) {
        out[0] = out[1] = 0;
        out[2] = (uint8_t)high;
        return;
    }
    const float span = (float)(high - low);
    const float s = span / (float)high;
    const float rc = (float)(high - r) / span;
    const float gc = (float)(high - g) / span;
    const float bc = (float)(high - b) / span;
    float h;
    if (r == high)
        h = bc - gc;
    else if (g == high)
        h = (float)(2.0 + (double)rc - (double)bc);
    else
        h = (float)(4.0 + (double)gc - (double)rc);
    /* The turn lies in [5/6, 2), where fmod(turn, 1) is this difference exactly. */
    const double turn = (double)h / 6.0 + 1.0;
    h = (float)(turn >= 1.0 ? turn - 1.0 : turn);
    out[0] = (uint8_t)jsni_clip_byte((int)((double)h * 255.0));
    out[1] = (uint8_t)jsni_clip_byte((int)((double)s * 255.0));
    out[2] = (uint8_t)high;
}

/* v >= 0: rounded half up, which is away from zero. */
static inline uint8_t round_byte(double v)
{
    return (uint8_t)jsni_clip_byte((int)(v + 0.5));
}

static inline void to_rgb(const uint8_t in[3], uint8_t out[3])
{
    const uint8_t v = in[2];
    if (in[1] == 0) {
        out[0] = out[1] = out[2] = v;
        return;
    }
    const float h = (float)((double)in[0] * 6.0 / 255.0);
    const int sextant = (int)h;
    const float f = (float)((double)h - sextant);
    const float s = (float)((double)in[1] / 255.0);
    const uint8_t p = round_byte((double)v * (1.0 - (double)s));
    const uint8_t q = round_byte((double)v * (1.0 - (double)(s * f)));
    const uint8_t t = round_byte((double)v * (1.0 - (double)s * (1.0 - (double)f)));
    const uint8_t rgb[6][3] = {{v, t, p}, {q, v, p}, {p, v, t},
                               {p, q, v}, {t, p, v}, {v, p, q}};
    for (int c = 0; c < 3; c++)
        out[c] = rgb[sextant % 6][c];
}

void jsni_rgb_to_hsv(const uint8_t *in, uint8_t *out, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t rgb[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
        to_hsv(rgb, out + 3 * i);
    }
}

void jsni_hsv_to_rgb(const uint8_t *in, uint8_t *out, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t hsv[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
        to_rgb(hsv, out + 3 * i);
    }
}

void jsni_hue_shift(const uint8_t *in, uint8_t *out, size_t pixels, double factor)
{
    const double turns = fmod(trunc(factor * 255.0), 256.0);
    jsni_pixelkernel_best()->hue(in, out, pixels, (uint8_t)((int)turns & 255));
}
