/* backend/cuda/conv3x3_mma.cuh - conv3x3_mma.cu, whose header has the picture, up to the sums
 * in registers: sizes of the tiles, what a thread knows about its block, rows of the input
 * into shared memory, weights and products.
 *
 * Everything is inlined, so that arrays of registers stay there. The loop over a thread's
 * chunks of a step stays in the kernel: nvcc 13.0 made other code of it as a function.
 */
#ifndef JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH
#define JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/conv_fused.cuh"
#include "backend/cuda/conv_kernels.h"

/* Of a product, M is pixels, N output and K input channels. */
constexpr int CHUNK = 8, CHUNK_BYTES = 16; /* channels that are copied at once */
constexpr int TAPS = 9, TAP_WORDS = 16;    /* registers of a tap's weights */
constexpr int SHARED_ALIGN = 1024;
constexpr int STAGES = 8;    /* of a march */
constexpr int RING = 5;      /* stages of x in shared memory */
constexpr int SIDE_RING = 3; /* stages of x2, x3 and e */
constexpr int AHEAD = 4, SIDE_AHEAD = 3, OPERAND_AHEAD = 2; /* stages copied ahead */
constexpr int MOST_WARPS = 8, WARP_CHANNELS = 32;           /* of their sums */
constexpr int WARP_SUMS = 2 * WARP_CHANNELS;

template <int C> struct mma_tiles {
    static constexpr int H = 1024 / C;
    static constexpr int IMAGES = C == 128 ? 4 : 1; /* of a block */
    /* Two blocks fit a multiprocessor, but for C = 128, with twice the threads. */
    static constexpr int THREADS = C == 128 ? 256 : 128, BLOCKS = C == 128 ? 1 : 2;
    static constexpr int HALVES = C == 128 ? 2 : 1; /* blocks that share the channels */
    static constexpr int COLUMNS = C / HALVES;      /* output channels of a block */

    static constexpr int PIXEL = C * 2, PITCH = (H + 2) * PIXEL; /* bytes; of a row */
    static constexpr int MARCHED = C == 128 ? 1 : 2; /* rows that a stage advances */
    /* Rows of a stage: of both halves of the image, of the image, or one of each image. */
    static constexpr int ROWS = C == 64 ? 2 : 4;
    static constexpr int STAGE = ROWS * PITCH; /* bytes */
    static constexpr int CHUNKS = C / CHUNK;   /* of a pixel */
    static constexpr int MINE =
        ROWS * H * CHUNKS / THREADS; /* a stage's, of a thread */
    static constexpr int SIDE =
        MINE * THREADS * CHUNK_BYTES; /* bytes of a stage of x2, of x3 */

    /* A warp's products: M_TILES x MMA_M pixels, N_TILES x MMA_N output and K_STEPS x MMA_K
     * input channels. */
    static constexpr int M_TILES = C == 128 ? 2 : 1, N_TILES = 128 / C;
    static constexpr int K_STEPS = C / MMA_K, CHANNELS = N_TILES * MMA_N;
    static_assert(K_STEPS * N_TILES * 2 == TAP_WORDS, "as jsni_conv_pack() lays them");
    /* A thread has two pixels of an M tile and neighbouring channels of each. */
    static constexpr int NEIGHBOURS = 2 * N_TILES, RESULT = NEIGHBOURS * 2; /* bytes */
    static constexpr int OPERANDS = MARCHED * M_TILES * 2 * RESULT * THREADS;
    static constexpr int SHARING = C == 32 ? 4 : 1; /* warps with the same channels */
};

template <int C, int PRO, int EPI>
constexpr int MMA_BYTES = SHARED_ALIGN + RING *mma_tiles<C>::STAGE + COEFS *C * 4 +
                          MOST_WARPS *WARP_SUMS * 4 +
                          more_inputs(PRO) * SIDE_RING *mma_tiles<C>::SIDE +
                          (has_operand(EPI) ? SIDE_RING * mma_tiles<C>::OPERANDS : 0);

/* What a thread of the kernel knows about its block and warp. */
template <int C, int PRO, int EPI> struct mma_block {
    using T = mma_tiles<C>;
    const bf16 *x, *x2, *x3, *e; /* see jsni_conv_args */
    bf16 *y, *xo;
    uint32_t ring, sides, operands; /* addresses in shared memory */
    float *coefs, *sums;            /* COEFS x C; of the warps */
    int warp, lane;
    int first_image, view;

    __device__ __forceinline__ explicit mma_block(char *unaligned,
                                                  const jsni_conv_args &args)
        : x((const bf16 *)args.x), x2((const bf16 *)args.x2), x3((const bf16 *)args.x3),
          e((const bf16 *)args.e), y((bf16 *)args.y), xo((bf16 *)args.xo)
    {
        char *shared = (char *)(((uintptr_t)unaligned + SHARED_ALIGN - 1) &
                                ~(uintptr_t)(SHARED_ALIGN - 1));
        ring = shared_address(shared);
        coefs = (float *)(shared + RING * T::STAGE);
        sums = coefs + COEFS * C;
        sides = shared_address(sums + MOST_WARPS * WARP_SUMS);
        warp = (int)threadIdx.x >> 5;
        lane = (int)threadIdx.x & 31;
        operands = sides + more_inputs(PRO) * SIDE_RING * T::SIDE +
                   (int)threadIdx.x * T::RESULT;
        first_image = (int)blockIdx.x / T::HALVES * T::IMAGES;
        view = first_image / args.view_images;
    }

    /* Zeros at both ends of every row of the ring. */
    __device__ __forceinline__ void clear_edges() const
    {
        for (int i = threadIdx.x; i < RING * T::ROWS * 2 * T::CHUNKS; i += T::THREADS) {
            const int chunk = i % T::CHUNKS, edge = i / T::CHUNKS;
            store_shared16(ring + (edge >> 1) * T::PITCH +
                               (edge & 1) * (T::H + 1) * T::PIXEL + chunk * CHUNK_BYTES,
                           make_uint4(0, 0, 0, 0));
        }
    }

    /* Where the operand of a thread's results lies: of its pixel `half` of M tile m in the row
     * of a step. */
    __device__ __forceinline__ uint32_t operand(int step, int m, int half) const
    {
        return operands + ((step / T::MARCHED) % SIDE_RING) * T::OPERANDS +
               (((step % T::MARCHED) * T::M_TILES + m) * 2 + half) * T::THREADS *
                   T::RESULT;
    }
};

/* Rows into shared memory: a thread's chunks of a stage, MINE of them, which are the same
 * channels of the same pixel of several rows. */
template <int C, int PRO, int EPI> struct mma_loader {
    using T = mma_tiles<C>;
    static constexpr int SIDE_BYTES = SIDE_RING * T::SIDE; /* x3 lies behind x2 */
    const mma_block<C, PRO, EPI> &b;
    const int tid, chunk, pixel;

    __device__ __forceinline__ explicit mma_loader(const mma_block<C, PRO, EPI> &block)
        : b(block), tid(threadIdx.x), chunk(tid % T::CHUNKS),
          pixel((tid / T::CHUNKS) % T::H)
    {
    }

    /* Of chunk i: its row of the stage. */
    __device__ __forceinline__ int row_of(int i) const
    {
        return C == 128 ? i * 2 + (tid >> 7) : i;
    }

    /* Its place in a tensor, which fits 32 bits. */
    __device__ __forceinline__ int place(int stage, int i) const
    {
        const int r = row_of(i), image = C == 128 ? r : 0;
        const int row = C == 32
                            ? (r & 2 ? T::H - 1 - 2 * stage - (r & 1) : 2 * stage + r)
                        : C == 64 ? 2 * stage + r
                                  : stage;
        return (((b.first_image + image) * T::H + row) * T::H + pixel) * C +
               chunk * CHUNK;
    }

    /* Where it lies in the ring of x, and in that of x2. */
    __device__ __forceinline__ uint32_t slot(int stage, int i) const
    {
        return b.ring + (stage % RING) * T::STAGE + row_of(i) * T::PITCH +
               (pixel + 1) * T::PIXEL + swizzle<C>(pixel + 1, chunk);
    }

    __device__ __forceinline__ uint32_t side(int stage, int i) const
    {
        return b.sides +
               (((stage % SIDE_RING) * T::MINE + i) * T::THREADS + tid) * CHUNK_BYTES;
    }

    __device__ __forceinline__ void load(int stage) const
    {
        if (stage < STAGES)
#pragma unroll
            for (int i = 0; i < T::MINE; i++)
                copy16(slot(stage, i), b.x + place(stage, i));
    }

    __device__ __forceinline__ void load_sides(int stage) const
    {
        if (goes_back(PRO) && stage < STAGES)
#pragma unroll
            for (int i = 0; i < T::MINE; i++) {
                copy16(side(stage, i), b.x2 + place(stage, i));
                if (PRO == JSNI_CONV_SKIP_BACK)
                    copy16(side(stage, i) + SIDE_BYTES, b.x3 + place(stage, i));
            }
    }

    /* The prologue, by the thread that copied the chunk. */
    __device__ __forceinline__ void transform(int stage, int i) const
    {
        if (PRO == JSNI_CONV_PLAIN || stage >= STAGES)
            return;
        const uint32_t at = slot(stage, i);
        const float *const pa = b.coefs + COEF_PA * C + chunk * CHUNK;
        const float *const pb = b.coefs + COEF_PB * C + chunk * CHUNK;
        if (PRO == JSNI_CONV_NORM_RELU) {
            store_shared16(at, norm_relu8(load_shared16(at), pa, pb));
            return;
        }
        constexpr bool SKIP = PRO == JSNI_CONV_SKIP_BACK;
        const uint4 skip =
            SKIP ? load_shared16(side(stage, i) + SIDE_BYTES) : make_uint4(0, 0, 0, 0);
        const uint4 v =
            norm_back8<SKIP>(load_shared16(at), load_shared16(side(stage, i)), skip, pa,
                             pb, b.coefs + COEF_PD * C + chunk * CHUNK);
        store_shared16(at, v);
        if (b.xo)
            *(uint4 *)(b.xo + place(stage, i)) = v;
    }
};

/* The part of the block's results that a warp makes. */
template <int C> struct mma_role {
    using T = mma_tiles<C>;
    bool upwards;      /* the lower half of the image is marched from below */
    int strip;         /* of MMA_M pixels, of a row */
    int channel_group; /* of CHANNELS output channels */

    __device__ __forceinline__ explicit mma_role(int warp)
        : upwards(C == 32 && (warp & 2)), strip(C == 32 ? warp & 1 : 0),
          channel_group(C == 32   ? 0
                        : C == 64 ? warp
                                  : (blockIdx.x & 1) * MOST_WARPS + warp)
    {
    }

    /* A lane's part of a row in shared memory, by column shift. */
    __device__ __forceinline__ void find_fragments(uint32_t (&fragment)[3],
                                                   int lane) const
    {
#pragma unroll
        for (int kw = 0; kw < 3; kw++) {
            /* The other half of the pixels; C = 128: those of the next image. */
            const int second = (lane >> 3) & 1;
            const int p =
                strip * MMA_M + (lane & 7) + (C == 128 ? 0 : second * MMA_M / 2) + kw;
            const int row = C == 128 ? second : upwards ? 2 : 0;
            fragment[kw] = row * T::PITCH + p * T::PIXEL + swizzle<C>(p, lane >> 4);
        }
    }
};

/* ---- products ---- */

/* What a thread accumulates: of an M tile two pixels, of each two channels an N tile. */
template <int C>
using mma_sums = float[mma_tiles<C>::M_TILES][mma_tiles<C>::N_TILES][4];

using mma_weights = uint32_t[3][3][TAP_WORDS];

/* All taps of the warp's output channels. Marching upwards turns the window over. */
static __device__ __forceinline__ void load_weights(mma_weights &weights,
                                                    const void *from, int channel_group,
                                                    bool upwards, int lane)
{
#pragma unroll
    for (int kh = 0; kh < 3; kh++)
#pragma unroll
        for (int kw = 0; kw < 3; kw++)
#pragma unroll
            for (int q = 0; q < TAP_WORDS / 4; q++) {
                const int tap = (upwards ? 2 - kh : kh) * 3 + kw;
                const uint4 v = __ldg(
                    (const uint4 *)from +
                    ((channel_group * TAPS + tap) * (TAP_WORDS / 4) + q) * 32 + lane);
                weights[kh][kw][q * 4] = v.x;
                weights[kh][kw][q * 4 + 1] = v.y;
                weights[kh][kw][q * 4 + 2] = v.z;
                weights[kh][kw][q * 4 + 3] = v.w;
            }
}

/* MMA_K input channels of one tap. */
template <int C>
static __device__ __forceinline__ void
multiply_tiles(mma_sums<C> &to, const uint32_t (&pixels)[mma_tiles<C>::M_TILES][4],
               const uint32_t *columns)
{
#pragma unroll
    for (int m = 0; m < mma_tiles<C>::M_TILES; m++)
#pragma unroll
        for (int n = 0; n < mma_tiles<C>::N_TILES; n++)
            multiply(to[m][n], pixels[m], columns[n * 2], columns[n * 2 + 1]);
}

/* Which output rows an input row feeds, in the order of the march: a bit for each kh. */
enum { FEEDS_NEXT = 1 << 0, FEEDS_SAME = 1 << 1, FEEDS_LAST = 1 << 2, FEEDS_ALL = 7 };

/* One input row into up to three output rows. `fragment`: this lane's part of a row in
 * shared memory, by column shift. */
template <int C, int FEEDS>
static __device__ __forceinline__ void
products(mma_sums<C> (&acc)[3], const mma_weights &weights,
         const uint32_t (&fragment)[3], uint32_t row)
{
    using T = mma_tiles<C>;
#pragma unroll
    for (int kw = 0; kw < 3; kw++)
#pragma unroll
        for (int k = 0; k < T::K_STEPS; k++) {
            uint32_t pixels[T::M_TILES][4];
#pragma unroll
            for (int m = 0; m < T::M_TILES; m++)
                load_matrix(pixels[m],
                            row + (fragment[kw] ^ (k * MMA_K * 2)) + m * 2 * T::PITCH);
#pragma unroll
            for (int kh = 0; kh < 3; kh++)
                if (FEEDS >> kh & 1)
                    multiply_tiles<C>(acc[2 - kh], pixels,
                                      weights[kh][kw] + k * T::NEIGHBOURS);
        }
}

/* The march goes on by a row. */
template <int C> static __device__ __forceinline__ void move_up(mma_sums<C> (&acc)[3])
{
#pragma unroll
    for (int m = 0; m < mma_tiles<C>::M_TILES; m++)
#pragma unroll
        for (int n = 0; n < mma_tiles<C>::N_TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                acc[0][m][n][i] = acc[1][m][n][i];
                acc[1][m][n][i] = acc[2][m][n][i];
                acc[2][m][n][i] = 0.0f;
            }
}

#endif /* JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH */
