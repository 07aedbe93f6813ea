/* augment/pixel.h - what each image operation does to a byte, a pixel or a coordinate,
 * for host and device alike.
 *
 * The definitions are those of Pillow, bit for bit (golden vectors hold them). Most
 * operations are a table of 256 bytes a channel, made from the image's statistics:
 *
 *   AutoContrast  lowest and highest byte of each channel
 *   Equalize      histogram of each channel
 *   Contrast      rounded mean of the grey image
 *   Invert, Posterize, Solarize, SolarizeAdd, Brightness   no statistics
 *
 * Rotate, ShearX, ShearY, TranslateX, TranslateY read another pixel (jsni_warp); Color
 * needs the pixel's grey, Sharpness its 3x3 neighbourhood, CutoutAbs a box; Hue goes
 * through HSV.
 *
 * nvcc fuses a*b+c unless told otherwise, and one rounding less changes bytes here. So
 * wherever a product meets a sum, jsni_madd_f/_d keeps the two roundings.
 */
#ifndef JSNI_AUGMENT_PIXEL_H
#define JSNI_AUGMENT_PIXEL_H

#include <stdint.h>

#include "core/hd.h"

static inline JSNI_HD float jsni_madd_f(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
    return __fadd_rn(__fmul_rn(a, b), c);
#else
    return a * b + c;
#endif
}

static inline JSNI_HD double jsni_madd_d(double a, double b, double c)
{
#ifdef __CUDA_ARCH__
    return __dadd_rn(__dmul_rn(a, b), c);
#else
    return a * b + c;
#endif
}

static inline JSNI_HD int jsni_clip_byte(int x)
{
    return x < 0 ? 0 : x > 255 ? 255 : x;
}

/* ITU-R 601 luma with rounding. */
static inline JSNI_HD uint8_t jsni_gray(int r, int g, int b)
{
    return (uint8_t)((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
}

/* base + factor * (byte - base) in float, truncated; clipped, which changes nothing for
 * factors in [0, 1]. |factor| <= 1e6, so that the number fits an int. */
static inline JSNI_HD uint8_t jsni_blend(int base, int byte, float factor)
{
    return (uint8_t)jsni_clip_byte(
        (int)jsni_madd_f(factor, (float)(byte - base), (float)base));
}

static inline JSNI_HD uint8_t jsni_posterize(int byte, double bits)
{
    const int kept = bits < 1.0 ? 1 : bits >= 8.0 ? 8 : (int)bits;
    return (uint8_t)(byte & (0xFF << (8 - kept)));
}

static inline JSNI_HD uint8_t jsni_solarize(int byte, double threshold)
{
    return (uint8_t)((double)byte < threshold ? byte : 255 - byte);
}

static inline JSNI_HD uint8_t jsni_solarize_add(int byte, double addend)
{
    const double sum = (double)byte + addend;
    return jsni_solarize(sum <= 0.0 ? 0 : sum >= 255.0 ? 255 : (int)sum, 128.0);
}

/* Stretches [lowest, highest] to [0, 255]; the identity where they are equal. */
static inline JSNI_HD uint8_t jsni_autocontrast(int byte, int lowest, int highest)
{
    if (highest <= lowest)
        return (uint8_t)byte;
    const double scale = 255.0 / (double)(highest - lowest);
    const double offset = -(double)lowest * scale;
    /* Below zero the C conversion truncates as Python's int() does. */
    return (uint8_t)jsni_clip_byte((int)jsni_madd_d((double)byte, scale, offset));
}

/* The step of Equalize from the pixels of a channel and those at its highest occupied
 * byte; 0 (also when a single byte is occupied): leave the channel alone. */
static inline JSNI_HD uint32_t jsni_equalize_step(uint32_t pixels, uint32_t at_highest)
{
    return (pixels - at_highest) / 255u;
}

/* `below`: the pixels of the channel with a smaller byte. */
static inline JSNI_HD uint8_t jsni_equalize(uint32_t below, uint32_t step)
{
    const uint32_t level = (step / 2u + below) / step;
    return (uint8_t)(level > 255u ? 255u : level);
}

/* The mean byte that Contrast blends with, from the sum of the grey image. */
static inline JSNI_HD uint8_t jsni_gray_mean(uint64_t sum, uint64_t pixels)
{
    return (uint8_t)((double)sum / (double)pixels + 0.5);
}

/* The smoothed byte that Sharpness blends with, from the sum of the 3x3 neighbourhood
 * and its centre: a thirteenth, rounded. Pixels of the border keep their byte. */
static inline JSNI_HD uint8_t jsni_smooth(int sum9, int centre)
{
    return (uint8_t)((uint32_t)(sum9 + 4 * centre + 6) / 13u);
}

/* Nearest-neighbour coordinates in 16.16 fixed point: output (x, y) shows input
 * (jsni_warp_x >> 16, jsni_warp_y >> 16), black when that lies outside. The arithmetic
 * shift of a negative number is what floor needs. */
typedef struct jsni_warp {
    int64_t x0, xx, xy; /* column = x0 + xx * x + xy * y */
    int64_t y0, yx, yy; /* row    = y0 + yx * x + yy * y */
} jsni_warp;

static inline JSNI_HD int64_t jsni_warp_x(const jsni_warp *w, int64_t x, int64_t y)
{
    return (w->x0 + w->xx * x + w->xy * y) >> 16;
}

static inline JSNI_HD int64_t jsni_warp_y(const jsni_warp *w, int64_t x, int64_t y)
{
    return (w->y0 + w->yx * x + w->yy * y) >> 16;
}

/* The filled box of CutoutAbs: columns x0..x1 and rows y0..y1, both ends included,
 * already cut at the image's border. Empty when x1 < x0 or y1 < y0. */
typedef struct jsni_pixel_box {
    int32_t x0, y0, x1, y1;
} jsni_pixel_box;

#define JSNI_CUTOUT_ABS_R 125
#define JSNI_CUTOUT_ABS_G 123
#define JSNI_CUTOUT_ABS_B 114

static inline JSNI_HD void jsni_pixel_box_side(double drawn, double side, int32_t size,
                                               int32_t *first, int32_t *last)
{
    const double corner = drawn - side / 2.0;
    *first = corner <= 0.0 ? 0 : corner >= (double)size ? size : (int32_t)corner;
    const double end = (double)*first + side;
    const int32_t inclusive = end >= (double)size ? size
                              : end < 0.0         ? -1
                                                  : (int32_t)end;
    *last = inclusive < size ? inclusive : size - 1;
}

static inline JSNI_HD jsni_pixel_box jsni_pixel_box_at(double x, double y, double side,
                                                       int32_t width, int32_t height)
{
    jsni_pixel_box box;
    jsni_pixel_box_side(x, side, width, &box.x0, &box.x1);
    jsni_pixel_box_side(y, side, height, &box.y0, &box.y1);
    return box;
}

#endif /* JSNI_AUGMENT_PIXEL_H */
