/* backend/cuda/conv_strided.cu - the gradient of the input of a convolution of stride 2 in
 * bf16 (window 1x1 or 3x3, channels in multiples of 32, even images). Input pixels that
 * share the parities of their row and column are reached by the same taps, from 0 to 4 of
 * them, so every parity is a product of its own: [pixels] x [ci] over (tap, 32 of co), by
 * mma.sync with fp32 accumulation. Sums have a fixed order.
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int BLOCK = 128, ROWS = 128, DEPTH = 32, RING = 3;

/* 16 bytes, or zeros where `in` is false; then nothing is read. */
static __device__ __forceinline__ void copy16_if(uint32_t to, const void *from, bool in)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(in ? 16 : 0)
                 : "memory");
}

template <int COLUMNS> struct strided {
    static constexpr int A = ROWS * DEPTH * 2;    /* bytes: dy, [row][co] */
    static constexpr int B = DEPTH * COLUMNS * 2; /* weights, [co][ci] */
    static constexpr int STAGE = A + B;
    static constexpr int PITCH = COLUMNS + 4; /* floats of a row of results */
    static constexpr int BYTES =
        RING * STAGE > ROWS *PITCH * 4 ? RING *STAGE : ROWS *PITCH * 4;
};

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

template <int COLUMNS>
static __global__ void __launch_bounds__(BLOCK) strided_data(const jsni_any_conv A)
{
    using S = strided<COLUMNS>;
    extern __shared__ __align__(128) char shared[];
    launch_next();
    launch_wait();
    const uint32_t ring = shared_address(shared);
    const int half_h = A.in_h / 2, half_w = A.in_w / 2, plane = half_h * half_w;
    const int rows = (int)A.images * plane, across = A.in_channels / COLUMNS;
    const int tiles = (rows + ROWS - 1) / ROWS * across;
    /* The parities with the most taps begin: odd rows and columns of a padded 3x3. */
    const int parity = 3 - (int)(blockIdx.x / tiles), tile = (int)(blockIdx.x % tiles);
    const int row0 = tile / across * ROWS, column0 = tile % across * COLUMNS;
    const int odd_h = parity >> 1, odd_w = parity & 1;
    const int first_h = (odd_h + A.pad_h) & 1, first_w = (odd_w + A.pad_w) & 1;
    const int taps_h = (A.kernel_h - first_h + 1) / 2;
    const int taps_w = (A.kernel_w - first_w + 1) / 2;
    const int slices = A.out_channels / DEPTH, steps = taps_h * taps_w * slices;
    if (steps == 0 && A.add)
        return;
    const bf16 *dy = (const bf16 *)A.y, *w = (const bf16 *)A.w;
    const int tid = threadIdx.x, chunk = tid % 4, copier = tid / 4;
    int at[ROWS / 32], up[ROWS / 32], left[ROWS / 32];
#pragma unroll
    for (int i = 0; i < ROWS / 32; i++) {
        const int row = row0 + copier + 32 * i, p = row % plane;
        at[i] = row / plane * A.out_h * A.out_w;
        up[i] = row < rows ? p / half_w : -(1 << 20);
        left[i] = p % half_w;
    }
    auto load = [&](int step) {
        const uint32_t a = ring + step % RING * S::STAGE, b = a + S::A;
        const int tap = step / slices, c0 = step % slices * DEPTH;
        const int kh = first_h + tap / taps_w * 2, kw = first_w + tap % taps_w * 2;
        const int down = (odd_h + A.pad_h - kh) / 2, right = (odd_w + A.pad_w - kw) / 2;
#pragma unroll
        for (int i = 0; i < ROWS / 32; i++) {
            const int row = copier + 32 * i, h = up[i] + down, v = left[i] + right;
            const bool in = h >= 0 && h < A.out_h && v >= 0 && v < A.out_w;
            const int from =
                (at[i] + h * A.out_w + v) * A.out_channels + c0 + chunk * 8;
            copy16_if(a + row * DEPTH * 2 + swizzle<32>(row, chunk),
                      dy + (in ? from : 0), in);
        }
#pragma unroll
        for (int i = 0; i < COLUMNS / 32; i++) {
            const int e = tid + BLOCK * i, k = e / (COLUMNS / 8), c = e % (COLUMNS / 8);
            const int from =
                ((c0 + k) * A.kernel_h * A.kernel_w + kh * A.kernel_w + kw) *
                    A.in_channels +
                column0 + c * 8;
            copy16_if(b + k * COLUMNS * 2 + swizzle<COLUMNS>(k, c), w + from, true);
        }
    };
    const int warp = tid / 32, lane = tid % 32;
    float acc[2][COLUMNS / 8][4] = {};
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
                const int row = k + lane % 16;
                load_matrix_t(v, b + row * COLUMNS * 2 +
                                     swizzle<COLUMNS>(row, j * 2 + lane / 16));
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
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int row = warp * 32 + i * 16 + half * 8 + lane / 4;
                *(float2 *)(out + row * S::PITCH + j * 8 + lane % 4 * 2) =
                    make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
            }
    __syncthreads();
    for (int e = tid; e < ROWS * COLUMNS / 8; e += BLOCK) {
        const int row = row0 + e / (COLUMNS / 8), c = e % (COLUMNS / 8) * 8;
        if (row >= rows)
            break;
        const int p = row % plane, h = p / half_w * 2 + odd_h,
                  v = p % half_w * 2 + odd_w;
        put8((bf16 *)A.dx + ((row / plane * A.in_h + h) * A.in_w + v) * A.in_channels +
                 column0 + c,
             out + (row - row0) * S::PITCH + c, A.add);
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

template <int COLUMNS>
static cudaError_t launch(const jsni_any_conv *c, cudaStream_t stream)
{
    const long long rows = c->images * (c->in_h / 2) * (c->in_w / 2);
    const long long tiles = (rows + ROWS - 1) / ROWS * (c->in_channels / COLUMNS);
    return jsni_launch(strided_data<COLUMNS>, 4 * tiles, BLOCK, strided<COLUMNS>::BYTES,
                       1, stream, *c);
}

cudaError_t jsni_conv_strided_data(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->in_channels % 64 == 0 ? launch<64>(c, stream) : launch<32>(c, stream);
}
