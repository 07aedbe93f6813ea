/* backend/cuda/cudnn_conv.h - convolutions through cuDNN, NHWC, with deterministic
 * algorithms alone. Built only where cuDNN was found; cudnn_none.c stands in for it
 * elsewhere, and the plan then takes the kernels of any_conv.cu. */
#ifndef JSNI_BACKEND_CUDA_CUDNN_CONV_H
#define JSNI_BACKEND_CUDA_CUDNN_CONV_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>

#include "jensen/backend.h"
#include "jensen/status.h"

typedef struct jsni_cudnn jsni_cudnn;           /* a handle */
typedef struct jsni_cudnn_conv jsni_cudnn_conv; /* one layer, one batch size */

typedef struct jsni_cudnn_shape {
    size_t images, in_channels, in_h, in_w, out_channels, out_h, out_w;
    size_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    jsn_precision precision;
    bool forward, data, weights; /* which of the three are wanted */
} jsni_cudnn_shape;

/* *out is NULL when there is no cuDNN in this build. JSN_ERR_DEVICE, JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_cudnn_create(jsni_cudnn **out);
void jsni_cudnn_destroy(jsni_cudnn *cudnn); /* accepts NULL */
size_t jsni_cudnn_version(void);            /* 91900; 0: not in this build */

/* *out is NULL, with JSN_OK, when cuDNN lacks a deterministic algorithm for what is wanted.
 * *workspace becomes the bytes the layer needs. */
JSN_MUST_CHECK jsn_status jsni_cudnn_conv_create(jsni_cudnn_conv **out,
                                                 jsni_cudnn *cudnn,
                                                 const jsni_cudnn_shape *shape,
                                                 size_t *workspace);
void jsni_cudnn_conv_destroy(jsni_cudnn_conv *conv); /* accepts NULL */

typedef struct jsni_cudnn_args {
    jsni_cudnn *cudnn;
    const jsni_cudnn_conv *conv;
    void *x, *w, *y; /* forward: y written. data: x written. weights: w written */
    void *workspace;
    size_t workspace_bytes;
    bool add; /* data: adds to x */
} jsni_cudnn_args;

JSN_MUST_CHECK jsn_status jsni_cudnn_forward(const jsni_cudnn_args *args,
                                             cudaStream_t stream);
JSN_MUST_CHECK jsn_status jsni_cudnn_data(const jsni_cudnn_args *args,
                                          cudaStream_t stream);
JSN_MUST_CHECK jsn_status jsni_cudnn_weights(const jsni_cudnn_args *args,
                                             cudaStream_t stream);

/* Numbers of the algorithms chosen: forward, data, weights; of those that are wanted. */
void jsni_cudnn_conv_algorithms(const jsni_cudnn_conv *conv, int algorithms[3]);

#endif /* JSNI_BACKEND_CUDA_CUDNN_CONV_H */
