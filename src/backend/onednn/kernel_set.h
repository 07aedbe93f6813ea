/* backend/onednn/kernel_set.h - the own kernels: what they compute and the table through
 * which the plan calls them. Their files are compiled once for each instruction set
 * (AVX-512, AVX2, plain C) and every compilation gives one jsni_kernel_set.
 *
 * Layout. A tensor of n images is [n][blocks][height*width][lanes]: channels in blocks
 * of `lanes`, the last block filled up with zero channels. A flat vector is an image of
 * one pixel, so a matrix of features is [n][channels rounded up]. Every array of
 * channels has room for the rounded-up number. Arrays are aligned to 64 bytes.
 *
 * One thread calls a kernel; all results depend on the arguments alone. Sums over
 * pixels are float for some dozens of them and double beyond.
 */
#ifndef JSNI_BACKEND_ONEDNN_KERNEL_SET_H
#define JSNI_BACKEND_ONEDNN_KERNEL_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/op.h"

/* Several images of one tensor. */
typedef struct jsni_extent {
    size_t images;
    size_t blocks; /* of `lanes` channels */
    size_t pixels; /* height * width */
} jsni_extent;

/* How a stored tensor x is read: y = (x - mean) * scale + shift, then max(y, 0) with
 * relu, then min(y, 6) with six, too. BatchNorm and ReLU are never stored, they are part of reading. mean == NULL
 * stands for y = x. */
typedef struct jsni_load {
    const float *mean, *scale, *shift; /* [channels] */
    bool relu, six;
} jsni_load;

/* Sums over the pixels of some images, by channel. Forward: first = sum of x - origin,
 * second = sum of (x - origin)^2, where origin is some value of the channel: without it
 * the variance of a channel with a large mean would cancel. Backward: first = sum of g,
 * second = sum of g * (x - mean), where g is the gradient that passes the ReLU. */
typedef struct jsni_sums {
    double *first, *second; /* [channels] */
    float *origin;          /* [channels] */
} jsni_sums;

/* What BatchNorm's backward adds up, by channel:
 * gx = scale*g + slope*(x - mean) + offset, g masked by the ReLU. */
typedef struct jsni_norm_back {
    const float *slope, *offset; /* [channels] */
} jsni_norm_back;

/* A 3x3 convolution with stride 1 and padding 1 by Winograd's F(4x4,3x3). */
typedef struct jsni_wino {
    size_t in_blocks, out_blocks;
    size_t height, width;
    size_t tile_rows, tile_cols; /* tiles of 4x4 results an image */
    size_t chunk;                /* tile rows that are transformed at a time */
} jsni_wino;

/* Scratch of one thread, zero at first. Floats are those of jsni_wino_scratch(). */
typedef struct jsni_wino_scratch {
    float *pad;      /* a channel block of some image rows with a zero border */
    float *input;    /* [36][tiles][in channels] */
    float *output;   /* [36][tiles][out channels] */
    float *gradient; /* [36][in channels][out channels] */
} jsni_wino_scratch;

typedef struct jsni_wino_need {
    size_t pad, input, output, gradient, weights; /* floats */
} jsni_wino_need;

typedef struct jsni_wino_call {
    const float *x; /* input, read through `load` */
    jsni_load load;
    const float *weights;  /* of wino_weights() */
    const float *bias;     /* [out channels] or NULL */
    const float *residual; /* added to the result, or NULL; may be `out` */
    float *out;
    const jsni_sums *sums; /* sums of the result are added here, or NULL */
    bool first;            /* these images set sums->origin */
    /* Not NULL: the result is the gradient of back_x read through back_load, and the
     * sums are backward ones. */
    const float *back_x;
    jsni_load back_load;
    size_t images;
} jsni_wino_call;

/* Pooling windows. Adaptive pools compute theirs from the sizes. */
typedef struct jsni_pool_shape {
    size_t blocks;
    size_t in_h, in_w, out_h, out_w;
    size_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
} jsni_pool_shape;

enum { JSNI_DEPTHWISE_TAPS = 49 }; /* at most */

/* A depthwise convolution; its window is a jsni_pool_shape. */
typedef struct jsni_depthwise_call {
    const float *x; /* input, read through `load` */
    jsni_load load;
    const float *weights;    /* of depthwise_weights() */
    const float *bias;       /* [channels] or NULL */
    const jsni_load *finish; /* the result is stored as this reads it; NULL with sums */
    float *out;
    const jsni_sums *sums; /* sums of the result are added here, or NULL */
    bool first;            /* these images set sums->origin */
    size_t images;
} jsni_depthwise_call;

typedef struct jsni_kernel_set {
    const char *name; /* "avx512", "avx2", "plain" */
    size_t lanes;
    bool fast; /* worth using where oneDNN has a kernel, too */

    /* ---- Winograd: wino_weights.c, wino_conv.c, wino_gradient.c ---- */

    jsni_wino_need (*wino_need)(const jsni_wino *w);
    /* Blocks of out channels [from, to) of the weights [out][in][3][3], as wino_conv
     * reads them. `turned` gives the weights of the backward-data convolution, whose
     * in and out are exchanged: [from, to) then are blocks of its out channels, which
     * are the weights' in channels. Counts are of real channels, not rounded up. */
    void (*wino_weights)(const float *weights, size_t outs, size_t ins, bool turned,
                         size_t from, size_t to, float *to_planes);
    void (*wino_conv)(const jsni_wino *w, const jsni_wino_call *call,
                      const jsni_wino_scratch *scratch);
    /* Adds the gradient of the transformed weights for some images to
     * scratch->gradient, or sets it with `first`. x is read through `load`; g is the
     * gradient of the result. */
    void (*wino_gradient)(const jsni_wino *w, const float *x, const jsni_load *load,
                          const float *g, size_t images, bool first,
                          const jsni_wino_scratch *scratch);
    /* scratch->gradient to the gradient of the weights,
     * [out blocks][in blocks][3][3][lanes in][lanes out]. */
    void (*wino_gradient_end)(const jsni_wino *w, const jsni_wino_scratch *scratch,
                              float *to);

    /* ---- depthwise convolution: depthwise_kernels.c ---- */

    size_t (*depthwise_need)(const jsni_pool_shape *p); /* floats of scratch */
    /* [channels][area] to [blocks][area][lanes], where area counts the taps. */
    void (*depthwise_weights)(const float *weights, size_t channels, size_t area,
                              float *to);
    void (*depthwise)(const jsni_pool_shape *p, const jsni_depthwise_call *call,
                      float *scratch);
    /* Gradient of the input from that of the result, plus `add` (or NULL). */
    void (*depthwise_back)(const jsni_pool_shape *p, size_t images, const float *g,
                           const float *weights, const float *add, float *out,
                           float *scratch);
    /* Gradient of the weights, [blocks][area][lanes]: set with `first`, else added. */
    void (*depthwise_gradient)(const jsni_pool_shape *p, size_t images, const float *x,
                               const jsni_load *load, const float *g, bool first,
                               float *to, float *scratch);

    /* ---- one pass over a tensor: norm_kernels.c ---- */

    /* out = relu?(load(a) + load(b)); b may be NULL. out may be a or b. */
    void (*combine)(jsni_extent extent, const float *a, const jsni_load *load_a,
                    const float *b, const jsni_load *load_b, bool relu, float *out);
    /* Forward sums of x, added. */
    void (*sums)(jsni_extent extent, const float *x, const jsni_sums *sums, bool first);
    /* Backward sums of the gradient g of load(x), added. */
    void (*back_sums)(jsni_extent extent, const float *x, const jsni_load *load,
                      const float *g, const jsni_sums *sums);
    /* Gradient of x from the gradient g of load(x), through BatchNorm (`back`, or NULL
     * where load has none), plus `add` (or NULL). out may be g or add. */
    void (*back)(jsni_extent extent, const float *x, const jsni_load *load,
                 const jsni_norm_back *back, const float *g, const float *add,
                 float *out);
    /* out = g where y > 0, else 0 (gradient of a stored ReLU). out may be g. */
    void (*mask)(jsni_extent extent, const float *y, const float *g, float *out);
    /* Sums over images and pixels, added; the gradient of a bias. */
    void (*channel_sums)(jsni_extent extent, const float *g, double *to);
    /* x[i] += bias of its channel. */
    void (*add_bias)(jsni_extent extent, const float *bias, float *x);

    /* ---- pooling: pool_kernels.c; x is already loaded ---- */

    void (*max_pool)(const jsni_pool_shape *p, size_t images, const float *x, float *y);
    /* gx += ... of the maximum found again from x. */
    void (*max_pool_back)(const jsni_pool_shape *p, size_t images, const float *x,
                          const float *gy, float *gx);
    void (*avg_pool)(const jsni_pool_shape *p, size_t images, const float *x, float *y);
    void (*avg_pool_back)(const jsni_pool_shape *p, size_t images, const float *gy,
                          float *gx);
    void (*adaptive_pool)(const jsni_pool_shape *p, size_t images, const float *x,
                          float *y);
    void (*adaptive_pool_back)(const jsni_pool_shape *p, size_t images, const float *gy,
                               float *gx);

    /* ---- sums of weight gradients: reduce_kernels.c ---- */

    /* Sums parts[0..count), each `stride` floats apart, in a fixed tree and writes
     * out blocks [from, to) as [out][in][kernel] from
     * [out blocks][in blocks][kernel][lanes in][lanes out]. */
    void (*reduce_weights)(const float *parts, size_t count, size_t stride, size_t outs,
                           size_t ins, size_t kernel, size_t from, size_t to,
                           float *gradient);
} jsni_kernel_set;

/* The one that is called `name` or else the best that this processor runs; and each by
 * number for tests: NULL beyond the last, also NULL-free gaps: only sets that run here
 * are counted. */
const jsni_kernel_set *jsni_kernel_set_find(const char *name);
const jsni_kernel_set *jsni_kernel_set_at(size_t index);

/* Geometry with the chunk size that suits the second-level cache. */
jsni_wino jsni_wino_geometry(size_t lanes, size_t in_channels, size_t out_channels,
                             size_t height, size_t width);

#endif /* JSNI_BACKEND_ONEDNN_KERNEL_SET_H */
