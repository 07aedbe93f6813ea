/* backend/cuda/conv_strided.cu - convolutions of stride 2 in bf16, forward and the gradient of
 * the input (window 1x1 or 3x3, channels in multiples of 32, even images): products by
 * mma.sync with fp32 accumulation, sums in a fixed order.
 *
 *   forward        [pixels out] x [co], over (tap, 32 of ci)
 *   backward-data  [pixels in]  x [ci], over (tap, 32 of co). Input pixels that share the
 *                  parities of their row and column are reached by the same taps, from 0
 *                  to 4 of them, so every parity is a product of its own, with as many
 *                  rows as there are output pixels.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int BLOCK = 128, ROWS = 128, DEPTH = 32, RING = 3, MINE = ROWS / 32;

/* 16 bytes, or zeros where `in` is false; then nothing is read. */
static __device__ __forceinline__ void copy16_if(uint32_t to, const void *from, bool in)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(in ? 16 : 0)
                 : "memory");
}

template <int COLUMNS> struct strided {
    static constexpr int A = ROWS * DEPTH * 2;    /* bytes: pixels, [row][channel] */
    static constexpr int B = DEPTH * COLUMNS * 2; /* weights, [co][ci] */
    static constexpr int STAGE = A + B;
    static constexpr int PITCH = COLUMNS + 4; /* floats of a row of results */
    static constexpr int BYTES =
        RING * STAGE > ROWS *PITCH * 4 ? RING *STAGE : ROWS *PITCH * 4;
};

/* Which rows, columns and taps a block has. */
struct strided_part {
    int rows, row0, column0;
    int odd_h, odd_w;           /* backward: parities of the input pixels */
    int first_h, first_w, step; /* of the taps */
    int taps_w, slices, steps;
};

template <int COLUMNS, bool BACK>
static __device__ __forceinline__ strided_part find_part(const jsni_any_conv &A)
{
    strided_part s;
    const int across = (BACK ? A.in_channels : A.out_channels) / COLUMNS;
    s.rows = (int)A.images * A.out_h * A.out_w;
    const int tiles = (s.rows + ROWS - 1) / ROWS * across;
    /* The parities with the most taps begin: odd rows and columns of a padded 3x3. */
    const int parity = BACK ? 3 - (int)(blockIdx.x / tiles) : 0;
    const int tile = (int)(blockIdx.x % tiles);
    s.row0 = tile / across * ROWS;
    s.column0 = tile % across * COLUMNS;
    s.odd_h = parity >> 1;
    s.odd_w = parity & 1;
    s.step = BACK ? 2 : 1;
    s.first_h = BACK ? (s.odd_h + A.pad_h) & 1 : 0;
    s.first_w = BACK ? (s.odd_w + A.pad_w) & 1 : 0;
    s.taps_w = (A.kernel_w - s.first_w + s.step - 1) / s.step;
    s.slices = (BACK ? A.out_channels : A.in_channels) / DEPTH;
    s.steps = (A.kernel_h - s.first_h + s.step - 1) / s.step * s.taps_w * s.slices;
    return s;
}

/* Adds 8 results to what is there, or writes them. */
static __device__ __forceinline__ void put8(bf16 *to, const float *v, bool add)
{
    uint4 u = add ? *(const uint4 *)to : make_uint4(0, 0, 0, 0);
    uint32_t *w = (uint32_t *)&u;
#pragma unroll
    for (int i = 0; i < 4; i++)
        w[i] = pack(low(w[i]) + v[2 * i], high(w[i]) + v[2 * i + 1]);
    *(uint4 *)to = u;
}

template <int COLUMNS, bool BACK>
static __global__ void __launch_bounds__(BLOCK) strided_conv(const jsni_any_conv A)
{
    using S = strided<COLUMNS>;
    extern __shared__ __align__(128) char shared[];
    launch_next();
    launch_wait();
    const uint32_t ring = shared_address(shared);
    const strided_part part = find_part<COLUMNS, BACK>(A);
    if (BACK && part.steps == 0 && A.add)
        return;
    const int plane = A.out_h * A.out_w;
    const int from_h = BACK ? A.out_h : A.in_h, from_w = BACK ? A.out_w : A.in_w;
    const int inner = BACK ? A.out_channels : A.in_channels;
    const bf16 *from = (const bf16 *)(BACK ? A.y : A.x), *w = (const bf16 *)A.w;
    const int tid = threadIdx.x, chunk = tid % 4, copier = tid / 4;
    int at[MINE], up[MINE], left[MINE];
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int row = part.row0 + copier + 32 * i, p = row % plane;
        at[i] = row / plane * from_h * from_w;
        up[i] = row < part.rows ? p / A.out_w * (BACK ? 1 : 2) : -(1 << 20);
        left[i] = p % A.out_w * (BACK ? 1 : 2);
    }
    auto load = [&](int step) {
        const uint32_t a = ring + step % RING * S::STAGE, b = a + S::A;
        const int tap = step / part.slices, c0 = step % part.slices * DEPTH;
        const int kh = part.first_h + tap / part.taps_w * part.step;
        const int kw = part.first_w + tap % part.taps_w * part.step;
        const int down = BACK ? (part.odd_h + A.pad_h - kh) / 2 : kh - A.pad_h;
        const int right = BACK ? (part.odd_w + A.pad_w - kw) / 2 : kw - A.pad_w;
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const int row = copier + 32 * i, h = up[i] + down, v = left[i] + right;
            const bool in = h >= 0 && h < from_h && v >= 0 && v < from_w;
            copy16_if(a + row * DEPTH * 2 + swizzle<32>(row, chunk),
                      from +
                          (in ? (at[i] + h * from_w + v) * inner + c0 + chunk * 8 : 0),
                      in);
        }
#pragma unroll
        for (int i = 0; i < COLUMNS / 32; i++) {
            const int e = tid + BLOCK * i;
            const int per = BACK ? COLUMNS / 8 : DEPTH / 8; /* chunks of a row */
            const int r = e / per, c = e % per;
            const int co = BACK ? c0 + r : part.column0 + r;
            const int ci = (BACK ? part.column0 : c0) + c * 8;
            const int place =
                ((co * A.kernel_h + kh) * A.kernel_w + kw) * A.in_channels;
            copy16_if(b + r * per * 16 +
                          (BACK ? swizzle<COLUMNS>(r, c) : swizzle<32>(r, c)),
                      w + place + ci, true);
        }
    };
    const int warp = tid / 32, lane = tid % 32;
    float acc[2][COLUMNS / 8][4] = {};
#pragma unroll
    for (int s = 0; s < RING - 1; s++) {
        if (s < part.steps)
            load(s);
        copy_commit();
    }
    for (int step = 0; step < part.steps; step++) {
        copy_wait<RING - 2>();
        __syncthreads();
        if (step + RING - 1 < part.steps)
            load(step + RING - 1);
        copy_commit();
        const uint32_t a = ring + step % RING * S::STAGE, b = a + S::A;
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            uint32_t u[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int row = warp * 32 + i * 16 + lane % 16;
                load_matrix(u[i],
                            a + row * DEPTH * 2 + swizzle<32>(row, k / 8 + lane / 16));
            }
#pragma unroll
            for (int j = 0; j < COLUMNS / 16; j++) {
                uint32_t v[4];
                if (BACK) { /* [co][ci]: the inner dimension is the row */
                    const int row = k + lane % 16;
                    load_matrix_t(v, b + row * COLUMNS * 2 +
                                         swizzle<COLUMNS>(row, j * 2 + lane / 16));
                } else {
                    const int row = j * 16 + lane / 16 * 8 + lane % 8;
                    load_matrix(v, b + row * DEPTH * 2 +
                                       swizzle<32>(row, k / 8 + lane / 8 % 2));
                }
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    multiply(acc[i][2 * j], u[i], v[0], v[1]);
                    multiply(acc[i][2 * j + 1], u[i], v[2], v[3]);
                }
            }
        }
    }
    copy_wait<0>();
    __syncthreads();
    float *out = (float *)shared;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++)
            *(float2 *)(out + (warp * 32 + i * 8 + lane / 4) * S::PITCH + j * 8 +
                        lane % 4 * 2) =
                make_float2(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
    __syncthreads();
    for (int e = tid; e < ROWS * COLUMNS / 8; e += BLOCK) {
        const int row = part.row0 + e / (COLUMNS / 8), c = e % (COLUMNS / 8) * 8;
        if (row >= part.rows)
            break;
        const float *results = out + (row - part.row0) * S::PITCH + c;
        if (BACK) {
            const int p = row % plane, h = p / A.out_w * 2 + part.odd_h,
                      v = p % A.out_w * 2 + part.odd_w;
            put8((bf16 *)A.dx +
                     ((row / plane * A.in_h + h) * A.in_w + v) * A.in_channels +
                     part.column0 + c,
                 results, A.add);
        } else {
            put8((bf16 *)A.y + row * A.out_channels + part.column0 + c, results, false);
        }
    }
}

bool jsni_conv_strided_takes(const jsni_any_conv *c)
{
    const long long most = 1ll << 31; /* places in a tensor are counted in int */
    return !c->plain && c->half_x && c->half_y && c->half_w &&
           c->in_channels % 32 == 0 && c->out_channels % 32 == 0 && c->stride_h == 2 &&
           c->stride_w == 2 && c->kernel_h == c->kernel_w &&
           (c->kernel_h == 1 || c->kernel_h == 3) && c->pad_h == c->kernel_h / 2 &&
           c->pad_w == c->kernel_w / 2 && c->in_h == 2 * c->out_h &&
           c->in_w == 2 * c->out_w &&
           (c->images + 1) * c->in_h * c->in_w * c->in_channels < most &&
           (c->images + 1) * c->out_h * c->out_w * c->out_channels < most;
}

template <int COLUMNS, bool BACK>
static cudaError_t launch(const jsni_any_conv *c, cudaStream_t stream)
{
    const long long rows = c->images * c->out_h * c->out_w;
    const int across = (BACK ? c->in_channels : c->out_channels) / COLUMNS;
    const long long tiles = (rows + ROWS - 1) / ROWS * across;
    return jsni_launch(strided_conv<COLUMNS, BACK>, (BACK ? 4 : 1) * tiles, BLOCK,
                       strided<COLUMNS>::BYTES, 1, stream, *c);
}

cudaError_t jsni_conv_strided_forward(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->out_channels % 64 == 0 ? launch<64, false>(c, stream)
                                     : launch<32, false>(c, stream);
}

cudaError_t jsni_conv_strided_data(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->in_channels % 64 == 0 ? launch<64, true>(c, stream)
                                    : launch<32, true>(c, stream);
}
