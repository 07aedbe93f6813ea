/* backend/cuda/any_pool.cu - pooling of any shape, each result computed by one thread
 * from all it depends on (so also the gradients need no atomics), and the fused global
 * pool behind the last BatchNorm and ReLU.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256;

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

/* The first maximum of window (oh, ow) in row-major order; NaN counts as largest. */
static __device__ __forceinline__ float
window_max(const jsni_any_pool &A, const place &p, int oh, int ow, int &at_h, int &at_w)
{
    float best = -INFINITY;
    at_h = at_w = -1;
    for (int kh = 0; kh < A.kernel_h; kh++)
        for (int kw = 0; kw < A.kernel_w; kw++) {
            const int h = oh * A.stride_h - A.pad_h + kh;
            const int w = ow * A.stride_w - A.pad_w + kw;
            if (h < 0 || h >= A.in_h || w < 0 || w >= A.in_w)
                continue;
            const float v = fetch(A.x, input_at(A, p, h, w), A.half_x);
            if (at_h < 0 || v > best || (v != v && best == best)) {
                best = v;
                at_h = h;
                at_w = w;
            }
        }
    return best;
}

enum pool_kind { POOL_MAX, POOL_AVG, POOL_ADAPTIVE };

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
        if (KIND == POOL_MAX) {
            put(A.y, i, window_max(A, p, p.h, p.w, h0, w0), A.half_y);
            continue;
        }
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
                if (KIND == POOL_MAX) {
                    window_max(A, p, oh, ow, h0, w0);
                    if (h0 == p.h && w0 == p.w)
                        sum += fetch(A.dy, at, A.half_y);
                } else if (KIND == POOL_AVG) {
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

cudaError_t jsni_any_max_pool(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(pool_forward<POOL_MAX>, blocks_of(outputs(pool)), BLOCK, 0, 1,
                       stream, *pool);
}

cudaError_t jsni_any_max_pool_back(const jsni_any_pool *pool, cudaStream_t stream)
{
    return jsni_launch(pool_back<POOL_MAX>, blocks_of(inputs(pool)), BLOCK, 0, 1,
                       stream, *pool);
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
