/* backend/cuda/conv3x3_fp32.cu - 3x3 convolutions of stride 1 in strict fp32, channels in
 * multiples of 32, any image and padding: products of tiles in shared memory. A warp
 * makes 32 x 32 results, 8 x 4 a thread; the operands come by asynchronous copies, one
 * or two stages ahead. Sums have a fixed order.
 *
 *   forward           [pixels out] x [co], over (tap, 32 of ci)
 *   backward-data     [pixels in]  x [ci], over (tap, 32 of co)
 *   backward-weights  [32 of co] x [32 of ci], a warp for each tap, over the pixels out,
 *                     cut into splits
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int TAPS = 9, DEPTH = 32;
constexpr int PITCH = DEPTH + 4; /* rows begin 4 banks apart */

/* 16 bytes, or zeros where `in` is false; then nothing is read. */
static __device__ __forceinline__ void copy16_if(uint32_t to, const void *from, bool in)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(in ? 16 : 0)
                 : "memory");
}

static __device__ __forceinline__ void
multiply_add(float (&acc)[8][4], const float (&a)[8], const float (&b)[4])
{
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
}

/* ---- forward and backward-data ---- */

/* 8 warps, WN of them side by side over the columns. */
template <int WN> struct tile {
    static constexpr int THREADS = 256, ROWS = 8 / WN * 32, COLUMNS = WN * 32;
    static constexpr int A = ROWS * PITCH; /* [row][DEPTH] */
    /* [column][DEPTH] forward, [DEPTH][column], 4 more a row, backward */
    static constexpr int B = COLUMNS * PITCH > DEPTH *(COLUMNS + 4)
                                 ? COLUMNS *PITCH
                                 : DEPTH *(COLUMNS + 4);
    static constexpr int STAGE = A + B, BYTES = 2 * STAGE * 4;
    static constexpr int MINE = ROWS / 32; /* rows that a thread copies */
};

/* The pixels that a thread copies: where each lies under the first tap, and under which
 * taps it is inside of the image. */
template <int MINE> struct pixels_of {
    int at[MINE];
    uint32_t inside[MINE];
};

/* Backward-data is the forward product with the taps walked backwards: the gradient of
 * input pixel h is made of the outputs h + pad - kh. */
template <bool BACK, int MINE>
static __device__ __forceinline__ void
find_pixels(pixels_of<MINE> &p, const jsni_any_conv &A, int row0, int rows, int inner)
{
    const int to_w = BACK ? A.in_w : A.out_w, plane = to_w * (BACK ? A.in_h : A.out_h);
    const int from_h = BACK ? A.out_h : A.in_h, from_w = BACK ? A.out_w : A.in_w;
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int row = row0 + 32 * i, q = row % plane;
        const int h = BACK ? q / to_w + A.pad_h : q / to_w - A.pad_h;
        const int w = BACK ? q % to_w + A.pad_w : q % to_w - A.pad_w;
        p.at[i] = (row / plane * from_h * from_w + h * from_w + w) * inner;
        p.inside[i] = 0;
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) {
            const int y = BACK ? h - tap / 3 : h + tap / 3;
            const int x = BACK ? w - tap % 3 : w + tap % 3;
            if (row < rows && y >= 0 && y < from_h && x >= 0 && x < from_w)
                p.inside[i] |= 1u << tap;
        }
    }
}

template <int WN, bool BACK>
static __global__ void __launch_bounds__(256, 2) fp32_rows(const jsni_any_conv A)
{
    using T = tile<WN>;
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    const int columns = BACK ? A.in_channels : A.out_channels;
    const int inner = BACK ? A.out_channels : A.in_channels;
    const int from_w = BACK ? A.out_w : A.in_w, slices = inner / DEPTH;
    const int rows = (int)A.images * (BACK ? A.in_h * A.in_w : A.out_h * A.out_w);
    const int across = columns / T::COLUMNS;
    const int row0 = (int)(blockIdx.x / across) * T::ROWS;
    const int column0 = (int)(blockIdx.x % across) * T::COLUMNS;
    const float *from = (const float *)(BACK ? A.y : A.x), *w = (const float *)A.w;
    const int chunk = threadIdx.x % 8 * 4, copier = threadIdx.x / 8;
    pixels_of<T::MINE> pixels;
    find_pixels<BACK>(pixels, A, row0 + copier, rows, inner);
    auto load = [&](int step) {
        float *a = shared + step % 2 * T::STAGE, *b = a + T::A;
        const int tap = step / slices, c0 = step % slices * DEPTH;
        const int ahead = (tap / 3 * from_w + tap % 3) * inner;
        const int shift = (BACK ? -ahead : ahead) + c0 + chunk;
#pragma unroll
        for (int i = 0; i < T::MINE; i++) {
            const bool in = pixels.inside[i] >> tap & 1;
            copy16_if(shared_address(a + (copier + 32 * i) * PITCH + chunk),
                      from + (in ? pixels.at[i] + shift : 0), in);
        }
#pragma unroll
        for (int i = 0; i < WN; i++) {
            if (BACK) { /* WN * 8 threads copy the columns of one output channel */
                const int at = threadIdx.x + 256 * i;
                const int k = at / (WN * 8), column = at % (WN * 8) * 4;
                copy16_if(shared_address(b + k * (T::COLUMNS + 4) + column),
                          w + ((c0 + k) * TAPS + tap) * columns + column0 + column,
                          true);
            } else {
                const int column = copier + 32 * i;
                copy16_if(shared_address(b + column * PITCH + chunk),
                          w + ((column0 + column) * TAPS + tap) * inner + c0 + chunk,
                          true);
            }
        }
    };
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tx = lane % 8, ty = lane / 8;
    const int my_row = warp / WN * 32 + ty, my_column = warp % WN * 32;
    float acc[8][4] = {};
    load(0);
    copy_commit();
    for (int step = 0; step < TAPS * slices; step++) {
        copy_wait<0>();
        __syncthreads();
        if (step + 1 < TAPS * slices)
            load(step + 1);
        copy_commit();
        const float *a = shared + step % 2 * T::STAGE, *b = a + T::A;
#pragma unroll
        for (int k = 0; k < DEPTH; k += 4) {
            float4 u[8], v[4];
#pragma unroll
            for (int i = 0; i < 8; i++)
                u[i] = *(const float4 *)(a + (my_row + 4 * i) * PITCH + k);
#pragma unroll
            for (int j = 0; j < 4; j++)
                v[j] =
                    *(const float4 *)(BACK ? b + (k + j) * (T::COLUMNS + 4) +
                                                 my_column + tx * 4
                                           : b + (my_column + tx + 8 * j) * PITCH + k);
#pragma unroll
            for (int s = 0; s < 4; s++) {
                float x[8], y[4];
#pragma unroll
                for (int i = 0; i < 8; i++)
                    x[i] = ((const float *)&u[i])[s];
#pragma unroll
                for (int j = 0; j < 4; j++)
                    y[j] = BACK ? ((const float *)&v[s])[j] : ((const float *)&v[j])[s];
                multiply_add(acc, x, y);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = row0 + my_row + 4 * i;
        if (row >= rows)
            continue;
        if (BACK) {
            float4 *to = (float4 *)((float *)A.dx + row * columns + column0 +
                                    my_column + tx * 4);
            float4 sum = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
            if (A.add) {
                const float4 old = *to;
                sum = make_float4(sum.x + old.x, sum.y + old.y, sum.z + old.z,
                                  sum.w + old.w);
            }
            *to = sum;
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int column = column0 + my_column + tx + 8 * j;
                ((float *)A.y)[row * columns + column] =
                    acc[i][j] + (A.bias ? A.bias[column] : 0.0f);
            }
        }
    }
}

/* ---- backward-weights ---- */

constexpr int WEIGHT_THREADS = TAPS * 32, PIXELS = 16, RING = 3;
constexpr int SLOT = PIXELS * 32;             /* floats: 32 channels of PIXELS pixels */
constexpr int RING_STAGE = (1 + TAPS) * SLOT; /* dy, then x under each tap */
constexpr int WEIGHT_BYTES = RING * RING_STAGE * 4;

static __global__ void __launch_bounds__(WEIGHT_THREADS, 2)
    fp32_weights(const jsni_any_conv A)
{
    extern __shared__ __align__(16) float shared[];
    launch_next();
    launch_wait();
    const int across = A.in_channels / 32, down = A.out_channels / 32;
    const int ci0 = (int)(blockIdx.x % across) * 32;
    const int co0 = (int)(blockIdx.x / across % down) * 32;
    const int split = (int)(blockIdx.x / across / down);
    const int plane = A.out_h * A.out_w;
    const long long pixels = A.images * plane;
    const int first = (int)(pixels * split / A.splits);
    const int end = (int)(pixels * (split + 1) / A.splits);
    const int steps = (end - first + PIXELS - 1) / PIXELS;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    /* The first 8 warps copy, two rows of 16 pixels each time: dy and the odd taps, the
     * even taps. A thread stays with its 16 bytes of every 16th pixel. */
    const int chunk = threadIdx.x % 8 * 4, pixel = threadIdx.x / 8 % PIXELS;
    const int half = threadIdx.x / 8 / PIXELS;
    const float *dy = (const float *)A.y + co0 + chunk;
    const float *x = (const float *)A.x + ci0 + chunk;
    int p = first + pixel, image = p / plane, h = p % plane / A.out_w, w = p % A.out_w;
    auto load =
        [&](int step) { /* of the next stage; `step` says where to */
                        if (warp == TAPS - 1)
                            return;
                        float *to =
                            shared + step % RING * RING_STAGE + pixel * 32 + chunk;
                        const int at =
                            ((image * A.in_h + h - A.pad_h) * A.in_w + w - A.pad_w) *
                            A.in_channels;
#pragma unroll
                        for (int i = 0; i < (1 + TAPS) / 2; i++) {
                            const int slot = 2 * i + half, tap = slot - 1;
                            const int y = h - A.pad_h + tap / 3,
                                      z = w - A.pad_w + tap % 3;
                            bool in = p < end;
                            const float *from;
                            if (slot == 0) {
                                from = dy + (in ? p * A.out_channels : 0);
                            } else {
                                in = in && y >= 0 && y < A.in_h && z >= 0 && z < A.in_w;
                                from = x + (in ? at + (tap / 3 * A.in_w + tap % 3) *
                                                          A.in_channels
                                               : 0);
                            }
                            copy16_if(shared_address(to + slot * SLOT), from, in);
                        }
                        p += PIXELS;
                        for (w += PIXELS; w >= A.out_w; w -= A.out_w)
                            if (++h == A.out_h) {
                                h = 0;
                                image++;
                            }
        };
    const int tx = lane % 8, ty = lane / 8;
    float acc[8][4] = {};
#pragma unroll
    for (int s = 0; s < RING - 1; s++) {
        if (s < steps)
            load(s);
        copy_commit();
    }
    for (int step = 0; step < steps; step++) {
        copy_wait<RING - 2>();
        __syncthreads();
        if (step + RING - 1 < steps)
            load(step + RING - 1);
        copy_commit();
        const float *a = shared + step % RING * RING_STAGE + ty * 8;
        const float *b = shared + step % RING * RING_STAGE + (1 + warp) * SLOT + tx * 4;
#pragma unroll
        for (int k = 0; k < PIXELS; k++) {
            const float4 u = *(const float4 *)(a + k * 32);
            const float4 t = *(const float4 *)(a + k * 32 + 4);
            const float4 v = *(const float4 *)(b + k * 32);
            const float left[8] = {u.x, u.y, u.z, u.w, t.x, t.y, t.z, t.w};
            const float right[4] = {v.x, v.y, v.z, v.w};
            multiply_add(acc, left, right);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const long long row = (long long)split * A.out_channels + co0 + ty * 8 + i;
        *(float4 *)(A.part + (row * TAPS + warp) * A.in_channels + ci0 + tx * 4) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}

/* ---- which shapes, and the calls ---- */

bool jsni_conv3x3_fp32_takes(const jsni_any_conv *c)
{
    const long long most = 1ll << 31; /* places in a tensor are counted in int */
    return !c->plain && !c->half_x && !c->half_y && !c->half_w &&
           c->in_channels % 32 == 0 && c->out_channels % 32 == 0 && c->kernel_h == 3 &&
           c->kernel_w == 3 && c->stride_h == 1 && c->stride_w == 1 &&
           (c->images + 1) * c->in_h * c->in_w * c->in_channels < most &&
           (c->images + 1) * c->out_h * c->out_w * c->out_channels < most;
}

/* Two blocks for each multiprocessor of the largest chips. */
int jsni_conv3x3_fp32_splits(const jsni_any_conv *c)
{
    const long long tiles = (long long)(c->in_channels / 32) * (c->out_channels / 32);
    const long long most = c->images * c->out_h * c->out_w / (4 * PIXELS);
    long long splits = (2 * 132 + tiles - 1) / tiles;
    splits = splits < most ? splits : most;
    return splits < 1 ? 1 : (int)splits;
}

template <int WN, bool BACK>
static cudaError_t launch_rows(const jsni_any_conv *c, cudaStream_t stream)
{
    using T = tile<WN>;
    const long long rows = c->images * (BACK ? c->in_h * c->in_w : c->out_h * c->out_w);
    const int columns = BACK ? c->in_channels : c->out_channels;
    return jsni_launch(fp32_rows<WN, BACK>,
                       (rows + T::ROWS - 1) / T::ROWS * (columns / T::COLUMNS),
                       T::THREADS, T::BYTES, 1, stream, *c);
}

cudaError_t jsni_conv3x3_fp32_forward(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->out_channels % 64 == 0 ? launch_rows<2, false>(c, stream)
                                     : launch_rows<1, false>(c, stream);
}

cudaError_t jsni_conv3x3_fp32_data(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->in_channels % 64 == 0 ? launch_rows<2, true>(c, stream)
                                    : launch_rows<1, true>(c, stream);
}

cudaError_t jsni_conv3x3_fp32_weights(const jsni_any_conv *c, cudaStream_t stream)
{
    const long long tiles = (long long)(c->in_channels / 32) * (c->out_channels / 32);
    return jsni_launch(fp32_weights, tiles * c->splits, WEIGHT_THREADS, WEIGHT_BYTES, 1,
                       stream, *c);
}
