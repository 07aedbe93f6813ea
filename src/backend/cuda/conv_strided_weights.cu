/* backend/cuda/conv_strided_weights.cu - backward-weights of convolutions of stride 2 in
 * bf16 (window 1x1 or 3x3, even images): [co] x [tap, ci], summed over the pixels out, by
 * mma.sync. A split of the pixels leaves a partial sum; weight_sum of any_conv.cu adds them
 * in a fixed order.
 *
 * A block has 64 output and 32 input channels with all taps, and marches over 32 pixels
 * out at a time, whole lines of an image. A stage in shared memory is
 *
 *     dy:  [32 pixels][64 channels]
 *     x:   [line of the window][column of the window][32 channels]
 *
 * copied three stages ahead.
 * A window of 3x3 begins a line above and a column left of the image. Its even columns lie
 * before its odd ones, so that the pixels under a tap are neighbours:
 *
 *     columns of x   -1  1  3 ... 2w-1 | 0  2  4 ... 2w-2
 *     tap kw = 0      ^--^--^--^
 *          kw = 1                        ^--^--^--^
 *          kw = 2         ^--^--^--^
 *
 * Four warps have 32 x 16 channels each, of all taps:
 *
 *              ci 0       ci 16
 *           +----------+----------+
 *     co 0  |  warp 0  |  warp 2  |     2 x 2 products of 16 x 8 a tap, of which lane l has
 *           +----------+----------+     output channels l / 4 and l / 4 + 8, input channels
 *     co 32 |  warp 1  |  warp 3  |     2 * (l % 4) and the next
 *           +----------+----------+
 */
#include "backend/cuda/any_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

/* Few threads, so that blocks of the main line find room beside these. */
constexpr int BLOCK = 128, RING = 4;
constexpr int STAGE_PIXELS = 32;                   /* out, of a stage */
constexpr int CO = 64, CI = 32;                    /* channels of a block */
constexpr int DY_PIXEL = CO * 2, X_PIXEL = CI * 2; /* bytes */
constexpr int CHUNK = 8;                           /* channels of 16 bytes */
constexpr int DY_CHUNKS = CO / CHUNK, X_CHUNKS = CI / CHUNK;
constexpr int DY_APART = BLOCK / DY_CHUNKS; /* pixels between a thread's copies */
/* A warp's channels, and its products of a tap. */
constexpr int WARP_CO = 32, WARP_CI = 16;
constexpr int M_TILES = WARP_CO / MMA_M, N_TILES = WARP_CI / MMA_N;
constexpr int MOST_WIDE = 32; /* pixels of a line out */
/* Where lines are longest the window has 3 of them; where they have 4 pixels, 17. */
constexpr int MOST_WINDOW = 3 * (2 * MOST_WIDE + 4);
constexpr int DY = STAGE_PIXELS * DY_PIXEL, STAGE = DY + MOST_WINDOW * X_PIXEL;
constexpr int BYTES = RING * STAGE;
constexpr int DEVICE = 132; /* multiprocessors of the largest chips */

/* What a block reads, and how: the copies of a thread are the same in every stage. */
template <int KERNEL> struct strided_window {
    static constexpr int MOST = KERNEL == 1 ? STAGE_PIXELS : MOST_WINDOW;
    static constexpr int APART = BLOCK / X_CHUNKS; /* pixels between copies */
    static constexpr int MINE = (MOST + APART - 1) / APART;

    int lines;          /* out, of a stage */
    int pitch, columns; /* of the window: pixels of a line, and how many even columns */
    int second;         /* bytes from the first 16 pixels out to the others, any tap */
    int from[MINE];     /* in x, from the window's first pixel inside of the image */
    uint32_t to;        /* the first of them, in a stage */
    uint32_t copied;    /* bits of those that there are */
    uint32_t edge, top; /* outside of the image: always, where it begins */

    __device__ __forceinline__ explicit strided_window(const jsni_any_conv &c)
        : lines(STAGE_PIXELS / c.out_w),
          /* A multiple of 4, so that `second` is one of 8 pixels, which swizzles alike. */
          pitch(KERNEL == 1 ? c.out_w : 2 * c.out_w + 4), columns(c.out_w + 1),
          copied(0), edge(0), top(0)
    {
        const int chunk = threadIdx.x % X_CHUNKS, first = threadIdx.x / X_CHUNKS;
        const int pixels = pitch * (KERNEL == 1 ? lines : 2 * lines + 1);
        to = (uint32_t)(DY + first * X_PIXEL) + swizzle<CI>(first, chunk);
        second = KERNEL == 1 || c.out_w > MMA_K ? MMA_K * X_PIXEL
                                                : 2 * MMA_K / c.out_w * pitch * X_PIXEL;
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const int pixel = first + i * APART, line = pixel / pitch,
                      at = pixel % pitch;
            const bool odd = at >= columns;
            const int y = KERNEL == 1 ? 2 * line : line - 1;
            const int x = KERNEL == 1 ? 2 * at : odd ? 2 * (at - columns) : 2 * at - 1;
            copied |= (uint32_t)(pixel < pixels && x < c.in_w) << i;
            edge |= (uint32_t)(x < 0) << i;
            top |= (uint32_t)(y < 0) << i;
            from[i] = (y * c.in_w + x) * c.in_channels + chunk * CHUNK;
        }
    }

    /* Where the pixel of x lies that tap (kh, kw) of pixel `out` of a stage reads. */
    __device__ __forceinline__ int place(const jsni_any_conv &c, int out, int kh,
                                         int kw) const
    {
        const int line = out / c.out_w, column = out % c.out_w;
        if (KERNEL == 1)
            return line * pitch + column;
        return (2 * line + kh) * pitch + column + (kw == 1 ? columns : kw / 2);
    }
};

template <int KERNEL>
static __device__ __forceinline__ void
load_stage(const jsni_any_conv &c, const strided_window<KERNEL> &window, uint32_t stage,
           int number, int co0, int ci0)
{
    using W = strided_window<KERNEL>;
    const int per = c.out_h * c.out_w / STAGE_PIXELS; /* stages of an image */
    const int image = number / per, line = number % per * window.lines;
    const int pixel = threadIdx.x / DY_CHUNKS, chunk = threadIdx.x % DY_CHUNKS;
    const bf16 *dy = (const bf16 *)c.y +
                     (number * STAGE_PIXELS + pixel) * c.out_channels + co0 +
                     chunk * CHUNK;
#pragma unroll
    for (int i = 0; i < STAGE_PIXELS / DY_APART; i++)
        copy16(stage + (pixel + i * DY_APART) * DY_PIXEL + swizzle<CO>(pixel, chunk),
               dy + i * DY_APART * c.out_channels);
    const bf16 *x =
        (const bf16 *)c.x + (image * c.in_h + 2 * line) * c.in_w * c.in_channels + ci0;
    const uint32_t zeros = window.edge | (line == 0 ? window.top : 0);
#pragma unroll
    for (int i = 0; i < W::MINE; i++)
        if (window.copied >> i & 1) {
            const bool in = !(zeros >> i & 1);
            copy16_if(stage + window.to + i * W::APART * X_PIXEL,
                      x + (in ? window.from[i] : 0), in);
        }
}

template <int KERNEL>
static __global__ void __launch_bounds__(BLOCK) strided_weights(const jsni_any_conv A)
{
    constexpr int TAPS = KERNEL * KERNEL;
    extern __shared__ __align__(128) char shared[];
    launch_next();
    const uint32_t ring = shared_address(shared);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int across = A.in_channels / CI, down = A.out_channels / CO;
    const int ci0 = (int)blockIdx.x % across * CI;
    const int co0 = (int)blockIdx.x / across % down * CO;
    const int split = (int)blockIdx.x / across / down;
    const int all = (int)A.images * A.out_h * A.out_w / STAGE_PIXELS;
    const int first = all * split / A.splits;
    const int steps = all * (split + 1) / A.splits - first;
    const strided_window<KERNEL> window(A);
    /* Where a lane's parts of dy and of x under each tap begin in a stage. */
    const int my_co = warp % 2 * WARP_CO, my_ci = warp / 2 * WARP_CI;
    uint32_t dy_at[M_TILES], x_at[TAPS];
    {
        const int pixel = lane / 16 * 8 + lane % 8;
#pragma unroll
        for (int m = 0; m < M_TILES; m++)
            dy_at[m] =
                pixel * DY_PIXEL +
                swizzle<CO>(pixel, my_co / CHUNK + m * (MMA_M / CHUNK) + lane / 8 % 2);
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) {
            const int at = window.place(A, lane % 16, tap / KERNEL, tap % KERNEL);
            x_at[tap] = DY + at * X_PIXEL + swizzle<CI>(at, my_ci / CHUNK + lane / 16);
        }
    }
    launch_wait();
    float acc[TAPS][M_TILES][N_TILES][4] = {};
#pragma unroll
    for (int s = 0; s < RING - 1; s++) {
        if (s < steps)
            load_stage(A, window, ring + s * STAGE, first + s, co0, ci0);
        copy_commit();
    }
    for (int step = 0; step < steps; step++) {
        copy_wait<RING - 2>();
        __syncthreads();
        if (step + RING - 1 < steps)
            load_stage(A, window, ring + (step + RING - 1) % RING * STAGE,
                       first + step + RING - 1, co0, ci0);
        copy_commit();
        const uint32_t stage = ring + step % RING * STAGE;
#pragma unroll
        for (int part = 0; part < STAGE_PIXELS / MMA_K; part++) {
            uint32_t dy[M_TILES][4];
#pragma unroll
            for (int m = 0; m < M_TILES; m++)
                load_matrix_t(dy[m], stage + dy_at[m] + part * MMA_K * DY_PIXEL);
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) {
                uint32_t x[4];
                load_matrix_t(x, stage + x_at[tap] + part * window.second);
#pragma unroll
                for (int m = 0; m < M_TILES; m++)
#pragma unroll
                    for (int n = 0; n < N_TILES; n++)
                        multiply(acc[tap][m][n], dy[m], x[n * 2], x[n * 2 + 1]);
            }
        }
    }
    copy_wait<0>();
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
#pragma unroll
        for (int m = 0; m < M_TILES; m++)
#pragma unroll
            for (int n = 0; n < N_TILES; n++) {
                const float *a = acc[tap][m][n];
                const int co = co0 + my_co + m * MMA_M + result_row(lane);
                const int ci = ci0 + my_ci + n * MMA_N + result_column(lane);
                const long long row = (long long)split * A.out_channels + co;
                float *to = A.part + (row * TAPS + tap) * A.in_channels + ci;
                *(float2 *)to = make_float2(a[0], a[1]);
                *(float2 *)(to + (long long)(MMA_M / 2) * TAPS * A.in_channels) =
                    make_float2(a[2], a[3]);
            }
}

bool jsni_strided_weights_takes(const jsni_any_conv *c)
{
    return c->half_x && jsni_conv_strided_takes(c) && c->out_channels % CO == 0 &&
           c->in_channels % CI == 0 && c->out_w >= 4 && c->out_w <= MOST_WIDE &&
           STAGE_PIXELS % c->out_w == 0 && c->out_h * c->out_w % STAGE_PIXELS == 0;
}

int jsni_strided_weights_splits(const jsni_any_conv *c)
{
    const int stages = (int)c->images * c->out_h * c->out_w / STAGE_PIXELS;
    const int tiles = c->out_channels / CO * (c->in_channels / CI);
    const int wanted = DEVICE / tiles; /* blocks that fill a device */
    return wanted < 1 ? 1 : wanted < stages ? wanted : stages;
}

template <int KERNEL>
static cudaError_t launch(const jsni_any_conv *c, cudaStream_t stream)
{
    static_assert(BYTES <= SHARED_EVERYWHERE, "too much for some devices");
    const long long tiles = c->out_channels / CO * (c->in_channels / CI);
    return jsni_launch(strided_weights<KERNEL>, tiles * c->splits, BLOCK, BYTES, 1,
                       stream, *c);
}

cudaError_t jsni_strided_weights(const jsni_any_conv *c, cudaStream_t stream)
{
    return c->kernel_h == 1 ? launch<1>(c, stream) : launch<3>(c, stream);
}
