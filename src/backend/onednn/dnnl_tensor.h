/* backend/onednn/dnnl_tensor.h - the only place that reorders images: between
 * [n][c][h][w] and blocks of channels. */
#ifndef JSNI_BACKEND_ONEDNN_DNNL_TENSOR_H
#define JSNI_BACKEND_ONEDNN_DNNL_TENSOR_H

#include <stddef.h>

#include "nn/op.h"

/* [images][c][h][w] to [images][blocks][h*w][lanes], the rest of the last block zero. */
void jsni_to_blocked(const float *from, size_t images, jsni_shape shape, size_t lanes,
                     float *to);
void jsni_from_blocked(const float *from, size_t images, jsni_shape shape, size_t lanes,
                       float *to);

/* Zeroes the channels that fill up the last block. */
void jsni_clear_fill(float *x, size_t images, jsni_shape shape, size_t lanes);

#endif /* JSNI_BACKEND_ONEDNN_DNNL_TENSOR_H */
