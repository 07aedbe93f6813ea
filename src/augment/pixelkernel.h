/* augment/pixelkernel.h - the loops over pixels that take the time, once an instruction
 * set, chosen by what the machine has. pixelkernel_body.h is the source for compilers to
 * make vectors of, pixelkernel_avx2.c has by hand what they do not find. Images are
 * [height][width][3]. */
#ifndef JSNI_AUGMENT_PIXELKERNEL_H
#define JSNI_AUGMENT_PIXELKERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "augment/pixelkernel_list.h"
#include "core/isa.h"

enum { JSNI_RESIZE_DIGITS = 22 }; /* binary digits of a weight */

/* The windows of a resizing pass: output i is the sum of weight[i * taps + k] *
 * input[first[i] + k], k < count[i]. The weights from count[i] on are 0. */
typedef struct jsni_windows {
    size_t taps;     /* room of a window */
    size_t most;     /* largest count */
    uint32_t *first; /* [out] */
    uint32_t *count; /* [out] */
    int32_t *weight; /* [out][taps] */
} jsni_windows;

/* The first resizing pass: rows become shorter or longer. */
typedef struct jsni_across {
    const uint8_t *in; /* [rows] rows of `width` pixels, `stride` bytes apart */
    size_t stride, width, rows;
    const jsni_windows *windows;
    uint8_t *out; /* [rows][out_width][3] */
    size_t out_width;
    uint8_t *room; /* [jsni_across_room()] */
} jsni_across;

/* Rows that the plain pass takes at once: their pixels of one column lie side by side. */
enum { JSNI_ACROSS_ROWS = 16 };

static inline size_t jsni_across_room(size_t width, const jsni_windows *windows)
{
    return (width + windows->taps + 1) * 3 * JSNI_ACROSS_ROWS;
}

typedef struct jsni_pixelkernel {
    const char *name;
    jsni_isa isa; /* that it is compiled for */
    /* Lowest and highest byte a channel. */
    void (*ranges)(const uint8_t *in, size_t pixels, uint8_t low[3], uint8_t high[3]);
    /* Sum of the grey image; at most 65536 pixels. */
    uint32_t (*gray_sum)(const uint8_t *in, size_t pixels);
    /* Every byte blended with the same one. */
    void (*blend)(const uint8_t *in, uint8_t *out, size_t bytes, int base,
                  float factor);
    void (*color)(const uint8_t *in, uint8_t *out, size_t pixels, float factor);
    /* One row: bytes [3, bytes - 3), from the rows above, at and below. */
    void (*sharpen)(const uint8_t *up, const uint8_t *row, const uint8_t *down,
                    uint8_t *out, size_t bytes, float factor);
    void (*hue)(const uint8_t *in, uint8_t *out, size_t pixels, uint8_t shift);
    /* One row, last pixel first. */
    void (*mirror)(const uint8_t *in, uint8_t *out, size_t pixels);
    void (*across)(const jsni_across *pass);
    /* One row of the second pass: `count` rows, `stride` bytes apart, of `bytes` bytes. */
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
