/* backend/cuda/any_kernels.h - plain kernels for every shape: convolution and linear
 * layers as products in fp32, pooling, element-wise operations, changes of layout; and the
 * convolutions of few shapes that take the same arguments, with products in fp32, tf32 or
 * bf16. Activations are [images][height][width][channels] of float or bf16; sums are
 * fp32, in a fixed order.
 */
#ifndef JSNI_BACKEND_CUDA_ANY_KERNELS_H
#define JSNI_BACKEND_CUDA_ANY_KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/cuda/norm_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A convolution or (all windows 1) a linear layer. Weights [co][kh][kw][ci]. */
typedef struct jsni_any_conv {
    const void *x, *w;
    void *y;           /* forward: written; backward: dy, read */
    void *dx;          /* backward-data: written, or added to (`add`) */
    const float *bias; /* forward: [co] or NULL */
    float *part;       /* backward-weights: [splits][co][kh][kw][ci] */
    /* Strided forward in bf16: exact channel sums of y and of y*y, of the views, which
     * have a multiple of JSNI_STRIDED_ROWS pixels each; or NULL. */
    jsni_exact_word *sums;
    int view_pixels;
    long long images;
    int in_channels, in_h, in_w, out_channels, out_h, out_w;
    int kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    int splits; /* of the output pixels, backward-weights */
    bool half_x, half_y, half_w;
    bool add;
    bool tf32;  /* own kernels may round products to tf32 */
    bool plain; /* not by kernels for few shapes */
    /* Every channel by itself; weights are float [channels][kh][kw], parts
     * [splits][channels][kh][kw]. */
    bool depthwise;
} jsni_any_conv;

/* Input channels that one output channel sees. */
static inline int jsni_any_conv_sees(const jsni_any_conv *conv)
{
    return conv->depthwise ? 1 : conv->in_channels;
}

int jsni_any_conv_splits(const jsni_any_conv *conv);
cudaError_t jsni_any_conv_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_any_conv_data(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_any_conv_weights(const jsni_any_conv *conv, cudaStream_t stream);

/* Depthwise: the calls above hand them on to any_depthwise.cu. */
int jsni_depthwise_splits(const jsni_any_conv *conv);
cudaError_t jsni_depthwise_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_depthwise_data(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_depthwise_weights(const jsni_any_conv *conv, cudaStream_t stream);

/* Windows of 3x3 and 5x5, strides of 1 and 2, channels in multiples of 16 bytes: the four
 * calls above hand them on to depthwise_wide.cu. */
bool jsni_depthwise_wide_takes(const jsni_any_conv *conv);
int jsni_depthwise_wide_splits(const jsni_any_conv *conv);
cudaError_t jsni_depthwise_wide_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_depthwise_wide_data(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_depthwise_wide_weights(const jsni_any_conv *conv, cudaStream_t stream);

/* Float activations, channels in multiples of 32, by conv_fp32.cu or, with the products in
 * tf32, conv_tf32.cu. 3x3 of stride 1: the calls above hand it on. Of stride 2 (below)
 * they make all but the weights' gradients. */
bool jsni_conv3x3_float_takes(const jsni_any_conv *conv);
int jsni_conv3x3_float_splits(const jsni_any_conv *conv);
cudaError_t jsni_conv_fp32_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_fp32_data(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_fp32_weights(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_tf32_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_tf32_data(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_tf32_weights(const jsni_any_conv *conv, cudaStream_t stream);

/* Stride 2 on even images, window 1x1 or 3x3, in any precision: bf16 by conv_strided.cu,
 * float handed on. */
/* Pixels of a block of the first. */
enum { JSNI_STRIDED_ROWS = 128 };
bool jsni_conv_strided_takes(const jsni_any_conv *conv);
cudaError_t jsni_conv_strided_forward(const jsni_any_conv *conv, cudaStream_t stream);
cudaError_t jsni_conv_strided_data(const jsni_any_conv *conv, cudaStream_t stream);
/* And the weights' gradients of some of them, by conv_strided_weights.cu: bf16, not too wide.
 * jsni_any_conv_weights() hands them on. */
bool jsni_strided_weights_takes(const jsni_any_conv *conv);
int jsni_strided_weights_splits(const jsni_any_conv *conv);
cudaError_t jsni_strided_weights(const jsni_any_conv *conv, cudaStream_t stream);

/* gradient[co][ci][tap] = sum over the splits of part[split][co][tap][ci]; `half`: the
 * parts are bf16 (and one). */
cudaError_t jsni_any_weight_sum(const void *part, int splits, bool half,
                                float *gradient, int out_channels, int in_channels,
                                int taps, cudaStream_t stream);
/* gradient[c] = sum over rows of y[rows][channels]; works in the bytes of `room`. */
cudaError_t jsni_any_bias_sum(const void *y, bool half, float *room, float *gradient,
                              long long rows, int channels, cudaStream_t stream);
size_t jsni_any_bias_room(long long rows, int channels, bool half);
/* y[rows][channels] += bias */
cudaError_t jsni_any_bias_add(void *y, bool half, const float *bias, long long rows,
                              int channels, cudaStream_t stream);

typedef struct jsni_any_pool {
    const void *x;
    void *y;
    const void *dy;
    void *dx;
    /* Global pool of relu(a*x + b), [views][channels]; or NULL. */
    const float *a, *b;
    float *part;
    /* Maxima: the number of each within its window, [images][out_h][out_w][channels];
     * forward writes it where it is not NULL, backward reads it. */
    uint8_t *at;
    long long images, view_images;
    int channels, in_h, in_w, out_h, out_w;
    int kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    bool half_x, half_y;
} jsni_any_pool;

cudaError_t jsni_any_max_pool(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_any_max_pool_back(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_any_avg_pool(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_any_avg_pool_back(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_any_adaptive(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_any_adaptive_back(const jsni_any_pool *pool, cudaStream_t stream);

/* The global average of relu(a*x+b) (channels a multiple of 32), and its way back to
 * the BatchNorm: dx = g = dy/pixels where the ReLU is open, with the partial sums of g
 * and g*x by image, [images][2][channels]. */
cudaError_t jsni_head_pool(const jsni_any_pool *pool, cudaStream_t stream);
cudaError_t jsni_head_pool_back(const jsni_any_pool *pool, cudaStream_t stream);

/* Element-wise, `count` values. */
cudaError_t jsni_any_relu(const void *x, void *y, long long count, bool half,
                          cudaStream_t stream);
/* dx = dy where y > 0, else 0 (+ what dx holds when add) */
cudaError_t jsni_any_relu_back(const void *y, const void *dy, void *dx, long long count,
                               bool half, bool add, cudaStream_t stream);
cudaError_t jsni_any_relu6(const void *x, void *y, long long count, bool half,
                           cudaStream_t stream);
/* dx = dy where 0 < y < 6, else 0 */
cudaError_t jsni_any_relu6_back(const void *y, const void *dy, void *dx,
                                long long count, bool half, cudaStream_t stream);
cudaError_t jsni_any_add(const void *one, const void *other, void *y, long long count,
                         bool half, cudaStream_t stream);

typedef struct jsni_any_dropout {
    const void *x;
    void *y;
    long long features, samples, views; /* of one view's sample, of a view */
    int channels, pixels;               /* features = channels * pixels */
    double rate;
    const uint64_t *seed; /* on the device */
    const uint32_t *step; /* on the device */
    uint32_t node;
    bool half;
} jsni_any_dropout;
/* Forward and backward are the same function. */
cudaError_t jsni_any_dropout_run(const jsni_any_dropout *drop, cudaStream_t stream);

/* [images][C][H][W] float -> [images][H][W][C] float or bf16, and back. */
cudaError_t jsni_any_from_planes(const float *from, void *to, long long images,
                                 int channels, int pixels, bool half,
                                 cudaStream_t stream);
cudaError_t jsni_any_to_planes(const void *from, float *to, long long images,
                               int channels, int pixels, bool half,
                               cudaStream_t stream);
cudaError_t jsni_any_fill(float *to, float value, long long count, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_ANY_KERNELS_H */
