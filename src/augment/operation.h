/* augment/operation.h - what an image operation is written against. Its file
 * augment/operation_<id>.c has the arithmetic and, as its last line, one of
 *
 *   JSNI_OPERATION_TABLE  a byte becomes a byte, by statistics of the image:
 *       uint8_t fn(const jsni_pixel_op *op, const jsni_byte_stats *stats, int byte)
 *   JSNI_OPERATION_BLEND  the same, where fn blends the byte by op->factor with the mean
 *     of the grey image if it needs that, else with 0
 *   JSNI_OPERATION_PIXEL  a pixel from itself and its neighbours:
 *       void fn(const jsni_pixel_op *op, const uint8_t *p, int x, int y, int width,
 *               int height, uint8_t *out)
 *     p is the pixel in its image; out [3] holds its bytes already
 *   JSNI_OPERATION_WARP   reads another pixel, by a map that the host makes:
 *       void fn(jsni_pixel_op *op, double value, double width, double height)
 *     sets op->warp (warp.h has the usual maps); the value has its sign
 *   JSNI_OPERATION_IMAGE  a whole image, on the host; not for RandAugment:
 *       void fn(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out, size_t width,
 *               size_t height)
 *
 * The functions of bytes and pixels are JSNI_HD: host and device compile the same lines. `low` and
 * `high` are RandAugment's range for magnitudes 0 to 30, 0 and 0 for an operation that it
 * does not draw; `draws` is a set of jsni_operation_draws. */
#ifndef JSNI_AUGMENT_OPERATION_H
#define JSNI_AUGMENT_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "augment/draw.h"
#include "augment/warp.h"
#include "jensen/augment.h"

/* Of one channel of the image; only what the operation needs is filled in. */
typedef struct jsni_byte_stats {
    int low, high;       /* JSNI_NEEDS_RANGE: lowest and highest byte */
    int gray;            /* JSNI_NEEDS_GRAY: mean of the grey image, rounded */
    uint32_t pixels;     /* JSNI_NEEDS_HISTOGRAM: of the image */
    uint32_t at_highest; /* those at the channel's highest byte */
    uint32_t below;      /* those with a smaller byte than the one at hand */
} jsni_byte_stats;

#ifdef JSNI_OPERATION_DEVICE

/* cuda_gather.cu includes the files of all operations and calls these. */
#define JSNI_OPERATION_DEVICE_PAIR(id, table_value, point_call)                    \
    static __device__ inline uint8_t id##_table_on_device(                         \
        const jsni_pixel_op *op, const jsni_byte_stats *stats, int byte)           \
    {                                                                              \
        (void)op, (void)stats, (void)byte;                                         \
        return table_value;                                                        \
    }                                                                              \
    static __device__ inline void id##_pixel_on_device(                            \
        const jsni_pixel_op *op, const uint8_t *p, int x, int y, int width,        \
        int height, uint8_t *out)                                                  \
    {                                                                              \
        (void)op, (void)p, (void)x, (void)y, (void)width, (void)height, (void)out; \
        point_call;                                                                \
    }

#define JSNI_OPERATION_TABLE(id, text, low, high, draws, needs, fn) \
    JSNI_OPERATION_DEVICE_PAIR(id, fn(op, stats, byte), (void)0)
#define JSNI_OPERATION_BLEND(id, text, low, high, needs, fn) \
    JSNI_OPERATION_DEVICE_PAIR(id, fn(op, stats, byte), (void)0)
#define JSNI_OPERATION_PIXEL(id, text, low, high, draws, fn, fast) \
    JSNI_OPERATION_DEVICE_PAIR(id, 0, fn(op, p, x, y, width, height, out))
#define JSNI_OPERATION_WARP(id, text, low, high, draws, fn) \
    JSNI_OPERATION_DEVICE_PAIR(id, 0, (void)0)
#define JSNI_OPERATION_IMAGE(id, text, fn)

#else

typedef void jsni_operation_run_fn(const jsni_pixel_op *op, const uint8_t *in,
                                   uint8_t *out, size_t width, size_t height);

typedef struct jsni_operation {
    jsn_operation_info info;
    jsni_operation_form form;
    jsni_operation_needs needs;
    int draws; /* jsni_operation_draws */
    /* TABLE: the 256 bytes of a channel. `histogram` is that of the channel, or NULL. */
    void (*fill)(const jsni_pixel_op *op, const jsni_byte_stats *stats,
                 const uint32_t *histogram, uint8_t *table);
    bool blends; /* TABLE: by JSNI_OPERATION_BLEND, so that a loop may do without it */
    /* WARP */
    void (*resolve)(jsni_pixel_op *op, double value, double width, double height);
    jsni_operation_run_fn *each; /* PIXEL: pixel by pixel */
    jsni_operation_run_fn *run;  /* PIXEL: faster, or NULL; IMAGE */
} jsni_operation;

#define JSNI_OPERATION_INFO(text, low, high, draws)                     \
    {                                                                   \
        text, low, high, (high) > (low), ((draws)&JSNI_DRAWS_SIGN) != 0 \
    }

#define JSNI_OPERATION_BYTES(id, text, low, high, draws, needs, fn, blends)      \
    static void id##_fill(const jsni_pixel_op *op, const jsni_byte_stats *stats, \
                          const uint32_t *histogram, uint8_t *table)             \
    {                                                                            \
        jsni_byte_stats at = *stats;                                             \
        for (int i = 0; i < 256; i++) {                                          \
            table[i] = fn(op, &at, i);                                           \
            at.below += histogram != NULL ? histogram[i] : 0;                    \
        }                                                                        \
    }                                                                            \
    extern const jsni_operation jsni_operation_##id;                             \
    const jsni_operation jsni_operation_##id = {                                 \
        JSNI_OPERATION_INFO(text, low, high, draws),                             \
        JSNI_FORM_TABLE,                                                         \
        needs,                                                                   \
        draws,                                                                   \
        id##_fill,                                                               \
        blends,                                                                  \
        NULL,                                                                    \
        NULL,                                                                    \
        NULL}

#define JSNI_OPERATION_TABLE(id, text, low, high, draws, needs, fn) \
    JSNI_OPERATION_BYTES(id, text, low, high, draws, needs, fn, false)
#define JSNI_OPERATION_BLEND(id, text, low, high, needs, fn) \
    JSNI_OPERATION_BYTES(id, text, low, high, 0, needs, fn, true)

#define JSNI_OPERATION_PIXEL(id, text, low, high, draws, fn, fast)                  \
    static void id##_each(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out, \
                          size_t width, size_t height)                              \
    {                                                                               \
        memcpy(out, in, width *height * 3);                                         \
        for (size_t y = 0; y < height; y++)                                         \
            for (size_t x = 0; x < width; x++) {                                    \
                const size_t at = (y * width + x) * 3;                              \
                fn(op, in + at, (int)x, (int)y, (int)width, (int)height, out + at); \
            }                                                                       \
    }                                                                               \
    extern const jsni_operation jsni_operation_##id;                                \
    const jsni_operation jsni_operation_##id = {                                    \
        JSNI_OPERATION_INFO(text, low, high, draws),                                \
        JSNI_FORM_PIXEL,                                                            \
        JSNI_NEEDS_NOTHING,                                                         \
        draws,                                                                      \
        NULL,                                                                       \
        false,                                                                      \
        NULL,                                                                       \
        id##_each,                                                                  \
        fast}

#define JSNI_OPERATION_WARP(id, text, low, high, draws, fn) \
    extern const jsni_operation jsni_operation_##id;        \
    const jsni_operation jsni_operation_##id = {            \
        JSNI_OPERATION_INFO(text, low, high, draws),        \
        JSNI_FORM_WARP,                                     \
        JSNI_NEEDS_NOTHING,                                 \
        draws,                                              \
        NULL,                                               \
        false,                                              \
        fn,                                                 \
        NULL,                                               \
        NULL}

#define JSNI_OPERATION_IMAGE(id, text, fn)                                          \
    extern const jsni_operation jsni_operation_##id;                                \
    const jsni_operation jsni_operation_##id = {JSNI_OPERATION_INFO(text, 0, 0, 0), \
                                                JSNI_FORM_IMAGE,                    \
                                                JSNI_NEEDS_NOTHING,                 \
                                                0,                                  \
                                                NULL,                               \
                                                false,                              \
                                                NULL,                               \
                                                NULL,                               \
                                                fn}

#endif /* JSNI_OPERATION_DEVICE */

#endif /* JSNI_AUGMENT_OPERATION_H */
