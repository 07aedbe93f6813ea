/* backend/cuda/any_conv.cu - convolution and linear layers of any shape with the products in
 * fp32: tiles of 64 x 64 results, the operands gathered by index: the answer wherever
 * neither an own kernel nor cuDNN fits. What the kernels for few shapes take is handed on
 * to them.
 *
 *   forward           [pixels out] x [co],  over (kh, kw, ci)
 *   backward-data     [pixels in]  x [ci],  over (kh, kw, co)
 *   backward-weights  [co] x [kh, kw, ci],  over the pixels out, cut into splits whose
 *                     sums are added in order
 *
 * A block has 64 x 64 results, a thread 4 x 4 neighbours of them:
 *
 *             column 0-3    4-7   ...  60-63     In shared memory, 16 of the inner dimension
 *           +--------+--------+-----+--------+   at a time, [16][64 + 4] floats of each:
 *   row 0-3 |  0     |  1     | ... | 15     |
 *           +--------+--------+-----+--------+     a: row 0 1 2 ... 63, spare 4
 *       4-7 | 16     | 17     | ... | 31     |     b: column 0 1 2 ... 63, spare 4
 *           +--------+--------+-----+--------+
 *     ...                                        Both lie so that a thread reads 4 at once.
 *     60-63 | 240    | 241    | ... | 255    |
 *           +--------+--------+-----+--------+
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

constexpr int BLOCK = 256, TILE = 64, DEPTH = 16;
constexpr int MINE = 4;             /* rows and columns of a thread */
constexpr int ACROSS = TILE / MINE; /* threads side by side */
constexpr int PITCH = TILE + 4;     /* floats */
constexpr int DEVICE = 132;         /* multiprocessors of the largest chips */
/* Two blocks a multiprocessor: a first layer has a single tile of weights. */
constexpr int MOST_SPLITS = 2 * DEVICE;

/* The inner product of both tiles, 4 x 4 results a thread. */
static __device__ __forceinline__ void
products(float (&acc)[MINE][MINE], const float (*a)[PITCH], const float (*b)[PITCH])
{
    const int ty = threadIdx.x / ACROSS, tx = threadIdx.x % ACROSS;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const float4 u = *(const float4 *)&a[k][ty * MINE];
        const float4 v = *(const float4 *)&b[k][tx * MINE];
        const float x[MINE] = {u.x, u.y, u.z, u.w}, y[MINE] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < MINE; i++)
#pragma unroll
            for (int j = 0; j < MINE; j++)
                acc[i][j] = fmaf(x[i], y[j], acc[i][j]);
    }
}

/* BACK: gradient of the input. */
template <bool BACK>
static __global__ void __launch_bounds__(BLOCK) conv_rows(const jsni_any_conv A)
{
    __shared__ __align__(16) float a[DEPTH][PITCH], b[DEPTH][PITCH];
    launch_next();
    launch_wait();
    const int columns = BACK ? A.in_channels : A.out_channels;
    const int inner = BACK ? A.out_channels : A.in_channels;
    const int to_h = BACK ? A.in_h : A.out_h, to_w = BACK ? A.in_w : A.out_w;
    const int from_h = BACK ? A.out_h : A.in_h, from_w = BACK ? A.out_w : A.in_w;
    const int depth = A.kernel_h * A.kernel_w * inner;
    const long long rows = A.images * to_h * to_w;
    const long long tiles = (columns + TILE - 1) / TILE;
    const long long row0 = blockIdx.x / tiles * TILE;
    const int column0 = (int)(blockIdx.x % tiles) * TILE;
    const void *from = BACK ? A.y : A.x;
    const bool half = BACK ? A.half_y : A.half_x;
    const int kk = threadIdx.x % DEPTH, r0 = threadIdx.x / DEPTH;
    long long image[MINE];
    int h0[MINE], w0[MINE];
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const long long row = row0 + r0 + BLOCK / DEPTH * i;
        const int p = (int)(row % ((long long)to_h * to_w));
        image[i] = row < rows ? row / ((long long)to_h * to_w) : -1;
        h0[i] = BACK ? p / to_w + A.pad_h : p / to_w * A.stride_h - A.pad_h;
        w0[i] = BACK ? p % to_w + A.pad_w : p % to_w * A.stride_w - A.pad_w;
    }
    float acc[MINE][MINE] = {};
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        const int k = k0 + kk, c = k % inner, tap = k / inner;
        const int kh = tap / A.kernel_w, kw = tap % A.kernel_w;
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            int h = BACK ? h0[i] - kh : h0[i] + kh, w = BACK ? w0[i] - kw : w0[i] + kw;
            bool in = k < depth && image[i] >= 0 && h >= 0 && w >= 0;
            if (BACK) {
                in = in && h % A.stride_h == 0 && w % A.stride_w == 0;
                h /= A.stride_h;
                w /= A.stride_w;
            }
            in = in && h < from_h && w < from_w;
            const long long at = ((image[i] * from_h + h) * from_w + w) * inner + c;
            a[kk][r0 + BLOCK / DEPTH * i] = in ? fetch(from, at, half) : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const int e = threadIdx.x + BLOCK * i;
            const int bk = BACK ? e / TILE : e % DEPTH,
                      bc = BACK ? e % TILE : e / DEPTH;
            const int kb = k0 + bk, column = column0 + bc;
            const int cb = kb % inner, tapb = kb / inner;
            const int taps = A.kernel_h * A.kernel_w;
            const long long at =
                BACK ? ((long long)cb * taps + tapb) * A.in_channels + column
                     : (long long)column * depth + kb;
            b[bk][bc] =
                kb < depth && column < columns ? fetch(A.w, at, A.half_w) : 0.0f;
        }
        __syncthreads();
        products(acc, a, b);
        __syncthreads();
    }
    const int ty = threadIdx.x / ACROSS, tx = threadIdx.x % ACROSS;
#pragma unroll
    for (int i = 0; i < MINE; i++)
#pragma unroll
        for (int j = 0; j < MINE; j++) {
            const long long row = row0 + ty * MINE + i, at = row * columns + column0;
            const int column = column0 + tx * MINE + j;
            if (row >= rows || column >= columns)
                continue;
            float v = acc[i][j];
            if (!BACK && A.bias)
                v += A.bias[column];
            if (BACK && A.add)
                v += fetch(A.dx, at + tx * MINE + j, A.half_x);
            put(BACK ? A.dx : A.y, at + tx * MINE + j, v, BACK ? A.half_x : A.half_y);
        }
}

static __global__ void __launch_bounds__(BLOCK) conv_weights(const jsni_any_conv A)
{
    __shared__ __align__(16) float a[DEPTH][PITCH], b[DEPTH][PITCH];
    launch_next();
    launch_wait();
    const int columns = A.kernel_h * A.kernel_w * A.in_channels;
    const int tiles = (columns + TILE - 1) / TILE;
    const int row_tiles = (A.out_channels + TILE - 1) / TILE;
    const int column0 = (int)(blockIdx.x % tiles) * TILE;
    const int row0 = (int)(blockIdx.x / tiles % row_tiles) * TILE;
    const int split = (int)(blockIdx.x / tiles / row_tiles);
    const long long pixels = A.images * A.out_h * A.out_w;
    const long long first = pixels * split / A.splits;
    const long long end = pixels * (split + 1) / A.splits;
    const int lane = threadIdx.x % TILE, k1 = threadIdx.x / TILE;
    const int column = column0 + lane, tap = column / A.in_channels;
    const int c = column % A.in_channels, kh = tap / A.kernel_w, kw = tap % A.kernel_w;
    float acc[MINE][MINE] = {};
    for (long long k0 = first; k0 < end; k0 += DEPTH) {
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const int kk = k1 + BLOCK / TILE * i;
            const long long k = k0 + kk;
            a[kk][lane] = k < end && row0 + lane < A.out_channels
                              ? fetch(A.y, k * A.out_channels + row0 + lane, A.half_y)
                              : 0.0f;
            const long long image = k / ((long long)A.out_h * A.out_w);
            const int p = (int)(k % ((long long)A.out_h * A.out_w));
            const int h = p / A.out_w * A.stride_h - A.pad_h + kh;
            const int w = p % A.out_w * A.stride_w - A.pad_w + kw;
            const bool in = k < end && column < columns && h >= 0 && h < A.in_h &&
                            w >= 0 && w < A.in_w;
            const long long at =
                ((image * A.in_h + h) * A.in_w + w) * A.in_channels + c;
            b[kk][lane] = in ? fetch(A.x, at, A.half_x) : 0.0f;
        }
        __syncthreads();
        products(acc, a, b);
        __syncthreads();
    }
    const int ty = threadIdx.x / ACROSS, tx = threadIdx.x % ACROSS;
#pragma unroll
    for (int i = 0; i < MINE; i++)
#pragma unroll
        for (int j = 0; j < MINE; j++) {
            const int row = row0 + ty * MINE + i, to = column0 + tx * MINE + j;
            if (row < A.out_channels && to < columns)
                A.part[((long long)split * A.out_channels + row) * columns + to] =
                    acc[i][j];
        }
}

/* ---- linear layers with few outputs: the classifier ---- */

constexpr int FEW = 32;

static bool is_small(const jsni_any_conv *c)
{
    return c->in_h * c->in_w == 1 && c->kernel_h * c->kernel_w == 1 && c->pad_h == 0 &&
           c->pad_w == 0 && c->out_channels <= FEW && !c->half_x && !c->half_y &&
           !c->half_w;
}

/* A warp makes one row of outputs. */
static __global__ void __launch_bounds__(BLOCK) small_forward(const jsni_any_conv A)
{
    launch_next();
    launch_wait();
    const int lane = threadIdx.x & 31, C = A.in_channels;
    const long long row = (long long)blockIdx.x * (BLOCK / 32) + (threadIdx.x >> 5);
    if (row >= A.images)
        return;
    float sum[FEW] = {};
    for (int k = lane; k < C; k += 32) {
        const float x = ((const float *)A.x)[row * C + k];
#pragma unroll
        for (int o = 0; o < FEW; o++)
            if (o < A.out_channels)
                sum[o] = fmaf(x, ((const float *)A.w)[(long long)o * C + k], sum[o]);
    }
#pragma unroll
    for (int o = 0; o < FEW; o++)
        if (o < A.out_channels) {
            for (int d = 16; d > 0; d >>= 1)
                sum[o] += __shfl_xor_sync(~0u, sum[o], d);
            if (lane == 0)
                ((float *)A.y)[row * A.out_channels + o] =
                    sum[o] + (A.bias ? A.bias[o] : 0.0f);
        }
}

static __global__ void __launch_bounds__(BLOCK) small_data(const jsni_any_conv A)
{
    launch_next();
    launch_wait();
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= A.images * A.in_channels)
        return;
    const long long row = i / A.in_channels, k = i % A.in_channels;
    float sum = 0.0f;
    for (int o = 0; o < A.out_channels; o++)
        sum = fmaf(((const float *)A.y)[row * A.out_channels + o],
                   ((const float *)A.w)[(long long)o * A.in_channels + k], sum);
    float *dx = (float *)A.dx + i;
    *dx = A.add ? *dx + sum : sum;
}

constexpr int RUNS = 8, RUN = BLOCK / RUNS;

/* A block makes RUN inputs of one output: RUNS runs over the rows, then their sum. */
static __global__ void __launch_bounds__(BLOCK) small_weights(const jsni_any_conv A)
{
    __shared__ float s[RUNS][RUN];
    launch_next();
    launch_wait();
    const int x = threadIdx.x % RUN, y = threadIdx.x / RUN, C = A.in_channels;
    const int tiles = (C + RUN - 1) / RUN, o = blockIdx.x / tiles,
              k = blockIdx.x % tiles * RUN + x;
    float sum = 0.0f;
    if (k < C)
#pragma unroll 8
        for (long long row = y; row < A.images; row += RUNS)
            sum = fmaf(((const float *)A.y)[row * A.out_channels + o],
                       ((const float *)A.x)[row * C + k], sum);
    s[y][x] = sum;
    __syncthreads();
    if (y || k >= C)
        return;
    for (int r = 1; r < RUNS; r++)
        sum += s[r][x];
    A.part[(long long)o * C + k] = sum;
}

static long long tiles_of(long long count)
{
    return (count + TILE - 1) / TILE;
}

int jsni_any_conv_splits(const jsni_any_conv *conv)
{
    if (conv->depthwise)
        return jsni_depthwise_splits(conv);
    if (is_small(conv))
        return 1;
    if (jsni_conv3x3_float_takes(conv))
        return jsni_conv3x3_float_splits(conv);
    if (jsni_strided_weights_takes(conv))
        return jsni_strided_weights_splits(conv);
    const long long tiles =
        tiles_of(conv->out_channels) *
        tiles_of((long long)conv->kernel_h * conv->kernel_w * conv->in_channels);
    const long long pixels = conv->images * conv->out_h * conv->out_w;
    long long splits = 4 * DEVICE / tiles;
    const long long most = pixels / (4 * DEPTH);
    splits = splits < most ? splits : most;
    return splits < 1 ? 1 : splits > MOST_SPLITS ? MOST_SPLITS : (int)splits;
}

cudaError_t jsni_any_conv_forward(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (conv->depthwise)
        return jsni_depthwise_forward(conv, stream);
    if (jsni_conv3x3_float_takes(conv))
        return conv->tf32 ? jsni_conv_tf32_forward(conv, stream)
                          : jsni_conv_fp32_forward(conv, stream);
    if (is_small(conv))
        return jsni_launch(small_forward,
                           (conv->images + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK, 0, 1,
                           stream, *conv);
    const long long blocks = tiles_of(conv->images * conv->out_h * conv->out_w) *
                             tiles_of(conv->out_channels);
    return jsni_launch(conv_rows<false>, blocks, BLOCK, 0, 1, stream, *conv);
}

cudaError_t jsni_any_conv_data(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (conv->depthwise)
        return jsni_depthwise_data(conv, stream);
    if (jsni_conv3x3_float_takes(conv))
        return conv->tf32 ? jsni_conv_tf32_data(conv, stream)
                          : jsni_conv_fp32_data(conv, stream);
    if (is_small(conv))
        return jsni_launch(small_data,
                           (conv->images * conv->in_channels + BLOCK - 1) / BLOCK,
                           BLOCK, 0, 1, stream, *conv);
    const long long blocks =
        tiles_of(conv->images * conv->in_h * conv->in_w) * tiles_of(conv->in_channels);
    return jsni_launch(conv_rows<true>, blocks, BLOCK, 0, 1, stream, *conv);
}

cudaError_t jsni_any_conv_weights(const jsni_any_conv *conv, cudaStream_t stream)
{
    if (conv->depthwise)
        return jsni_depthwise_weights(conv, stream);
    if (jsni_conv3x3_float_takes(conv))
        return conv->tf32 ? jsni_conv_tf32_weights(conv, stream)
                          : jsni_conv_fp32_weights(conv, stream);
    if (jsni_strided_weights_takes(conv))
        return jsni_strided_weights(conv, stream);
    if (is_small(conv))
        return jsni_launch(small_weights,
                           (long long)conv->out_channels *
                               ((conv->in_channels + RUN - 1) / RUN),
                           BLOCK, 0, 1, stream, *conv);
    const long long blocks =
        tiles_of(conv->out_channels) *
        tiles_of((long long)conv->kernel_h * conv->kernel_w * conv->in_channels) *
        conv->splits;
    return jsni_launch(conv_weights, blocks, BLOCK, 0, 1, stream, *conv);
}

static __global__ void __launch_bounds__(BLOCK)
    weight_sum(const void *part, int splits, bool half, float *gradient,
               int out_channels, int in_channels, int taps)
{
    launch_next();
    launch_wait();
    const long long count = (long long)out_channels * in_channels * taps;
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0.0f;
#pragma unroll 16
    for (int s = 0; s < splits; s++)
        sum += fetch(part, s * count + i, half);
    const long long c = i % in_channels, tap = i / in_channels % taps;
    const long long out = i / in_channels / taps;
    gradient[(out * in_channels + c) * taps + tap] = sum;
}

cudaError_t jsni_any_weight_sum(const void *part, int splits, bool half,
                                float *gradient, int out_channels, int in_channels,
                                int taps, cudaStream_t stream)
{
    const long long count = (long long)out_channels * in_channels * taps;
    return jsni_launch(weight_sum, (count + BLOCK - 1) / BLOCK, BLOCK, 0, 1, stream,
                       part, splits, half, gradient, out_channels, in_channels, taps);
}
