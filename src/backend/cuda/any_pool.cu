/* backend/cuda/any_pool.cu - pooling of any shape, each result computed by one thread
 * from all it depends on (so also the gradients need no atomics), and the fused global
 * pool behind the last BatchNorm and ReLU. A maximum's gradient finds its way by the
 * numbers that forward left: looking for the maxima again took longer than a ResNet-50's
 * convolutions of that size.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256;

template <int N> struct alignas(N) numbers {
    uint8_t v[N];
};

struct place {
    long long image;
    int h, w, c;
};

static __device__ __forceinline__ place place_of(long long i, int h, int w,
                                                 int channels)
{
    place p;
    p.c = (int)(i % channels);
    p.w = (int)(i / channels % w);
    p.h = (int)(i / channels / w % h);
    p.image = i / channels / w / h;
    return p;
}

static __device__ __forceinline__ long long input_at(const jsni_any_pool &A,
                                                     const place &p, int h, int w)
{
    return ((p.image * A.in_h + h) * A.in_w + w) * A.channels + p.c;
}

/* ---- maxima: a block makes one row of pixels, a thread N channels of some of them ---- */

/* `at` becomes the number of the first maximum of each window in row-major order; NaN
 * counts as largest. */
template <class T, int N>
static __global__ void __launch_bounds__(BLOCK) max_forward(const jsni_any_pool A)
{
    launch_next();
    launch_wait();
    const int vectors = A.channels / N, oh = blockIdx.x % A.out_h;
    const long long image = blockIdx.x / A.out_h;
    for (int i = threadIdx.x; i < A.out_w * vectors; i += BLOCK) {
        const int ow = i / vectors, c = i % vectors * N;
        vec<T, N> best;
        numbers<N> at;
        bool first = true;
        for (int kh = 0; kh < A.kernel_h; kh++)
            for (int kw = 0; kw < A.kernel_w; kw++) {
                const int h = oh * A.stride_h - A.pad_h + kh;
                const int w = ow * A.stride_w - A.pad_w + kw;
                if (h < 0 || h >= A.in_h || w < 0 || w >= A.in_w)
                    continue;
                vec<T, N> x;
                x.load((const T *)A.x +
                       ((image * A.in_h + h) * A.in_w + w) * A.channels + c);
#pragma unroll
                for (int k = 0; k < N; k++)
                    if (first || x.v[k] > best.v[k] ||
                        (x.v[k] != x.v[k] && best.v[k] == best.v[k])) {
                        best.v[k] = x.v[k];
                        at.v[k] = (uint8_t)(kh * A.kernel_w + kw);
                    }
                first = false;
            }
        const long long to = ((long long)blockIdx.x * A.out_w + ow) * A.channels + c;
        best.store((T *)A.y + to);
        if (A.at)
            *(numbers<N> *)(A.at + to) = at;
    }
}

template <class T, int N>
static __global__ void __launch_bounds__(BLOCK) max_back(const jsni_any_pool A)
{
    launch_next();
    launch_wait();
    const int vectors = A.channels / N;
    const int h = (int)(blockIdx.x % A.in_h) + A.pad_h;
    const long long image = blockIdx.x / A.in_h;
    const int oh0 = h < A.kernel_h ? 0 : (h - A.kernel_h) / A.stride_h + 1;
    const int oh1 = min(h / A.stride_h + 1, A.out_h);
    for (int i = threadIdx.x; i < A.in_w * vectors; i += BLOCK) {
        const int w = i / vectors + A.pad_w, c = i % vectors * N;
        const int ow0 = w < A.kernel_w ? 0 : (w - A.kernel_w) / A.stride_w + 1;
        const int ow1 = min(w / A.stride_w + 1, A.out_w);
        vec<T, N> sum;
#pragma unroll
        for (int k = 0; k < N; k++)
            sum.v[k] = 0.0f;
        /* The windows that hold this pixel. */
        for (int oh = oh0; oh < oh1; oh++)
            for (int ow = ow0; ow < ow1; ow++) {
                const int me = (h - oh * A.stride_h) * A.kernel_w + w - ow * A.stride_w;
                const long long from =
                    ((image * A.out_h + oh) * A.out_w + ow) * A.channels + c;
                const numbers<N> at = *(const numbers<N> *)(A.at + from);
                vec<T, N> dy;
                dy.load((const T *)A.dy + from);
#pragma unroll
                for (int k = 0; k < N; k++)
                    if (at.v[k] == me)
                        sum.v[k] += dy.v[k];
            }
        sum.store((T *)A.dx +
                  ((long long)blockIdx.x * A.in_w + w - A.pad_w) * A.channels + c);
    }
}

template <class T, int N>
static cudaError_t start_max(const jsni_any_pool *p, bool back, cudaStream_t stream)
{
    return back ? jsni_launch(max_back<T, N>, p->images * p->in_h, BLOCK, 0, 1, stream,
                              *p)
                : jsni_launch(max_forward<T, N>, p->images * p->out_h, BLOCK, 0, 1,
                              stream, *p);
}

static cudaError_t any_max(const jsni_any_pool *p, bool back, cudaStream_t stream)
{
    const bool wide = p->channels % (p->half_x ? WIDE<bf16> : WIDE<float>) == 0;
    if (p->half_x)
        return wide ? start_max<bf16, WIDE<bf16>>(p, back, stream)
                    : start_max<bf16, 1>(p, back, stream);
    return wide ? start_max<float, WIDE<float>>(p, back, stream)
                : start_max<float, 1>(p, back, stream);
}

cudaError_t jsni_any_max_pool(const jsni_any_pool *pool, cudaStream_t stream)
{
    return any_max(pool, false, stream);
}

cudaError_t jsni_any_max_pool_back(const jsni_any_pool *pool, cudaStream_t stream)
{
    return any_max(pool, true, stream);
}

/* ---- means: each result by one thread ---- */

enum pool_kind { POOL_AVG, POOL_ADAPTIVE };

/* Cell i of an adaptive pool covers first .. end-1. */
static __device__ __forceinline__ void adaptive_range(int i, int in, int out,
                                                      int &first, int &end)
{
    first = (int)((long long)i * in / out);
    end = (int)(((long long)(i + 1) * in + out - 1) / out);
}

template <pool_kind KIND>
static __global__ void __launch_bounds__(BLOCK) pool_forward(const jsni_any_pool A)
{
    launch_next();
    launch_wait();
    const long long count = A.images * A.out_h * A.out_w * A.channels;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (long long)gridDim.x * BLOCK) {
        const place p = place_of(i, A.out_h, A.out_w, A.channels);
        int h0, h1, w0, w1;
        if (KIND == POOL_ADAPTIVE) {
            adaptive_range(p.h, A.in_h, A.out_h, h0, h1);
            adaptive_range(p.w, A.in_w, A.out_w, w0, w1);
        } else {
            h0 = p.h * A.stride_h - A.pad_h;
            w0 = p.w * A.stride_w - A.pad_w;
            h1 = h0 + A.kernel_h;
            w1 = w0 + A.kernel_w;
        }
        const float cells = (float)((h1 - h0) * (w1 - w0));
        float sum = 0.0f;
        for (int h = h0 > 0 ? h0 : 0; h < h1 && h < A.in_h; h++)
            for (int w = w0 > 0 ? w0 : 0; w < w1 && w < A.in_w; w++)
                sum += fetch(A.x, input_at(A, p, h, w), A.half_x);
        put(A.y, i, sum / cells, A.half_y);
    }
}

template <pool_kind KIND>
static __global__ void __launch_bounds__(BLOCK) pool_back(const jsni_any_pool A)
{
    launch_next();
    launch_wait();
    const long long count = A.images * A.in_h * A.in_w * A.channels;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (long long)gridDim.x * BLOCK) {
        const place p = place_of(i, A.in_h, A.in_w, A.channels);
        float sum = 0.0f;
        /* The windows that may hold this pixel. */
        int oh0 = 0, oh1 = A.out_h, ow0 = 0, ow1 = A.out_w;
        if (KIND != POOL_ADAPTIVE) {
            const int h = p.h + A.pad_h, w = p.w + A.pad_w;
            oh0 = h < A.kernel_h ? 0 : (h - A.kernel_h) / A.stride_h + 1;
            ow0 = w < A.kernel_w ? 0 : (w - A.kernel_w) / A.stride_w + 1;
            oh1 = min(h / A.stride_h + 1, A.out_h);
            ow1 = min(w / A.stride_w + 1, A.out_w);
        }
        for (int oh = oh0; oh < oh1; oh++)
            for (int ow = ow0; ow < ow1; ow++) {
                const long long at =
                    ((p.image * A.out_h + oh) * A.out_w + ow) * A.channels + p.c;
                int h0, h1, w0, w1;
                if (KIND == POOL_AVG) {
                    sum += fetch(A.dy, at, A.half_y) / (float)(A.kernel_h * A.kernel_w);
                } else {
                    adaptive_range(oh, A.in_h, A.out_h, h0, h1);
                    adaptive_range(ow, A.in_w, A.out_w, w0, w1);
                    if (p.h >= h0 && p.h < h1 && p.w >= w0 && p.w < w1)
                        sum +=
                            fetch(A.dy, at, A.half_y) / (float)((h1 - h0) * (w1 - w0));
                }
            }
        put(A.dx, i, sum, A.half_x);
    }
}

/* The gradient of the mean over all pixels: the same for each. A block makes one row. */
template <class T, int N>
static __global__ void __launch_bounds__(BLOCK) spread(const jsni_any_pool A)
{
    launch_next();
    launch_wait();
    const int vectors = A.channels / N, row = A.in_w * vectors;
    const long long image = blockIdx.x / A.in_h;
    const float cells = (float)(A.in_h * A.in_w);
    for (int i = threadIdx.x; i < row; i += BLOCK) {
        const int c = i % vectors * N;
        vec<T, N> dx;
#pragma unroll
        for (int k = 0; k < N; k++)
            dx.v[k] = fetch(A.dy, image * A.channels + c + k, A.half_y) / cells;
        dx.store((T *)A.dx + ((long long)blockIdx.x * row + i) * N);
    }
}

static long long blocks_of(long long count)
{
    const long long needed = (count + BLOCK - 1) / BLOCK;
    return needed < 132 * 32 ? needed : 132 * 32;
}

static long long outputs(const jsni_any_pool *p)
{
    return p->images * p->out_h * p->out_w * p->channels;
}

static long long inputs(const jsni_any_pool *p)
{
    return p->images * p->in_h * p->in_w * p->channels;
}

cudaError_t jsni_any_avg_pool(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(pool_forward<POOL_AVG>, blocks_of(outputs(pool)), BLOCK, 0, 1,
                       stream, *pool);
}

cudaError_t jsni_any_avg_pool_back(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(pool_back<POOL_AVG>, blocks_of(inputs(pool)), BLOCK, 0, 1,
                       stream, *pool);
}

cudaError_t jsni_any_adaptive(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(pool_forward<POOL_ADAPTIVE>, blocks_of(outputs(pool)), BLOCK, 0,
                       1, stream, *pool);
}

cudaError_t jsni_any_adaptive_back(const jsni_any_pool *pool, cudaStream_t stream)
{
    const long long rows = pool->images * pool->in_h;
    if (pool->out_h * pool->out_w == 1 && pool->half_x &&
        pool->channels % WIDE<bf16> == 0)
        return jsni_launch(spread<bf16, WIDE<bf16>>, rows, BLOCK, 0, 1, stream, *pool);
    return jsni_launch(pool_back<POOL_ADAPTIVE>, blocks_of(inputs(pool)), BLOCK, 0, 1,
                       stream, *pool);
}

/* A block is one image and 64 channels: 8 vectors of 8 channels x 32 rows of pixels. */
static __global__ void __launch_bounds__(BLOCK) head_pool(const jsni_any_pool A)
{
    __shared__ float s[32][65];
    launch_next();
    const int tiles = (A.channels + 63) / 64, tile = blockIdx.x % tiles;
    const long long image = blockIdx.x / tiles;
    const int c = tile * 64 + threadIdx.x % 8 * 8, row = threadIdx.x / 8;
    const int view = (int)(image / A.view_images), pixels = A.in_h * A.in_w;
    float sum[8] = {};
    launch_wait();
    if (c < A.channels) {
        const float *a = A.a + view * A.channels + c, *b = A.b + view * A.channels + c;
        for (int p = row; p < pixels; p += 32) {
            vec<bf16, 8> x;
            x.load((const bf16 *)A.x + (image * pixels + p) * A.channels + c);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float v = fmaf(a[i], x.v[i], b[i]);
                sum[i] += v <= 0.0f ? 0.0f : v; /* NaN stays NaN */
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        s[row][threadIdx.x % 8 * 8 + i] = sum[i];
    __syncthreads();
    if (threadIdx.x < 64 && tile * 64 + (int)threadIdx.x < A.channels) {
        float total = 0.0f;
        for (int r = 0; r < 32; r++)
            total += s[r][threadIdx.x];
        ((float *)A.y)[image * A.channels + tile * 64 + threadIdx.x] =
            total / (float)pixels;
    }
}

cudaError_t jsni_head_pool(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(head_pool, pool->images * ((pool->channels + 63) / 64), BLOCK, 0,
                       1, stream, *pool);
}

static __global__ void __launch_bounds__(BLOCK) head_pool_back(const jsni_any_pool A)
{
    __shared__ float s[2][32][65];
    launch_next();
    const int tiles = (A.channels + 63) / 64, tile = blockIdx.x % tiles;
    const long long image = blockIdx.x / tiles;
    const int c = tile * 64 + threadIdx.x % 8 * 8, row = threadIdx.x / 8;
    const int view = (int)(image / A.view_images), pixels = A.in_h * A.in_w;
    float s1[8] = {}, s2[8] = {};
    launch_wait();
    if (c < A.channels) {
        const float *a = A.a + view * A.channels + c, *b = A.b + view * A.channels + c;
        const float *dy = (const float *)A.dy + image * A.channels + c;
        for (int p = row; p < pixels; p += 32) {
            vec<bf16, 8> x, g;
            const long long at = (image * pixels + p) * A.channels + c;
            x.load((const bf16 *)A.x + at);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float open = fmaf(a[i], x.v[i], b[i]) > 0.0f ? 1.0f : 0.0f;
                g.v[i] = widen(narrow<bf16>(open * dy[i] / (float)pixels));
                s1[i] += g.v[i];
                s2[i] = fmaf(g.v[i], x.v[i], s2[i]);
            }
            g.store((bf16 *)A.dx + at);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        s[0][row][threadIdx.x % 8 * 8 + i] = s1[i];
        s[1][row][threadIdx.x % 8 * 8 + i] = s2[i];
    }
    __syncthreads();
    const int q = threadIdx.x / 64, k = threadIdx.x % 64;
    if (q < 2 && tile * 64 + k < A.channels) {
        float total = 0.0f;
        for (int r = 0; r < 32; r++)
            total += s[q][r][k];
        A.part[(image * 2 + q) * A.channels + tile * 64 + k] = total;
    }
}

cudaError_t jsni_head_pool_back(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(head_pool_back, pool->images * ((pool->channels + 63) / 64),
                       BLOCK, 0, 1, stream, *pool);
}
