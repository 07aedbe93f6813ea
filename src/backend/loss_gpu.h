/* backend/loss_gpu.h - how the workspace of jsn_loss_gpu_run() is laid out: what the loss
 * kernels need, then a weight and a label of each sample. */
#ifndef JSNI_BACKEND_LOSS_GPU_H
#define JSNI_BACKEND_LOSS_GPU_H

#include <stddef.h>
#include <stdint.h>

/* Bytes before the weights; at least jsni_cuda_loss_workspace(). */
#define JSNI_LOSS_GPU_KERNELS(samples) (64 + (samples) * sizeof(double))
#define JSNI_LOSS_GPU_BYTES(samples) \
    (JSNI_LOSS_GPU_KERNELS(samples) + (samples) * (sizeof(double) + sizeof(int32_t)))

#endif /* JSNI_BACKEND_LOSS_GPU_H */
