/* backend/cuda/norm_kernels.h - BatchNorm by parts, for activations [images][pixels]
 * [channels] of float or bf16, statistics per view in fp32 (combined in double):
 *
 *   sums       partial channel sums of a tensor (unless its producer left them)
 *   finish     partial sums -> coefficients, running statistics
 *   apply      y = relu?(a*(x-mean) + beta (+ skip)), from above by `top`
 *   back_sums  partial sums of g and g*(x-mean), g = dy where the ReLU was open
 *   back_finish  -> coefficients of dx, gradients of weight and bias
 *   back_apply dx = A*g + B*(x-mean) + E (+ skip)
 *
 * Partial sums are [views * groups][2][channels]; all orders are fixed. The own convolutions
 * leave exact sums instead (exact_sums.cuh), and finish from them what they read themselves.
 */
#ifndef JSNI_BACKEND_CUDA_NORM_KERNELS_H
#define JSNI_BACKEND_CUDA_NORM_KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>

#include "backend/cuda/exact_words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* [views][channels] each, of one BatchNorm. */
typedef struct jsni_norm_coefs {
    float *a, *b;        /* y = a*x + b */
    float *mean, *rstd;  /* of the batch; in evaluation the running ones */
    float *ga, *gb, *gd; /* dx = ga*g + gb*x + gd */
    float *ge;           /* dx = ga*g + gb*(x-mean) + ge */
} jsni_norm_coefs;

typedef struct jsni_norm_args {
    const void *x;    /* the BatchNorm's input */
    const void *dy;   /* gradient of the output of BatchNorm (and ReLU) */
    const void *skip; /* apply, back_apply: added, or NULL */
    const void
        *out;     /* back_sums: the ReLU's output, which tells where it was open; NULL:
                         told by x */
    void *y;      /* apply: output; back_apply: dx; may be dy or skip itself */
    void *masked; /* back_sums: where to store g, or NULL */
    float *part;
    jsni_exact_word
        *exact; /* finish, back_finish: the sums, or NULL: they are in part */
    jsni_norm_coefs k;
    const float *weight, *bias;     /* [channels] */
    float *weight_grad, *bias_grad; /* [channels] */
    float *running_mean, *running_var;
    double epsilon, momentum;
    int channels, views;
    int groups;       /* partial sums of a view */
    long long pixels; /* of all images of a view */
    bool half;        /* tensors are bf16 */
    bool relu;
    float top;    /* of the ReLU: INFINITY, or 6 */
    bool shifted; /* the sums are of x minus the view's first pixel */
} jsni_norm_args;

/* Groups that jsni_norm_sums() and jsni_norm_back_sums() make for a view. */
int jsni_norm_groups(int channels, int views, long long pixels, bool half);

cudaError_t jsni_norm_sums(const jsni_norm_args *args, cudaStream_t stream);
/* training: coefficients and running statistics; else coefficients from the latter */
cudaError_t jsni_norm_finish(const jsni_norm_args *args, bool training,
                             cudaStream_t stream);
cudaError_t jsni_norm_apply(const jsni_norm_args *args, cudaStream_t stream);
cudaError_t jsni_norm_back_sums(const jsni_norm_args *args, cudaStream_t stream);
/* `centred`: the second sums are of g*(x-mean), not of g*x. */
cudaError_t jsni_norm_back_finish(const jsni_norm_args *args, bool centred,
                                  cudaStream_t stream);
/* `masked`: dy is g already. */
cudaError_t jsni_norm_back_apply(const jsni_norm_args *args, bool masked,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_NORM_KERNELS_H */
