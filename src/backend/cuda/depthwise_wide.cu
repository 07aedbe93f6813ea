/* backend/cuda/depthwise_wide.cu - depthwise convolutions of 3x3 and 5x5 with strides of 1
 * and 2, and their gradients, 16 bytes of channels at a time.
 *
 * They are bound by memory: a thread keeps its channels and makes a strip of neighbouring
 * pixels, so that what a window shares is loaded once a row. A block takes strips in the
 * order of memory, and finds the rows that its windows share in its cache.
 *
 *   a block: [strips beside each other][vectors of channels], at most 32 vectors of 4
 *   float or 8 bf16; its weights in shared memory, [tap][channels of the tile]
 *
 *                       vector 0   vector 1   ...  vector lanes - 1
 *     strip 0            thread 0          1             lanes - 1     a strip: 4 pixels of
 *     strip 1               lanes  lanes + 1         2 * lanes - 1     a row
 *     ...
 *     strip slots - 1    and so on; next the strips from `slots` on
 *
 *   weights' gradients: a strip and vector have K threads, one for each row of the window
 *
 * Each result is made by one thread, taps in order; partial sums are added in order.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256, WEIGHT_BLOCK = 512;
constexpr int STRIP = 4;               /* pixels of a thread */
constexpr int MOST_LANES = 32;         /* vectors of channels of a block */
constexpr int DEVICE_BLOCKS = 4 * 132; /* of the largest chips */

/* How threads and blocks lie over a tensor. */
struct tiling {
    int lanes, tiles; /* vectors side by side; tiles of channels */
    int slots;        /* strips beside each other */
    int runs;         /* blocks of a tile */
};

static tiling tiling_of(int vectors, int threads, int blocks, long long strips)
{
    tiling t;
    t.tiles = (vectors + MOST_LANES - 1) / MOST_LANES;
    t.lanes = (vectors + t.tiles - 1) / t.tiles;
    t.slots = threads / t.lanes;
    const long long most = (strips + t.slots - 1) / t.slots;
    const long long wanted = (blocks + t.tiles - 1) / t.tiles;
    t.runs = (int)(wanted < most ? wanted : most);
    return t;
}

static __host__ __device__ long long strips_of(long long images, int height, int width)
{
    return images * height * ((width + STRIP - 1) / STRIP);
}

/* A strip: STRIP pixels of a row. */
struct strip {
    int image, row, column;

    __device__ __forceinline__ strip(int number, int height, int width)
    {
        const int in_row = (width + STRIP - 1) / STRIP;
        column = number % in_row * STRIP;
        row = number / in_row % height;
        image = number / in_row / height;
    }
};

/* COUNT neighbouring pixels of a row from column `first` on, zero beyond its ends. */
template <class T, int N, int COUNT>
static __device__ __forceinline__ void load_row(held<T, N> (&x)[COUNT], const T *row,
                                                int first, int width, int channels)
{
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        const int column = first + j;
        if (column >= 0 && column < width)
            x[j].load(row + (long long)column * channels);
        else
#pragma unroll
            for (int i = 0; i < held<T, N>::WORDS; i++)
                x[j].w[i] = 0;
    }
}

/* The weights of a tile of channels into shared memory: [tap][channels of the tile]. */
static __device__ __forceinline__ void
load_weights(float *to, const float *from, int first, int width, int channels, int taps)
{
    const int there = channels - first < width ? channels - first : width;
    for (int i = threadIdx.x; i < there * taps; i += BLOCK)
        to[i % taps * width + i / taps] = from[(long long)first * taps + i];
    __syncthreads();
}

template <class T, int N, int K>
static __device__ __forceinline__ void
weights_of_row(float (&w)[K][N], const float *shared, int kh, int width)
{
#pragma unroll
    for (int kw = 0; kw < K; kw++)
#pragma unroll
        for (int i = 0; i < N; i += 4)
            *(float4 *)&w[kw][i] =
                *(const float4 *)(shared + (kh * K + kw) * width + i);
}

template <class T, int N>
static __device__ __forceinline__ void store_strip(T *row, int column, int width,
                                                   int channels, bool add,
                                                   const float (&sum)[STRIP][N])
{
#pragma unroll
    for (int s = 0; s < STRIP; s++) {
        if (column + s >= width)
            return;
        T *to = row + (long long)(column + s) * channels;
        vec<T, N> v;
        if (add)
            v.load(to);
#pragma unroll
        for (int i = 0; i < N; i++)
            v.v[i] = add ? v.v[i] + sum[s][i] : sum[s][i];
        v.store(to);
    }
}

/* What a window slides over, and what it makes. */
struct slide_args {
    const void *in;
    void *out;
    const float *w, *bias;
    long long images;
    int channels, in_h, in_w, out_h, out_w, pad_h, pad_w;
    bool add;
};

/* A thread's share of a tensor: N channels of the strips from `first` to `end`, every
 * slots-th of them. */
template <int N> struct share {
    int lane, slot, tile, width; /* width: channels of a tile */
    int channel, first, end;

    __device__ __forceinline__ share(const tiling &t, const slide_args &args)
    {
        lane = threadIdx.x % t.lanes;
        slot = threadIdx.x / t.lanes;
        tile = blockIdx.x % t.tiles;
        const int run = blockIdx.x / t.tiles;
        width = t.lanes * N;
        channel = tile * width + lane * N;
        const long long strips = strips_of(args.images, args.out_h, args.out_w);
        first = (int)(strips * run / t.runs);
        end = (int)(strips * (run + 1) / t.runs);
    }
};

/* MIRRORED: the window the other way round, as backward-data of stride 1 has it. */
template <class T, int K, int S, bool MIRRORED>
static __global__ void __launch_bounds__(BLOCK, 2)
    slide(const slide_args args, const tiling t)
{
    constexpr int N = WIDE<T>, SPAN = (STRIP - 1) * S + K;
    extern __shared__ __align__(16) float shared[];
    const share<N> mine(t, args);
    launch_next();
    launch_wait();
    load_weights(shared, args.w, mine.tile * mine.width, mine.width, args.channels,
                 K * K);
    if (mine.slot >= t.slots || mine.channel >= args.channels)
        return;
    for (int number = mine.first + mine.slot; number < mine.end; number += t.slots) {
        const strip p(number, args.out_h, args.out_w);
        float sum[STRIP][N];
#pragma unroll
        for (int s = 0; s < STRIP; s++)
#pragma unroll
            for (int i = 0; i < N; i++)
                sum[s][i] = args.bias ? args.bias[mine.channel + i] : 0.0f;
#pragma unroll 1
        for (int kh = 0; kh < K; kh++) {
            const int h = p.row * S - args.pad_h + (MIRRORED ? K - 1 - kh : kh);
            if (h < 0 || h >= args.in_h)
                continue;
            held<T, N> x[SPAN];
            load_row(x,
                     (const T *)args.in +
                         ((long long)p.image * args.in_h + h) * args.in_w *
                             args.channels +
                         mine.channel,
                     p.column * S - args.pad_w, args.in_w, args.channels);
            float w[K][N];
            weights_of_row<T, N, K>(w, shared + mine.lane * N, kh, mine.width);
#pragma unroll
            for (int n = 0; n < SPAN;
                 n++) { /* taps in order, each pixel widened once */
                const int j = MIRRORED ? SPAN - 1 - n : n;
#pragma unroll
                for (int s = 0; s < STRIP; s++) {
                    const int kw = MIRRORED ? K - 1 - (j - s * S) : j - s * S;
                    if (kw < 0 || kw >= K)
                        continue;
#pragma unroll
                    for (int i = 0; i < N; i++)
                        sum[s][i] = fmaf(x[j].at(i), w[kw][i], sum[s][i]);
                }
            }
        }
        store_strip((T *)args.out +
                        ((long long)p.image * args.out_h + p.row) * args.out_w *
                            args.channels +
                        mine.channel,
                    p.column, args.out_w, args.channels, args.add, sum);
    }
}

/* Backward-data of stride 2. Of the taps that reach a pixel, every second one counts;
 * which of them depends on whether column + padding is odd: ODD is the padding's part. */
template <class T, int K, int ODD>
static __global__ void __launch_bounds__(BLOCK, 2)
    spread(const slide_args args, const tiling t)
{
    constexpr int N = WIDE<T>;
    constexpr int FIRST = -((K - 1 - ODD) / 2), LAST = (STRIP - 1 + ODD) / 2;
    extern __shared__ __align__(16) float shared[];
    const share<N> mine(t, args);
    launch_next();
    launch_wait();
    load_weights(shared, args.w, mine.tile * mine.width, mine.width, args.channels,
                 K * K);
    if (mine.slot >= t.slots || mine.channel >= args.channels)
        return;
    for (int number = mine.first + mine.slot; number < mine.end; number += t.slots) {
        const strip p(number, args.out_h, args.out_w);
        float sum[STRIP][N] = {};
#pragma unroll 1
        for (int kh = 0; kh < K; kh++) {
            const int h = p.row + args.pad_h - kh;
            if (h < 0 || h % 2 != 0 || h / 2 >= args.in_h)
                continue;
            held<T, N> g[LAST - FIRST + 1];
            load_row(g,
                     (const T *)args.in +
                         ((long long)p.image * args.in_h + h / 2) * args.in_w *
                             args.channels +
                         mine.channel,
                     (p.column + args.pad_w - ODD) / 2 + FIRST, args.in_w,
                     args.channels);
            float w[K][N];
            weights_of_row<T, N, K>(w, shared + mine.lane * N, kh, mine.width);
#pragma unroll
            for (int kw = 0; kw < K; kw++)
#pragma unroll
                for (int s = 0; s < STRIP; s++) {
                    if ((s + ODD - kw) % 2 != 0)
                        continue;
                    const int j = (s + ODD - kw) / 2 - FIRST;
#pragma unroll
                    for (int i = 0; i < N; i++)
                        sum[s][i] = fmaf(g[j].at(i), w[kw][i], sum[s][i]);
                }
        }
        store_strip((T *)args.out +
                        ((long long)p.image * args.out_h + p.row) * args.out_w *
                            args.channels +
                        mine.channel,
                    p.column, args.out_w, args.channels, args.add, sum);
    }
}

/* Weights' gradients: a thread has one row of the window, so K of them a strip. */
template <class T, int K, int S>
static __global__ void __launch_bounds__(WEIGHT_BLOCK)
    collect(const jsni_any_conv A, const tiling t)
{
    constexpr int N = WIDE<T>, SPAN = (STRIP - 1) * S + K;
    __shared__ float shared[WEIGHT_BLOCK * N];
    const int tx = threadIdx.x % t.lanes, row = threadIdx.x / t.lanes;
    const int kh = row % K, slot = row / K, slots = t.slots / K;
    const int tile = blockIdx.x % t.tiles, split = blockIdx.x / t.tiles;
    const int C = A.in_channels, width = t.lanes * N, c = tile * width + tx * N;
    const long long all = strips_of(A.images, A.out_h, A.out_w);
    const int first = (int)(all * split / A.splits);
    const int end = (int)(all * (split + 1) / A.splits);
    float sum[K][N] = {};
    launch_next();
    launch_wait();
    for (int number = first + slot; slot < slots && c < C && number < end;
         number += slots) {
        const strip p(number, A.out_h, A.out_w);
        const int h = p.row * S - A.pad_h + kh;
        if (h < 0 || h >= A.in_h)
            continue;
        held<T, N> g[STRIP], x[SPAN];
        load_row(g,
                 (const T *)A.y + ((long long)p.image * A.out_h + p.row) * A.out_w * C +
                     c,
                 p.column, A.out_w, C);
        load_row(x, (const T *)A.x + ((long long)p.image * A.in_h + h) * A.in_w * C + c,
                 p.column * S - A.pad_w, A.in_w, C);
#pragma unroll
        for (int s = 0; s < STRIP; s++)
#pragma unroll
            for (int kw = 0; kw < K; kw++)
#pragma unroll
                for (int i = 0; i < N; i++)
                    sum[kw][i] = fmaf(g[s].at(i), x[s * S + kw].at(i), sum[kw][i]);
    }
#pragma unroll
    for (int kw = 0; kw < K; kw++) {
#pragma unroll
        for (int i = 0; i < N; i++)
            shared[threadIdx.x * N + i] = sum[kw][i];
        __syncthreads();
        for (int k = threadIdx.x; k < K * width; k += WEIGHT_BLOCK) {
            const int channel = tile * width + k % width;
            float total = 0.0f;
            for (int s = 0; s < slots; s++)
                total += shared[s * K * width + k];
            if (channel < C)
                A.part[((long long)split * C + channel) * (K * K) + k / width * K +
                       kw] = total;
        }
        __syncthreads();
    }
}

/* ---- which of them ---- */

bool jsni_depthwise_wide_takes(const jsni_any_conv *conv)
{
    const int n = conv->half_x ? WIDE<bf16> : WIDE<float>, k = conv->kernel_h;
    return !conv->plain && conv->half_x == conv->half_y && conv->in_channels % n == 0 &&
           (k == 3 || k == 5) && conv->kernel_w == k && conv->pad_h < k &&
           conv->pad_w < k && (conv->stride_h == 1 || conv->stride_h == 2) &&
           conv->stride_w == conv->stride_h &&
           strips_of(conv->images, conv->in_h, conv->in_w) < 1 << 30;
}

static tiling weight_tiling(const jsni_any_conv *conv)
{
    const int vectors = conv->in_channels / (conv->half_x ? WIDE<bf16> : WIDE<float>);
    return tiling_of(vectors, WEIGHT_BLOCK, DEVICE_BLOCKS / 2,
                     strips_of(conv->images, conv->out_h, conv->out_w));
}

int jsni_depthwise_wide_splits(const jsni_any_conv *conv)
{
    return weight_tiling(conv).runs;
}

template <class T, int K>
static cudaError_t start_slide(const slide_args *args, int stride, bool back,
                               cudaStream_t stream)
{
    constexpr int N = WIDE<T>;
    const tiling t = tiling_of(args->channels / N, BLOCK, DEVICE_BLOCKS,
                               strips_of(args->images, args->out_h, args->out_w));
    const int bytes = K * K * t.lanes * N * (int)sizeof(float);
    return jsni_launch(
        !back         ? (stride == 1 ? slide<T, K, 1, false> : slide<T, K, 2, false>)
        : stride == 1 ? slide<T, K, 1, true>
        : args->pad_w % 2 != 0 ? spread<T, K, 1>
                               : spread<T, K, 0>,
        (long long)t.tiles * t.runs, BLOCK, bytes, 1, stream, *args, t);
}

static cudaError_t any_slide(const slide_args *args, const jsni_any_conv *conv,
                             bool back, cudaStream_t stream)
{
    const int stride = conv->stride_h;
    if (conv->half_x)
        return conv->kernel_h == 3 ? start_slide<bf16, 3>(args, stride, back, stream)
                                   : start_slide<bf16, 5>(args, stride, back, stream);
    return conv->kernel_h == 3 ? start_slide<float, 3>(args, stride, back, stream)
                               : start_slide<float, 5>(args, stride, back, stream);
}

cudaError_t jsni_depthwise_wide_forward(const jsni_any_conv *conv, cudaStream_t stream)
{
    const slide_args args = {conv->x,     conv->y,      (const float *)conv->w,
                             conv->bias,  conv->images, conv->in_channels,
                             conv->in_h,  conv->in_w,   conv->out_h,
                             conv->out_w, conv->pad_h,  conv->pad_w,
                             false};
    return any_slide(&args, conv, false, stream);
}

/* From the output's gradient to the input's. Mirrored windows have the padding that is
 * left of K - 1. */
cudaError_t jsni_depthwise_wide_data(const jsni_any_conv *conv, cudaStream_t stream)
{
    const bool mirrored = conv->stride_h == 1;
    const int last = conv->kernel_h - 1;
    const slide_args args = {conv->y,
                             conv->dx,
                             (const float *)conv->w,
                             NULL,
                             conv->images,
                             conv->in_channels,
                             conv->out_h,
                             conv->out_w,
                             conv->in_h,
                             conv->in_w,
                             mirrored ? last - conv->pad_h : conv->pad_h,
                             mirrored ? last - conv->pad_w : conv->pad_w,
                             conv->add};
    return any_slide(&args, conv, true, stream);
}

template <class T, int K>
static cudaError_t start_collect(const jsni_any_conv *conv, cudaStream_t stream)
{
    const tiling t = weight_tiling(conv);
    return jsni_launch(conv->stride_h == 1 ? collect<T, K, 1> : collect<T, K, 2>,
                       (long long)t.tiles * conv->splits, WEIGHT_BLOCK, 0, 1, stream,
                       *conv, t);
}

cudaError_t jsni_depthwise_wide_weights(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (conv->half_x)
        return conv->kernel_h == 3 ? start_collect<bf16, 3>(conv, stream)
                                   : start_collect<bf16, 5>(conv, stream);
    return conv->kernel_h == 3 ? start_collect<float, 3>(conv, stream)
                               : start_collect<float, 5>(conv, stream);
}
