/* augment/pixelkernel_body.h - the source of pixelkernel_<id>.c: plain C that compilers
 * turn into the vector code of the instruction set at hand. Nothing is contracted
 * (-ffp-contract=off), so all instruction sets give the same bytes. */
#ifndef JSNI_AUGMENT_PIXELKERNEL_BODY_H
#define JSNI_AUGMENT_PIXELKERNEL_BODY_H

#include <string.h>

#include "augment/pixel.h"
#include "augment/pixelkernel.h"

enum { C = 3, DIGITS = JSNI_RESIZE_DIGITS };

/* Sixteen pixels at a time in 48 lanes: a lane meets one channel only, so the inner loop
 * is plain vector minimum and maximum. */
static void ranges(const uint8_t *in, size_t pixels, uint8_t low[C], uint8_t high[C])
{
    enum { WIDE = 16 * C };
    uint8_t lowest[WIDE], highest[WIDE];
    memset(lowest, 255, sizeof lowest);
    memset(highest, 0, sizeof highest);
    size_t at = 0;
    for (; at + WIDE <= pixels * C; at += WIDE)
        for (size_t i = 0; i < WIDE; i++) {
            const uint8_t v = in[at + i];
            lowest[i] = v < lowest[i] ? v : lowest[i];
            highest[i] = v > highest[i] ? v : highest[i];
        }
    for (size_t i = 0; at < pixels * C; at++, i++) {
        lowest[i] = in[at] < lowest[i] ? in[at] : lowest[i];
        highest[i] = in[at] > highest[i] ? in[at] : highest[i];
    }
    for (size_t c = 0; c < C; c++) {
        low[c] = 255;
        high[c] = 0;
        for (size_t i = c; i < WIDE; i += C) {
            low[c] = lowest[i] < low[c] ? lowest[i] : low[c];
            high[c] = highest[i] > high[c] ? highest[i] : high[c];
        }
    }
}

static uint32_t gray_sum(const uint8_t *in, size_t pixels)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < pixels; i++)
        sum += jsni_gray(in[i * C], in[i * C + 1], in[i * C + 2]);
    return sum;
}

static void blend(const uint8_t *in, uint8_t *out, size_t bytes, int base, float factor)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = jsni_blend(base, in[i], factor);
}

static void mirror(const uint8_t *in, uint8_t *out, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < C; c++)
            out[i * C + c] = in[(pixels - 1 - i) * C + c];
}

/* Neighbours of a byte in its channel are 3 bytes away, so a row is one flat loop. */
static void sharpen(const uint8_t *up, const uint8_t *row, const uint8_t *below,
                    uint8_t *out, size_t bytes, float factor)
{
    for (size_t i = C; i < bytes - C; i++) {
        const int sum = up[i - C] + up[i] + up[i + C] + row[i - C] + row[i] +
                        row[i + C] + below[i - C] + below[i] + below[i + C];
        out[i] = jsni_blend(jsni_smooth(sum, row[i]), row[i], factor);
    }
}

static inline uint8_t settle(int32_t sum)
{
    const int32_t v = sum >> DIGITS;
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void down(const uint8_t *in, size_t stride, const int32_t *weight, size_t count,
                 uint8_t *out, size_t bytes)
{
    enum { WIDE = 64 };
    size_t at = 0;
    for (; at + WIDE <= bytes; at += WIDE) {
        int32_t sum[WIDE];
        for (size_t i = 0; i < WIDE; i++)
            sum[i] = 1 << (DIGITS - 1);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < WIDE; i++)
                sum[i] += in[k * stride + at + i] * weight[k];
        for (size_t i = 0; i < WIDE; i++)
            out[at + i] = settle(sum[i]);
    }
    for (; at < bytes; at++) {
        int32_t sum = 1 << (DIGITS - 1);
        for (size_t k = 0; k < count; k++)
            sum += in[k * stride + at] * weight[k];
        out[at] = settle(sum);
    }
}

#endif /* JSNI_AUGMENT_PIXELKERNEL_BODY_H */
