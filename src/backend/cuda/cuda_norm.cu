/* backend/cuda/cuda_norm.cu - the BatchNorm kernels that norm_kernels.h describes.
 *
 * Sums are shifted by the first pixel of the view: a channel whose mean is large against
 * its deviation keeps its digits, and a constant one has variance zero exactly.
 */
#include "backend/cuda/norm_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256;

/* Threads of a block that lie side by side over channels. */
static int lanes_of(int vectors)
{
    int lanes = 1;
    while (lanes < vectors && lanes < 32)
        lanes *= 2;
    return lanes;
}

static bool wide(const jsni_norm_args *args)
{
    return args->channels % (args->half ? WIDE<bf16> : WIDE<float>) == 0;
}

int jsni_norm_groups(int channels, int views, long long pixels, bool half)
{
    const int vectors = channels / (half ? WIDE<bf16> : WIDE<float>);
    const int lanes = lanes_of(vectors > 0 ? vectors : channels);
    const int tiles = (vectors > 0 ? vectors : channels) / lanes + 1;
    const long long most = pixels / (4 * (BLOCK / lanes)) + 1;
    const long long wanted = (4 * 132 / tiles + views - 1) / views + 1;
    const long long groups = wanted < most ? wanted : most;
    return groups < 1 ? 1 : groups > 256 ? 256 : (int)groups;
}

/* Block (tile of channels, group). BACK: sums of g and g*(x-mean). */
template <class T, int N, bool BACK>
static __global__ void __launch_bounds__(BLOCK)
    norm_sums(const jsni_norm_args A, int lanes, int tiles)
{
    __shared__ float s[2][BLOCK * N];
    launch_next();
    const int tx = threadIdx.x % lanes, ty = threadIdx.x / lanes, rows = BLOCK / lanes;
    const int tile = blockIdx.x % tiles, group = blockIdx.x / tiles;
    const int view = group / A.groups, c = (tile * lanes + tx) * N, C = A.channels;
    const long long first = A.pixels * (group % A.groups) / A.groups;
    const long long end = A.pixels * (group % A.groups + 1) / A.groups;
    const long long base = (long long)view * A.pixels;
    float s1[N] = {}, s2[N] = {}, a[N] = {}, b[N] = {}, mean[N] = {};
    launch_wait();
    if (c < C) {
        vec<T, N> shift;
        shift.load((const T *)A.x + base * C + c);
#pragma unroll
        for (int i = 0; i < N; i++) {
            mean[i] = BACK ? A.k.mean[view * C + c + i] : shift.v[i];
            if (BACK) {
                a[i] = A.k.a[view * C + c + i];
                b[i] = A.bias[c + i];
            }
        }
#pragma unroll 4
        for (long long p = first + ty; p < end; p += rows) {
            vec<T, N> x, g;
            x.load((const T *)A.x + (base + p) * C + c);
            if (BACK)
                g.load((const T *)A.dy + (base + p) * C + c);
#pragma unroll
            for (int i = 0; i < N; i++) {
                const float d = x.v[i] - mean[i];
                if (BACK) {
                    if (A.relu && !(fmaf(a[i], d, b[i]) > 0.0f))
                        g.v[i] = 0.0f;
                    s1[i] += g.v[i];
                    s2[i] = fmaf(g.v[i], d, s2[i]);
                } else {
                    s1[i] += d;
                    s2[i] = fmaf(d, d, s2[i]);
                }
            }
            if (BACK && A.masked)
                g.store((T *)A.masked + (base + p) * C + c);
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        s[0][(ty * lanes + tx) * N + i] = s1[i];
        s[1][(ty * lanes + tx) * N + i] = s2[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * lanes * N; i += BLOCK) {
        const int q = i / (lanes * N), k = i % (lanes * N);
        float sum = 0.0f;
        for (int r = 0; r < rows; r++)
            sum += s[q][r * lanes * N + k];
        if (tile * lanes * N + k < C)
            A.part[((long long)group * 2 + q) * C + tile * lanes * N + k] = sum;
    }
}

template <class T, int N>
static cudaError_t start_sums(const jsni_norm_args *args, bool back,
                              cudaStream_t stream)
{
    const int vectors = args->channels / N, lanes = lanes_of(vectors);
    const int tiles = (vectors + lanes - 1) / lanes;
    const long long blocks = (long long)tiles * args->views * args->groups;
    return back ? jsni_launch(norm_sums<T, N, true>, blocks, BLOCK, 0, 1, stream, *args,
                              lanes, tiles)
                : jsni_launch(norm_sums<T, N, false>, blocks, BLOCK, 0, 1, stream,
                              *args, lanes, tiles);
}

static cudaError_t any_sums(const jsni_norm_args *args, bool back, cudaStream_t stream)
{
    if (args->half)
        return wide(args) ? start_sums<bf16, WIDE<bf16>>(args, back, stream)
                          : start_sums<bf16, 1>(args, back, stream);
    return wide(args) ? start_sums<float, WIDE<float>>(args, back, stream)
                      : start_sums<float, 1>(args, back, stream);
}

cudaError_t jsni_norm_sums(const jsni_norm_args *args, cudaStream_t stream)
{
    return any_sums(args, false, stream);
}

cudaError_t jsni_norm_back_sums(const jsni_norm_args *args, cudaStream_t stream)
{
    return any_sums(args, true, stream);
}

/* Sums over the groups of all views for 32 channels. Warps are dealt out to views and
 * take groups in turn; then warp v adds up what was found for view v, in order. */
constexpr int FINISH = 1024, WARPS = FINISH / 32, MOST_VIEWS = 16;

static __device__ __forceinline__ void sum_groups(const jsni_norm_args &A, int c,
                                                  float (*s)[2][32], double &sum1,
                                                  double &sum2)
{
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, slices = WARPS / A.views;
    const int view = w / slices, C = A.channels;
    float s1 = 0.0f, s2 = 0.0f;
    if (c < C && view < A.views)
#pragma unroll 4
        for (int g = w % slices; g < A.groups; g += slices) {
            const float *p = A.part + (long long)(view * A.groups + g) * 2 * C + c;
            s1 += p[0];
            s2 += p[C];
        }
    s[w][0][lane] = s1;
    s[w][1][lane] = s2;
    __syncthreads();
    sum1 = sum2 = 0.0;
    if (w < A.views)
#pragma unroll 8
        for (int k = 0; k < slices; k++) {
            sum1 += s[w * slices + k][0][lane];
            sum2 += s[w * slices + k][1][lane];
        }
}

static __global__ void __launch_bounds__(FINISH)
    norm_finish(const jsni_norm_args A, bool training)
{
    __shared__ float s[WARPS][2][32];
    __shared__ double found[MOST_VIEWS][2][32];
    launch_next();
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, C = A.channels;
    const int c = blockIdx.x * 32 + lane;
    const double n = (double)A.pixels;
    launch_wait();
    double mean = 0.0, var = 1.0, sum1, sum2;
    if (training) {
        sum_groups(A, c, s, sum1, sum2);
        if (w < A.views && c < C) {
            const long long at = (long long)w * A.pixels * C + c;
            const float shift = !A.shifted ? 0.0f
                                : A.half   ? widen(((const bf16 *)A.x)[at])
                                           : ((const float *)A.x)[at];
            const double d = sum1 / n;
            mean = shift + d;
            var = sum2 / n - d * d;
            var = var > 0.0 ? var : 0.0;
            found[w][0][lane] = mean;
            found[w][1][lane] = var;
        }
    } else if (w < A.views && c < C) {
        mean = A.running_mean[c];
        var = A.running_var[c];
    }
    if (w < A.views && c < C) {
        const double rstd = 1.0 / sqrt(var + A.epsilon), a = A.weight[c] * rstd;
        A.k.a[w * C + c] = (float)a;
        A.k.b[w * C + c] = (float)(A.bias[c] - mean * a);
        A.k.mean[w * C + c] = (float)mean;
        A.k.rstd[w * C + c] = (float)rstd;
    }
    if (!training)
        return;
    __syncthreads();
    if (w == 0 && c < C) { /* the running statistics see the views in order */
        double running_mean = A.running_mean[c], running_var = A.running_var[c];
        for (int v = 0; v < A.views; v++) {
            const double unbiased = found[v][1][lane] * (n / (n > 1 ? n - 1 : 1));
            running_mean += A.momentum * (found[v][0][lane] - running_mean);
            running_var += A.momentum * (unbiased - running_var);
        }
        A.running_mean[c] = (float)running_mean;
        A.running_var[c] = (float)running_var;
    }
}

cudaError_t jsni_norm_finish(const jsni_norm_args *args, bool training,
                             cudaStream_t stream)
{
    return jsni_launch(norm_finish, (args->channels + 31) / 32,
                       training ? FINISH : 32 * args->views, 0, 1, stream, *args,
                       training);
}

static __global__ void __launch_bounds__(FINISH)
    norm_back_finish(const jsni_norm_args A, bool centred)
{
    __shared__ float s[WARPS][2][32];
    __shared__ double found[MOST_VIEWS][2][32];
    launch_next();
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, C = A.channels;
    const int c = blockIdx.x * 32 + lane;
    const double n = (double)A.pixels;
    launch_wait();
    double sum1, sum2;
    sum_groups(A, c, s, sum1, sum2);
    if (w < A.views && c < C) {
        const double a = A.k.a[w * C + c], mean = A.k.mean[w * C + c];
        const double rstd = A.k.rstd[w * C + c];
        const double product = (centred ? sum2 : sum2 - mean * sum1) * rstd;
        found[w][0][lane] = product;
        found[w][1][lane] = sum1;
        const double gb = -a * rstd * product / n, ge = -a * sum1 / n;
        A.k.ga[w * C + c] = (float)a;
        A.k.gb[w * C + c] = (float)gb;
        A.k.gd[w * C + c] = (float)(ge - gb * mean);
        A.k.ge[w * C + c] = (float)ge;
    }
    __syncthreads();
    if (w == 0 && c < C) {
        double weight_grad = 0.0, bias_grad = 0.0;
        for (int v = 0; v < A.views; v++) {
            weight_grad += found[v][0][lane];
            bias_grad += found[v][1][lane];
        }
        A.weight_grad[c] = (float)weight_grad;
        A.bias_grad[c] = (float)bias_grad;
    }
}

cudaError_t jsni_norm_back_finish(const jsni_norm_args *args, bool centred,
                                  cudaStream_t stream)
{
    return jsni_launch(norm_back_finish, (args->channels + 31) / 32, FINISH, 0, 1,
                       stream, *args, centred);
}

/* BACK 0: forward. 1: dy still to be masked. 2: dy is g. */
template <class T, int N, int BACK>
static __global__ void __launch_bounds__(BLOCK) norm_apply(const jsni_norm_args A)
{
    launch_next();
    launch_wait();
    const int C = A.channels, vectors = C / N;
    const long long per_view = A.pixels * vectors, count = per_view * A.views;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (long long)gridDim.x * BLOCK) {
        const int c = (int)(i % vectors) * N, k = (int)(i / per_view) * C + c;
        vec<T, N> x, g, skip;
        x.load((const T *)A.x + i * N);
        if (BACK)
            g.load((const T *)A.dy + i * N);
        if (BACK && A.skip)
            skip.load((const T *)A.skip + i * N);
#pragma unroll
        for (int j = 0; j < N; j++) {
            const float d = x.v[j] - A.k.mean[k + j];
            if (BACK == 0) {
                const float y = fmaf(A.k.a[k + j], d, A.bias[c + j]);
                x.v[j] = A.relu && y <= 0.0f ? 0.0f : y; /* NaN stays NaN */
                continue;
            }
            if (BACK == 1 && A.relu && !(fmaf(A.k.a[k + j], d, A.bias[c + j]) > 0.0f))
                g.v[j] = 0.0f;
            x.v[j] = fmaf(A.k.ga[k + j], g.v[j], fmaf(A.k.gb[k + j], d, A.k.ge[k + j]));
            if (A.skip)
                x.v[j] += skip.v[j];
        }
        x.store((T *)A.y + i * N);
    }
}

template <class T, int N>
static cudaError_t start_apply(const jsni_norm_args *args, int back,
                               cudaStream_t stream)
{
    const long long count = args->pixels * args->views * (args->channels / N);
    const long long needed = (count + BLOCK - 1) / BLOCK;
    const long long blocks = needed < 132 * 16 ? needed : 132 * 16;
    switch (back) {
    case 0:
        return jsni_launch(norm_apply<T, N, 0>, blocks, BLOCK, 0, 1, stream, *args);
    case 1:
        return jsni_launch(norm_apply<T, N, 1>, blocks, BLOCK, 0, 1, stream, *args);
    default:
        return jsni_launch(norm_apply<T, N, 2>, blocks, BLOCK, 0, 1, stream, *args);
    }
}

static cudaError_t any_apply(const jsni_norm_args *args, int back, cudaStream_t stream)
{
    if (args->half)
        return wide(args) ? start_apply<bf16, WIDE<bf16>>(args, back, stream)
                          : start_apply<bf16, 1>(args, back, stream);
    return wide(args) ? start_apply<float, WIDE<float>>(args, back, stream)
                      : start_apply<float, 1>(args, back, stream);
}

cudaError_t jsni_norm_apply(const jsni_norm_args *args, cudaStream_t stream)
{
    return any_apply(args, 0, stream);
}

cudaError_t jsni_norm_back_apply(const jsni_norm_args *args, bool masked,
                                 cudaStream_t stream)
{
    return any_apply(args, masked ? 2 : 1, stream);
}
