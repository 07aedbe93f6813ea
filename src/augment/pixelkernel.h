/* augment/pixelkernel.h - the loops over pixels that take the time, compiled once an
 * instruction set (pixelkernel_body.h is the source of all) and chosen by what the
 * machine has. Images are [height][width][3]. */
#ifndef JSNI_AUGMENT_PIXELKERNEL_H
#define JSNI_AUGMENT_PIXELKERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "augment/pixelkernel_list.h"
#include "core/isa.h"

enum {
    JSNI_RESIZE_ROWS = 16, /* rows that the first pass takes at once */
    JSNI_RESIZE_LANES = 3 * JSNI_RESIZE_ROWS, /* bytes of their pixels at one column */
    JSNI_RESIZE_DIGITS = 22                   /* binary digits of a weight */
};

typedef struct jsni_pixelkernel {
    const char *name;
    jsni_isa isa; /* that it is compiled for */
    /* Lowest and highest byte a channel. */
    void (*ranges)(const uint8_t *in, size_t pixels, uint8_t low[3], uint8_t high[3]);
    /* Sum of the grey image; at most 65536 pixels. */
    uint32_t (*gray_sum)(const uint8_t *in, size_t pixels);
    void (*color)(const uint8_t *in, uint8_t *out, size_t pixels, float factor);
    /* One row: bytes [3, bytes - 3), from the rows above, at and below. */
    void (*sharpen)(const uint8_t *up, const uint8_t *row, const uint8_t *down,
                    uint8_t *out, size_t bytes, float factor);
    void (*hue)(const uint8_t *in, uint8_t *out, size_t pixels, uint8_t shift);
    /* One column of the first resizing pass: `count` taps of JSNI_RESIZE_LANES bytes. */
    void (*across)(const uint8_t *in, const int32_t *weight, size_t count,
                   uint8_t out[JSNI_RESIZE_LANES]);
    /* One row of the second: `count` rows, `stride` bytes apart, of `bytes` bytes. */
    void (*down)(const uint8_t *in, size_t stride, const int32_t *weight, size_t count,
                 uint8_t *out, size_t bytes);
} jsni_pixelkernel;

#define JSNI_DECLARE_PIXELKERNEL(id) \
    extern const jsni_pixelkernel jsni_pixelkernel_##id;
JSNI_PIXELKERNEL_LIST(JSNI_DECLARE_PIXELKERNEL)
#undef JSNI_DECLARE_PIXELKERNEL

/* The best one for this machine. */
const jsni_pixelkernel *jsni_pixelkernel_best(void);

/* All that were compiled, for tests; NULL beyond the last. */
const jsni_pixelkernel *jsni_pixelkernel_at(size_t index);

#endif /* JSNI_AUGMENT_PIXELKERNEL_H */
