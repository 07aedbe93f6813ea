/* backend/cuda/any_bias.cu - biases of layers [rows][channels]: added, and their gradients
 * summed in a fixed order. A block has a tile of channels and a run of rows; a thread keeps
 * its channels.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256, AHEAD = 4, MOST_RUNS = 256;

/* How threads and blocks lie over the tensor. */
struct tiling {
    int lanes, tiles, runs; /* threads side by side, tiles of channels, runs of rows */
};

static tiling tiling_of(int vectors, long long rows)
{
    tiling t = {1, 1, 1};
    while (t.lanes < vectors && t.lanes < 32)
        t.lanes *= 2;
    t.tiles = (vectors + t.lanes - 1) / t.lanes;
    const long long most = rows / (AHEAD * (BLOCK / t.lanes));
    const long long wanted = 8 * 132 / t.tiles + 1;
    const long long runs = wanted < most ? wanted : most;
    t.runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (int)runs;
    return t;
}

template <class T, int N>
static __global__ void __launch_bounds__(BLOCK)
    bias_sum(const T *y, float *sums, long long rows, int channels, tiling t)
{
    __shared__ float s[BLOCK * N];
    launch_next();
    const int tx = threadIdx.x % t.lanes, ty = threadIdx.x / t.lanes;
    const int step = BLOCK / t.lanes, tile = blockIdx.x % t.tiles;
    const int run = blockIdx.x / t.tiles, c = (tile * t.lanes + tx) * N;
    const long long end = rows * (run + 1) / t.runs;
    float sum[N] = {};
    launch_wait();
    if (c < channels)
        for (long long p0 = rows * run / t.runs + ty; p0 < end; p0 += AHEAD * step) {
            held<T, N> v[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                if (p0 + u * step < end)
                    v[u].load(y + (p0 + u * step) * channels + c);
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                if (p0 + u * step < end)
#pragma unroll
                    for (int i = 0; i < N; i++)
                        sum[i] += v[u].at(i);
        }
#pragma unroll
    for (int i = 0; i < N; i++)
        s[(ty * t.lanes + tx) * N + i] = sum[i];
    __syncthreads();
    const int width = t.lanes * N;
    for (int k = threadIdx.x; k < width; k += BLOCK) {
        float total = 0.0f;
        for (int r = 0; r < step; r++)
            total += s[r * width + k];
        if (tile * width + k < channels)
            sums[(long long)run * channels + tile * width + k] = total;
    }
}

static __global__ void __launch_bounds__(BLOCK)
    add_runs(const float *sums, float *gradient, int runs, int channels)
{
    launch_next();
    launch_wait();
    const int c = blockIdx.x * BLOCK + threadIdx.x;
    if (c >= channels)
        return;
    float total = 0.0f;
#pragma unroll 8
    for (int r = 0; r < runs; r++)
        total += sums[(long long)r * channels + c];
    gradient[c] = total;
}

/* Float: the outputs of classifiers, few rows. A block takes 8 channels, its 32 threads of
 * each walk the rows, then one adds up. */
static __global__ void __launch_bounds__(BLOCK)
    small_sum(const float *y, float *gradient, long long rows, int channels)
{
    __shared__ float s[32][8];
    launch_next();
    launch_wait();
    const int c = blockIdx.x * 8 + threadIdx.x % 8, r = threadIdx.x / 8;
    float sum = 0.0f;
    if (c < channels)
        for (long long row = r; row < rows; row += 32)
            sum += y[row * channels + c];
    s[r][threadIdx.x % 8] = sum;
    __syncthreads();
    if (r == 0 && c < channels) {
        for (int k = 1; k < 32; k++)
            sum += s[k][threadIdx.x % 8];
        gradient[c] = sum;
    }
}

template <class T, int N>
static cudaError_t start_sum(const void *y, float *room, float *gradient,
                             long long rows, int channels, cudaStream_t stream)
{
    const tiling t = tiling_of(channels / N, rows);
    const cudaError_t error =
        jsni_launch(bias_sum<T, N>, (long long)t.tiles * t.runs, BLOCK, 0, 1, stream,
                    (const T *)y, t.runs == 1 ? gradient : room, rows, channels, t);
    if (error != cudaSuccess || t.runs == 1)
        return error;
    return jsni_launch(add_runs, (channels + BLOCK - 1) / BLOCK, BLOCK, 0, 1, stream,
                       (const float *)room, gradient, t.runs, channels);
}

cudaError_t jsni_any_bias_sum(const void *y, bool half, float *room, float *gradient,
                              long long rows, int channels, cudaStream_t stream)
{
    if (half)
        return channels % WIDE<bf16> == 0
                   ? start_sum<bf16, WIDE<bf16>>(y, room, gradient, rows, channels,
                                                 stream)
                   : start_sum<bf16, 1>(y, room, gradient, rows, channels, stream);
    return jsni_launch(small_sum, (channels + 7) / 8, BLOCK, 0, 1, stream,
                       (const float *)y, gradient, rows, channels);
}

size_t jsni_any_bias_room(long long rows, int channels, bool half)
{
    const int vectors = channels % WIDE<bf16> == 0 ? channels / WIDE<bf16> : channels;
    const int runs = half ? tiling_of(vectors, rows).runs : 1;
    return runs == 1 ? 0 : (size_t)runs * (size_t)channels * sizeof(float);
}

template <class T, int N>
static __global__ void __launch_bounds__(BLOCK)
    bias_add(T *y, const float *bias, long long rows, int channels, tiling t)
{
    launch_next();
    const int tx = threadIdx.x % t.lanes, ty = threadIdx.x / t.lanes;
    const int step = BLOCK / t.lanes, run = blockIdx.x / t.tiles;
    const int c = (blockIdx.x % t.tiles * t.lanes + tx) * N;
    const long long end = rows * (run + 1) / t.runs;
    launch_wait();
    if (c >= channels)
        return;
    float b[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        b[i] = bias[c + i];
    for (long long p0 = rows * run / t.runs + ty; p0 < end; p0 += AHEAD * step) {
        held<T, N> v[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (p0 + u * step < end)
                v[u].load(y + (p0 + u * step) * channels + c);
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            if (p0 + u * step >= end)
                break;
            vec<T, N> sum;
#pragma unroll
            for (int i = 0; i < N; i++)
                sum.v[i] = v[u].at(i) + b[i];
            sum.store(y + (p0 + u * step) * channels + c);
        }
    }
}

template <class T, int N>
static cudaError_t start_add(void *y, const float *bias, long long rows, int channels,
                             cudaStream_t stream)
{
    const tiling t = tiling_of(channels / N, rows);
    return jsni_launch(bias_add<T, N>, (long long)t.tiles * t.runs, BLOCK, 0, 1, stream,
                       (T *)y, bias, rows, channels, t);
}

cudaError_t jsni_any_bias_add(void *y, bool half, const float *bias, long long rows,
                              int channels, cudaStream_t stream)
{
    if (half)
        return channels % WIDE<bf16> == 0
                   ? start_add<bf16, WIDE<bf16>>(y, bias, rows, channels, stream)
                   : start_add<bf16, 1>(y, bias, rows, channels, stream);
    return channels % WIDE<float> == 0
               ? start_add<float, WIDE<float>>(y, bias, rows, channels, stream)
               : start_add<float, 1>(y, bias, rows, channels, stream);
}
