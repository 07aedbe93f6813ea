/* cuda_host/host_fused.h - the bf16 3x3 convolutions of conv_kernels.h with what rides along,
 * against loops in double. */
#ifndef JSNI_CUDA_HOST_HOST_FUSED_H
#define JSNI_CUDA_HOST_HOST_FUSED_H

#include "backend/cuda/conv_kernels.h"
#include "cuda_host/host_support.h"

typedef struct fused_shape {
    int channels, views, view_images, prologue, epilogue;
    bool wide; /* the wgmma kernels */
    int turns; /* of a block, beside 1 */
} fused_shape;

typedef struct fused_case {
    jsni_conv_args args;
    int channels, side, views, prologue, epilogue;
    bool wide;
    size_t words;                       /* of the exact sums */
    host_tensor x, x2, x3, e, y, xo, w; /* w [co][ci][3][3] float */
    host_tensor pa, pb, pd, ea, eb;     /* [views][channels] */
    double *in, *expected;
} fused_case;

fused_case fused_create(const fused_shape *shape);
void fused_destroy(fused_case *c);
/* What the prologue makes, into `in`. */
void fused_expect_input(fused_case *c);
/* Fails the test where y, xo or a sum is not what it should be. */
void fused_check(const fused_shape *shape);
/* The same with each pair of prologue and epilogue that the launchers have. */
void fused_check_pairs(int channels, int views, int view_images, bool wide);
/* The same of the wgmma kernels with so many turns a block, whose sums are those of one. */
void fused_check_turns(int channels, int views, int view_images, int turns);

#endif /* JSNI_CUDA_HOST_HOST_FUSED_H */
