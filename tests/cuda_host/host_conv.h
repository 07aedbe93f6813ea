/* cuda_host/host_conv.h - convolutions as loops in double, for the kernels that take a
 * jsni_any_conv. */
#ifndef JSNI_CUDA_HOST_HOST_CONV_H
#define JSNI_CUDA_HOST_HOST_CONV_H

#include "backend/cuda/any_kernels.h"
#include "cuda_host/host_support.h"

/* A shape; the stride and the window are square. */
typedef struct conv_shape {
    int images, in_channels, out_channels, in_h, in_w, kernel, stride, pad;
    bool half, tf32, depthwise, biased;
    int views; /* forward leaves exact sums of them; 0: none */
    bool plain;
} conv_shape;

/* A convolution and its arrays, with results in double. */
typedef struct conv_case {
    jsni_any_conv conv;
    host_tensor x, w, y, dx, bias, part, gradient;
    int views;
    size_t sums;                                          /* words of the exact sums */
    double *y_expected, *dx_expected, *gradient_expected; /* [co][ci][kh][kw] */
} conv_case;

conv_case conv_case_create(const conv_shape *shape);
void conv_case_destroy(conv_case *c);
/* y, or what its gradient is for the other two. */
void conv_case_expect_forward(conv_case *c);
void conv_case_expect_back(conv_case *c);
/* How many of the exact sums are not those of what y holds. */
size_t conv_case_sums_off(const conv_case *c);

#endif /* JSNI_CUDA_HOST_HOST_CONV_H */
