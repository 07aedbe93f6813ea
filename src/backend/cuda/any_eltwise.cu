/* backend/cuda/any_eltwise.cu - ReLU, sums, dropout, and the changes between PyTorch's
 * planes [C][H][W] and the device's [H][W][C].
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"
#include "nn/dropout.h"
#include "nn/op.h"

constexpr int BLOCK = 256;

#define EACH(i, count)                                                           \
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < (count); \
         i += (long long)gridDim.x * BLOCK)

static long long blocks_of(long long count)
{
    const long long needed = (count + BLOCK - 1) / BLOCK;
    return needed < 132 * 32 ? needed : 132 * 32;
}

/* OP 0: relu(x). 1: g where x > 0. 2: the same + y. 3: x + g. 4: relu6(x). 5: g where
 * 0 < x < 6. NaN stays NaN forward. */
template <class T, int N, int OP>
static __global__ void __launch_bounds__(BLOCK)
    map(const T *x, const T *g, T *y, long long vectors)
{
    launch_next();
    launch_wait();
    EACH(i, vectors)
    {
        vec<T, N> a, b, c;
        a.load(x + i * N);
        if (OP != 0 && OP != 4)
            b.load(g + i * N);
        if (OP == 2)
            c.load(y + i * N);
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (OP == 0)
                a.v[k] = a.v[k] > 0.0f || a.v[k] != a.v[k] ? a.v[k] : 0.0f;
            else if (OP == 3)
                a.v[k] += b.v[k];
            else if (OP == 4)
                a.v[k] = a.v[k] <= 0.0f             ? 0.0f
                         : a.v[k] >= JSNI_RELU6_TOP ? JSNI_RELU6_TOP
                                                    : a.v[k];
            else if (OP == 5)
                a.v[k] = a.v[k] > 0.0f && a.v[k] < JSNI_RELU6_TOP ? b.v[k] : 0.0f;
            else
                a.v[k] = (a.v[k] > 0.0f ? b.v[k] : 0.0f) + (OP == 2 ? c.v[k] : 0.0f);
        }
        a.store(y + i * N);
    }
}

template <class T, int OP>
static cudaError_t start(const void *x, const void *g, void *y, long long count,
                         cudaStream_t stream)
{
    constexpr int N = WIDE<T>;
    if (count % N == 0)
        return jsni_launch(map<T, N, OP>, blocks_of(count / N), BLOCK, 0, 1, stream,
                           (const T *)x, (const T *)g, (T *)y, count / N);
    return jsni_launch(map<T, 1, OP>, blocks_of(count), BLOCK, 0, 1, stream,
                       (const T *)x, (const T *)g, (T *)y, count);
}

cudaError_t jsni_any_relu(const void *x, void *y, long long count, bool half,
                          cudaStream_t stream)
{
    return half ? start<bf16, 0>(x, NULL, y, count, stream)
                : start<float, 0>(x, NULL, y, count, stream);
}

cudaError_t jsni_any_relu_back(const void *y, const void *dy, void *dx, long long count,
                               bool half, bool add, cudaStream_t stream)
{
    if (add)
        return half ? start<bf16, 2>(y, dy, dx, count, stream)
                    : start<float, 2>(y, dy, dx, count, stream);
    return half ? start<bf16, 1>(y, dy, dx, count, stream)
                : start<float, 1>(y, dy, dx, count, stream);
}

cudaError_t jsni_any_relu6(const void *x, void *y, long long count, bool half,
                           cudaStream_t stream)
{
    return half ? start<bf16, 4>(x, NULL, y, count, stream)
                : start<float, 4>(x, NULL, y, count, stream);
}

cudaError_t jsni_any_relu6_back(const void *y, const void *dy, void *dx,
                                long long count, bool half, cudaStream_t stream)
{
    return half ? start<bf16, 5>(y, dy, dx, count, stream)
                : start<float, 5>(y, dy, dx, count, stream);
}

cudaError_t jsni_any_add(const void *one, const void *other, void *y, long long count,
                         bool half, cudaStream_t stream)
{
    return half ? start<bf16, 3>(one, other, y, count, stream)
                : start<float, 3>(one, other, y, count, stream);
}

/* The number of a value in PyTorch's order names its draw. */
static __global__ void __launch_bounds__(BLOCK) dropout(const jsni_any_dropout A)
{
    launch_next();
    launch_wait();
    const float scale = (float)(1.0 / (1.0 - A.rate));
    const uint64_t seed = *A.seed;
    const uint32_t step = *A.step;
    EACH(i, A.features * A.samples * A.views)
    {
        const long long sample = i / A.features, feature = i % A.features;
        const long long plane = feature % A.channels * A.pixels + feature / A.channels;
        const size_t index = (size_t)(sample % A.samples * A.features + plane);
        const bool kept = jsni_dropout_keeps(
            seed, step, A.node, (uint32_t)(sample / A.samples), index, A.rate);
        const float x = fetch(A.x, i, A.half);
        put(A.y, i, kept ? x * scale : 0.0f, A.half);
    }
}

cudaError_t jsni_any_dropout_run(const jsni_any_dropout *drop, cudaStream_t stream)
{
    return jsni_launch(dropout, blocks_of(drop->features * drop->samples * drop->views),
                       BLOCK, 0, 1, stream, *drop);
}

template <class T, bool BACK>
static __global__ void __launch_bounds__(BLOCK)
    transpose(const void *from, void *to, long long images, int channels, int pixels)
{
    launch_next();
    launch_wait();
    EACH(i, images * channels * pixels)
    {
        const long long c = i % channels, p = i / channels % pixels;
        const long long plane = (i / channels / pixels * channels + c) * pixels + p;
        if (BACK)
            ((float *)to)[plane] = widen(((const T *)from)[i]);
        else
            ((T *)to)[i] = narrow<T>(((const float *)from)[plane]);
    }
}

cudaError_t jsni_any_from_planes(const float *from, void *to, long long images,
                                 int channels, int pixels, bool half,
                                 cudaStream_t stream)
{
    const long long blocks = blocks_of(images * channels * pixels);
    return half ? jsni_launch(transpose<bf16, false>, blocks, BLOCK, 0, 1, stream,
                              (const void *)from, to, images, channels, pixels)
                : jsni_launch(transpose<float, false>, blocks, BLOCK, 0, 1, stream,
                              (const void *)from, to, images, channels, pixels);
}

cudaError_t jsni_any_to_planes(const void *from, float *to, long long images,
                               int channels, int pixels, bool half, cudaStream_t stream)
{
    const long long blocks = blocks_of(images * channels * pixels);
    return half ? jsni_launch(transpose<bf16, true>, blocks, BLOCK, 0, 1, stream, from,
                              (void *)to, images, channels, pixels)
                : jsni_launch(transpose<float, true>, blocks, BLOCK, 0, 1, stream, from,
                              (void *)to, images, channels, pixels);
}

static __global__ void __launch_bounds__(BLOCK)
    fill(float *to, float value, long long count)
{
    launch_next();
    launch_wait();
    EACH(i, count)
    to[i] = value;
}

cudaError_t jsni_any_fill(float *to, float value, long long count, cudaStream_t stream)
{
    return jsni_launch(fill, blocks_of(count), BLOCK, 0, 1, stream, to, value, count);
}
