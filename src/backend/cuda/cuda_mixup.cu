/* backend/cuda/cuda_mixup.cu - mixup of a resident step; see gather_kernels.h. A thread has
 * one value of all samples and walks along the cycles of the permutation, in place: each
 * sample meets its partner before that one changes. */
#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"
#include "backend/cuda/gather_kernels.h"
#include "core/mix.h"

constexpr int BLOCK = 256;

template <class Value>
static __device__ void mix_values(const jsni_mixup_args &A, Value *values)
{
    const uint32_t *walk = A.walk + (size_t)*A.step * A.samples;
    const float share = A.shares[*A.step];
    float first = 0.0f, own = 0.0f;
    bool begins = true;
    for (int j = 0; j < A.samples; j++) {
        const size_t at = (size_t)(walk[j] & ~JSNI_MIXUP_LAST) * A.values;
        const bool last = walk[j] & JSNI_MIXUP_LAST;
        if (begins)
            first = own = widen(values[at]);
        const float other =
            last ? first
                 : widen(values[(size_t)(walk[j + 1] & ~JSNI_MIXUP_LAST) * A.values]);
        values[at] = narrow<Value>(jsni_mix(own, other, share));
        own = other;
        begins = last;
    }
}

static __global__ void __launch_bounds__(BLOCK) mixup(const jsni_mixup_args A)
{
    launch_next();
    launch_wait();
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= A.views * A.values)
        return;
    const size_t at = (size_t)(i / A.values) * A.samples * A.values + i % A.values;
    if (A.half)
        mix_values(A, (bf16 *)A.x + at);
    else
        mix_values(A, (float *)A.x + at);
}

cudaError_t jsni_mixup(const jsni_mixup_args *args, cudaStream_t stream)
{
    const long long count = (long long)args->views * args->values;
    return jsni_launch(mixup, (count + BLOCK - 1) / BLOCK, BLOCK, 0, 1, stream, *args);
}

static __global__ void __launch_bounds__(BLOCK)
    one_hot(const int32_t *labels, float *targets, int samples, int classes)
{
    launch_next();
    launch_wait();
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < samples * classes)
        targets[i] = labels[i / classes] == i % classes ? 1.0f : 0.0f;
}

cudaError_t jsni_one_hot(const int32_t *labels, float *targets, int samples,
                         int classes, cudaStream_t stream)
{
    const long long count = (long long)samples * classes;
    return jsni_launch(one_hot, (count + BLOCK - 1) / BLOCK, BLOCK, 0, 1, stream,
                       labels, targets, samples, classes);
}
