/* backend/cuda/cuda_loss_common.cuh - what all kernels of the losses do beside their
 * samples: weights, and the mean, summed in a fixed order. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_COMMON_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_COMMON_CUH

#include "backend/cuda/cuda_loss_args.h"

__device__ static inline double jsni_device_weight(const jsni_cuda_loss_args *a,
                                                   size_t i)
{
    double weight = a->sample_weights == NULL ? 1.0 : a->sample_weights[i];
    if (a->class_weights == NULL)
        return weight;
    if (a->targets == NULL)
        return weight * a->class_weights[a->labels[i]];
    double mean = 0.0;
    for (size_t k = 0; k < a->classes; k++)
        mean += a->class_weights[k] * (double)a->targets[i * a->classes + k];
    return weight * mean;
}

__device__ static inline double jsni_device_inverse(const jsni_cuda_loss_args *a)
{
    return a->inverse_weight == NULL ? a->inverse_samples : *a->inverse_weight;
}

/* The sum of a block's numbers in thread 0, in a fixed order; all threads call it. */
__device__ static inline double jsni_block_sum(double x)
{
    __shared__ double warps[32];
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = warps[0];
    for (unsigned w = 1; w < blockDim.x / 32; w++)
        x += warps[w];
    return x;
}

/* The block that comes last adds all values, in a fixed order. Several sums a thread:
 * their loads do not wait for each other. */
__device__ static inline void jsni_device_mean(const jsni_cuda_loss_args *a)
{
    enum { APART = 8 };
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(a->finished, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    double sums[APART] = {};
    for (size_t i = threadIdx.x; i < a->slots; i += (size_t)APART * blockDim.x)
#pragma unroll
        for (int s = 0; s < APART; s++) {
            const size_t at = i + (size_t)s * blockDim.x;
            sums[s] += at < a->slots ? a->values[at] : 0.0;
        }
    for (int s = 1; s < APART; s++)
        sums[0] += sums[s];
    const double sum = jsni_block_sum(sums[0]);
    if (threadIdx.x == 0) {
        const double mean = sum * jsni_device_inverse(a);
        a->mean[0] = mean;
        if (a->mean_float != NULL)
            a->mean_float[0] = (float)mean;
        *a->finished = 0;
    }
}

/* Stores what a block's groups found and makes the mean where it is the last. `sum` is
 * of this thread's samples, 0 but in the first thread of a group. */
__device__ static inline void jsni_device_finish(const jsni_cuda_loss_args *a,
                                                 double sum)
{
    if (a->chooser == NULL && !a->summed) {
        sum = jsni_block_sum(sum);
        if (threadIdx.x == 0)
            a->values[blockIdx.x] = sum;
    }
    if (a->finish)
        jsni_device_mean(a);
}

/* One sample's result, by the first thread of its group; what it adds to the block's. */
__device__ static inline double jsni_device_keep(const jsni_cuda_loss_args *a, size_t i,
                                                 double weight, double value)
{
    value *= a->share;
    if (a->per_sample != NULL)
        a->per_sample[i] = a->add ? a->per_sample[i] + value : value;
    if (a->chooser != NULL || a->summed)
        a->values[i] = a->add ? a->values[i] + weight * value : weight * value;
    return weight * value;
}

/* What a method remembers of sample i. */
__device__ static inline float *jsni_device_memory(const jsni_cuda_loss_args *a,
                                                   size_t i)
{
    if (a->memory == NULL)
        return NULL;
    return a->memory + (a->places == NULL ? i : a->places[i]) * a->classes;
}

/* What the gradient of a sample is multiplied by. */
__device__ static inline double jsni_device_scale(const jsni_cuda_loss_args *a,
                                                  double weight, size_t groups)
{
    return weight * jsni_device_inverse(a) / (double)groups * a->share;
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_COMMON_CUH */
