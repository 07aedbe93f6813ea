/* backend/cuda/cuda_norm.cu - the BatchNorm kernels that norm_kernels.h describes.
 *
 * Sums are shifted by the first pixel of the view: a channel whose mean is large against
 * its deviation keeps its digits, and a constant one has variance zero exactly.
 */
#include "backend/cuda/norm_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"
#include "backend/cuda/norm_coefs.cuh"

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
    /* Large tensors come from memory, not from the cache: more blocks keep it busy. */
    const bool large = pixels * channels > 1 << 23;
    const long long wanted = ((large ? 8 : 4) * 132 / tiles + views - 1) / views + 1;
    const long long groups = wanted < most ? wanted : most;
    return groups < 1 ? 1 : groups > 256 ? 256 : (int)groups;
}

/* Whether a ReLU lets the gradient of a value through. */
static __device__ __forceinline__ bool is_open(float value, float top)
{
    return value > 0.0f && value < top;
}

/* What a pass over the pixels sums, and where g is dy. */
enum sums_of { OF_X, OF_G, OF_G_OPEN_BY_X, OF_G_OPEN_BY_OUT };

/* Block (tile of channels, group): sums of x and x*x, or of g and g*(x-mean). */
template <class T, int N, sums_of OF>
static __global__ void __launch_bounds__(BLOCK, OF == OF_X ? 3 : 2)
    norm_sums(const jsni_norm_args A, int lanes, int tiles)
{
    constexpr int AHEAD = OF == OF_X ? 4 : 2; /* pixels that are loaded at once */
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
        held<T, N> shift;
        shift.load((const T *)A.x + base * C + c);
#pragma unroll
        for (int i = 0; i < N; i++) {
            mean[i] = OF == OF_X ? shift.at(i) : A.k.mean[view * C + c + i];
            if (OF == OF_G_OPEN_BY_X) {
                a[i] = A.k.a[view * C + c + i];
                b[i] = A.bias[c + i];
            }
        }
        for (long long p0 = first + ty; p0 < end; p0 += AHEAD * rows) {
            held<T, N> x[AHEAD], dy[AHEAD], out[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                const long long at = (base + p0 + u * rows) * C + c;
                if (p0 + u * rows < end) {
                    x[u].load((const T *)A.x + at);
                    if (OF != OF_X)
                        dy[u].load((const T *)A.dy + at);
                    if (OF == OF_G_OPEN_BY_OUT)
                        out[u].load((const T *)A.out + at);
                }
            }
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                if (p0 + u * rows >= end)
                    break;
                vec<T, N> g;
#pragma unroll
                for (int i = 0; i < N; i++) {
                    const float d = x[u].at(i) - mean[i];
                    if (OF == OF_X) {
                        s1[i] += d;
                        s2[i] = fmaf(d, d, s2[i]);
                        continue;
                    }
                    g.v[i] = dy[u].at(i);
                    if ((OF == OF_G_OPEN_BY_X &&
                         !is_open(fmaf(a[i], d, b[i]), A.top)) ||
                        (OF == OF_G_OPEN_BY_OUT && !is_open(out[u].at(i), A.top)))
                        g.v[i] = 0.0f;
                    s1[i] += g.v[i];
                    s2[i] = fmaf(g.v[i], d, s2[i]);
                }
                if (OF != OF_X && A.masked)
                    g.store((T *)A.masked + (base + p0 + u * rows) * C + c);
            }
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
    return jsni_launch(!back         ? norm_sums<T, N, OF_X>
                       : !args->relu ? norm_sums<T, N, OF_G>
                       : args->out   ? norm_sums<T, N, OF_G_OPEN_BY_OUT>
                                     : norm_sums<T, N, OF_G_OPEN_BY_X>,
                       blocks, BLOCK, 0, 1, stream, *args, lanes, tiles);
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

/* The sums of view w and the warp's channel: exact ones, or those of the groups. */
static __device__ __forceinline__ void sums_of_view(const jsni_norm_args &A, int c,
                                                    float (*s)[2][32], double &sum1,
                                                    double &sum2)
{
    const int w = threadIdx.x >> 5;
    if (!A.exact) {
        sum_groups(A, c, s, sum1, sum2);
    } else if (w < A.views && c < A.channels) {
        sum1 = exact_of(A, w, 0, c);
        sum2 = exact_of(A, w, 1, c);
    }
}

static __global__ void __launch_bounds__(FINISH)
    norm_finish(const jsni_norm_args A, bool training)
{
    __shared__ float s[WARPS][2][32];
    __shared__ norm_moments found[MOST_VIEWS][32];
    launch_next();
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, C = A.channels;
    const int c = blockIdx.x * 32 + lane;
    launch_wait();
    norm_moments m = {0.0, 1.0};
    if (training) {
        double sum1, sum2;
        sums_of_view(A, c, s, sum1, sum2);
        if (w < A.views && c < C) {
            const long long at = (long long)w * A.pixels * C + c;
            const float shift = !A.shifted ? 0.0f
                                : A.half   ? widen(((const bf16 *)A.x)[at])
                                           : ((const float *)A.x)[at];
            m = moments_of(sum1, sum2, (double)A.pixels, shift);
            found[w][lane] = m;
        }
    } else if (w < A.views && c < C) {
        m = {A.running_mean[c], A.running_var[c]};
    }
    if (w < A.views && c < C)
        keep_scale(A, w, c, m, scale_of(A, c, m));
    if (!training)
        return;
    __syncthreads();
    if (w == 0 && c < C) {
        norm_running running(A, c);
        for (int v = 0; v < A.views; v++)
            running.see(A, found[v][lane]);
        running.keep(A, c);
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
    launch_wait();
    double sum1, sum2;
    sums_of_view(A, c, s, sum1, sum2);
    if (w < A.views && c < C) {
        const norm_slope k = slope_of(A, w, c, sum1, sum2, centred);
        found[w][0][lane] = k.weight_grad;
        found[w][1][lane] = k.bias_grad;
        A.k.ga[w * C + c] = (float)k.a;
        A.k.gb[w * C + c] = (float)k.gb;
        A.k.gd[w * C + c] = (float)k.gd;
        A.k.ge[w * C + c] = (float)k.ge;
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

/* BACK 0: forward. 1: dy still to be masked. 2: dy is g. Block (tile of channels, run of
 * pixels of a view): a thread keeps the coefficients of its channels. */
template <class T, int N, int BACK>
static __global__ void __launch_bounds__(BLOCK, BACK == 1 ? 2 : 3)
    norm_apply(const jsni_norm_args A, int lanes, int tiles, int runs)
{
    constexpr int AHEAD = BACK ? 2 : 4;
    launch_next();
    const int tx = threadIdx.x % lanes, ty = threadIdx.x / lanes, rows = BLOCK / lanes;
    const int tile = blockIdx.x % tiles, run = blockIdx.x / tiles % runs;
    const int view = blockIdx.x / tiles / runs, C = A.channels;
    const int c = (tile * lanes + tx) * N, k = view * C + c;
    const long long first = A.pixels * run / runs, end = A.pixels * (run + 1) / runs;
    launch_wait();
    if (c >= C)
        return;
    float mean[N], a[N], b[N], ga[N], gb[N], ge[N];
#pragma unroll
    for (int j = 0; j < N; j++) {
        mean[j] = A.k.mean[k + j];
        a[j] = BACK == 2 ? 0.0f : A.k.a[k + j];
        b[j] = BACK == 2 ? 0.0f : A.bias[c + j];
        ga[j] = BACK ? A.k.ga[k + j] : 0.0f;
        gb[j] = BACK ? A.k.gb[k + j] : 0.0f;
        ge[j] = BACK ? A.k.ge[k + j] : 0.0f;
    }
    const long long base = (long long)view * A.pixels;
    for (long long p0 = first + ty; p0 < end; p0 += AHEAD * rows) {
        held<T, N> x[AHEAD], dy[AHEAD], skip[AHEAD];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            const long long at = (base + p0 + u * rows) * C + c;
            if (p0 + u * rows < end) {
                x[u].load((const T *)A.x + at);
                if (BACK)
                    dy[u].load((const T *)A.dy + at);
                if (A.skip)
                    skip[u].load((const T *)A.skip + at);
            }
        }
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            if (p0 + u * rows >= end)
                break;
            vec<T, N> y;
#pragma unroll
            for (int j = 0; j < N; j++) {
                const float d = x[u].at(j) - mean[j];
                const float normal = fmaf(a[j], d, b[j]);
                const float g = BACK && (BACK == 2 || !A.relu || is_open(normal, A.top))
                                    ? dy[u].at(j)
                                    : 0.0f;
                y.v[j] = BACK ? fmaf(ga[j], g, fmaf(gb[j], d, ge[j])) : normal;
                if (A.skip)
                    y.v[j] += skip[u].at(j);
                if (!BACK && A.relu) /* NaN stays NaN */
                    y.v[j] = y.v[j] <= 0.0f ? 0.0f : y.v[j] >= A.top ? A.top : y.v[j];
            }
            y.store((T *)A.y + (base + p0 + u * rows) * C + c);
        }
    }
}

template <class T, int N>
static cudaError_t start_apply(const jsni_norm_args *args, int back,
                               cudaStream_t stream)
{
    const int vectors = args->channels / N, lanes = lanes_of(vectors);
    const int tiles = (vectors + lanes - 1) / lanes, rows = BLOCK / lanes;
    const long long wanted =
        (132 * 8 + tiles * args->views - 1) / (tiles * args->views);
    const long long most = (args->pixels + 4 * rows - 1) / (4 * rows);
    const int runs = (int)(wanted < most ? wanted : most);
    const long long blocks = (long long)tiles * runs * args->views;
    return jsni_launch(back == 0   ? norm_apply<T, N, 0>
                       : back == 1 ? norm_apply<T, N, 1>
                                   : norm_apply<T, N, 2>,
                       blocks, BLOCK, 0, 1, stream, *args, lanes, tiles, runs);
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
