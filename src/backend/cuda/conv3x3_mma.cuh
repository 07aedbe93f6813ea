/* backend/cuda/conv3x3_mma.cuh - the pieces of conv3x3_mma.cu, whose header has the picture:
 * sizes of the tiles, what a thread knows about its block, products of a row, sums. */
#ifndef JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH
#define JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/conv_fused.cuh"
#include "backend/cuda/conv_kernels.h"

constexpr int TAPS = 9, SHARED_ALIGN = 1024;
constexpr int STAGES = 8;    /* of a march */
constexpr int RING = 5;      /* stages of x in shared memory */
constexpr int SIDE_RING = 3; /* stages of x2, x3 and e */
constexpr int AHEAD = 4, SIDE_AHEAD = 3, OPERAND_AHEAD = 2; /* stages copied ahead */
constexpr int MOST_WARPS = 8, WARP_CHANNELS = 32;           /* of their sums */
constexpr int WARP_SUMS = 2 * WARP_CHANNELS;
constexpr int TAP_WORDS = 16; /* registers of a tap's weights */

/* Two blocks fit a multiprocessor, but for C = 128, with twice the threads. */
template <int C> struct mma_tiles {
    static constexpr int H = 1024 / C;
    static constexpr int IMAGES = C == 128 ? 4 : 1; /* of a block */
    static constexpr int THREADS = C == 128 ? 256 : 128, BLOCKS = C == 128 ? 1 : 2;
    static constexpr int HALVES = C == 128 ? 2 : 1; /* blocks that share the channels */
    static constexpr int COLUMNS = C / HALVES;      /* output channels of a block */

    static constexpr int PIXEL = C * 2, PITCH = (H + 2) * PIXEL; /* bytes; of a row */
    static constexpr int MARCHED = C == 128 ? 1 : 2; /* rows that a stage advances */
    /* Rows of a stage: those of both halves of the image, of the image, or one each of
     * the images. */
    static constexpr int ROWS = C == 64 ? 2 : 4;
    static constexpr int STAGE = ROWS * PITCH; /* bytes */
    static constexpr int CHUNKS = C / 8;       /* 16 bytes, of a pixel */
    static constexpr int MINE =
        ROWS * H * CHUNKS / THREADS;                 /* a stage's, of a thread */
    static constexpr int SIDE = MINE * THREADS * 16; /* bytes of a stage of x2, of x3 */

    /* A warp's products: M_TILES x 16 pixels, N_TILES x 8 channels, K_STEPS x 16. */
    static constexpr int M_TILES = C == 128 ? 2 : 1, N_TILES = 128 / C;
    static constexpr int K_STEPS = C / 16, CHANNELS = N_TILES * 8;
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
    int group, first_image, view;

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
        group = T::HALVES == 2 ? blockIdx.x >> 1 : blockIdx.x;
        first_image = group * T::IMAGES;
        view = first_image / args.view_images;
    }

    /* Zeros at both ends of every row of the ring. */
    __device__ __forceinline__ void clear_edges(void) const
    {
        for (int i = threadIdx.x; i < RING * T::ROWS * 2 * T::CHUNKS; i += T::THREADS) {
            const int chunk = i % T::CHUNKS, edge = i / T::CHUNKS;
            store_shared16(ring + (edge >> 1) * T::PITCH +
                               (edge & 1) * (T::H + 1) * T::PIXEL + chunk * 16,
                           make_uint4(0, 0, 0, 0));
        }
    }

    __device__ __forceinline__ void load_coefs(const jsni_conv_args &args) const
    {
        for (int c = threadIdx.x; c < C; c += T::THREADS) {
            if (PRO != JSNI_CONV_PLAIN) {
                coefs[COEF_PA * C + c] = args.pa[view * C + c];
                coefs[COEF_PB * C + c] = args.pb[view * C + c];
            }
            if (goes_back(PRO))
                coefs[COEF_PD * C + c] = args.pd[view * C + c];
            if (EPI == JSNI_CONV_MASK) {
                coefs[COEF_EA * C + c] = args.ea[view * C + c];
                coefs[COEF_EB * C + c] = args.eb[view * C + c];
            }
        }
    }

    /* Where the operand of a thread's results lies: its pixel `half` of M tile m, in the
     * row of a step of the march. */
    __device__ __forceinline__ uint32_t operand(int step, int m, int half) const
    {
        return operands + ((step / T::MARCHED) % SIDE_RING) * T::OPERANDS +
               (((step % T::MARCHED) * T::M_TILES + m) * 2 + half) * T::THREADS *
                   T::RESULT;
    }
};

/* The part of the block's results that a warp makes. */
template <int C> struct mma_role {
    using T = mma_tiles<C>;
    bool upwards;      /* the lower half of the image is marched from below */
    int strip;         /* of 16 pixels, of a row */
    int channel_group; /* of CHANNELS output channels */

    __device__ __forceinline__ explicit mma_role(int warp)
        : upwards(C == 32 && (warp & 2)), strip(C == 32 ? warp & 1 : 0),
          channel_group(C == 32   ? 0
                        : C == 64 ? warp
                                  : (blockIdx.x & 1) * 8 + warp)
    {
    }

    /* A lane's part of a row in shared memory, by column shift. */
    __device__ __forceinline__ void find_fragments(uint32_t (&fragment)[3],
                                                   int lane) const
    {
#pragma unroll
        for (int kw = 0; kw < 3; kw++) {
            /* Pixels 8 to 15 of a tile; C = 128: those of the next image. */
            const int second = (lane >> 3) & 1;
            const int p = strip * 16 + (lane & 7) + (C == 128 ? 0 : second * 8) + kw;
            fragment[kw] = (C == 128  ? second
                            : upwards ? 2
                                      : 0) *
                               T::PITCH +
                           p * T::PIXEL + swizzle<C>(p, lane >> 4);
        }
    }
};

/* ---- a thread's results of a pixel: 1, 2 or 4 words ---- */

/* BYTES: 4, 8 or 16. */
template <int BYTES>
static __device__ __forceinline__ void copy_small(uint32_t to, const bf16 *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from),
                 "n"(BYTES)
                 : "memory");
}

template <int WORDS>
static __device__ __forceinline__ void load_words(uint32_t (&to)[WORDS], uint32_t from)
{
    if (WORDS == 4) {
        const uint4 v = load_shared16(from);
        to[0] = v.x;
        to[1 % WORDS] = v.y;
        to[2 % WORDS] = v.z;
        to[3 % WORDS] = v.w;
    } else if (WORDS == 2) {
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1 % WORDS])
                     : "r"(from)
                     : "memory");
    } else {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(from) : "memory");
    }
}

template <int WORDS>
static __device__ __forceinline__ void store_words(bf16 *to,
                                                   const uint32_t (&from)[WORDS])
{
    if (WORDS == 4)
        *(uint4 *)to =
            make_uint4(from[0], from[1 % WORDS], from[2 % WORDS], from[3 % WORDS]);
    else if (WORDS == 2)
        *(uint2 *)to = make_uint2(from[0], from[1 % WORDS]);
    else
        *(uint32_t *)to = from[0];
}

/* What the epilogue of a stage needs of e; `place`: of a step, an M tile and a pixel. */
template <int C, int PRO, int EPI, class PLACE>
static __device__ __forceinline__ void copy_operands(const mma_block<C, PRO, EPI> &b,
                                                     int stage, const PLACE &place)
{
    using T = mma_tiles<C>;
#pragma unroll
    for (int k = 0; k < T::MARCHED; k++)
#pragma unroll
        for (int m = 0; m < T::M_TILES; m++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const int step = stage * T::MARCHED + k;
                copy_small<T::RESULT>(b.operand(step, m, half),
                                      b.e + place(step, m, half));
            }
}

/* Until what the next transform reads is there: the first two stages are followed by one
 * more group of copies than the later ones need. */
static __device__ __forceinline__ void wait_for(int stage)
{
    if (stage < 2)
        copy_wait<2>();
    else
        copy_wait<1>();
}

/* ---- products and the march ---- */

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

/* 16 input channels of one tap. */
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

/* Which output rows an input row feeds: a bit for each kh, see above. */
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
                            row + (fragment[kw] ^ (k << 5)) + m * 2 * T::PITCH);
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

/* ---- epilogue and channel sums ---- */

/* The epilogue of a step's results, from channel `channel0` on, and where they go. */
template <int C, int PRO, int EPI, class PLACE>
static __device__ __forceinline__ void
store_row(const mma_block<C, PRO, EPI> &b, int step, const mma_sums<C> &results,
          int channel0, float *sums, float *product_sums, const PLACE &place)
{
    using T = mma_tiles<C>;
#pragma unroll
    for (int m = 0; m < T::M_TILES; m++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            uint32_t out[T::N_TILES], e[T::N_TILES];
            if (EPI > 1)
                load_words(e, b.operand(step, m, half));
#pragma unroll
            for (int n = 0; n < T::N_TILES; n++)
                out[n] = finish_pair<EPI>(results[m][n][half * 2],
                                          results[m][n][half * 2 + 1], e[n],
                                          b.coefs + COEF_EA * C + channel0 + 2 * n, C,
                                          sums + 2 * n, product_sums + 2 * n);
            store_words(b.y + place(step, m, half), out);
        }
}

/* The sums of a warp into shared memory: [2][WARP_CHANNELS]. */
template <int NEIGHBOURS>
static __device__ __forceinline__ void leave_sums(float *all, int warp, int lane,
                                                  float (&sums)[NEIGHBOURS],
                                                  float (&product_sums)[NEIGHBOURS])
{
#pragma unroll
    for (int j = 0; j < NEIGHBOURS; j++)
#pragma unroll
        for (int apart = 4; apart < 32; apart <<= 1) {
            sums[j] += __shfl_xor_sync(~0u, sums[j], apart);
            product_sums[j] += __shfl_xor_sync(~0u, product_sums[j], apart);
        }
    if (lane < 4)
#pragma unroll
        for (int j = 0; j < NEIGHBOURS; j++) {
            all[warp * WARP_SUMS + lane * NEIGHBOURS + j] = sums[j];
            all[warp * WARP_SUMS + WARP_CHANNELS + lane * NEIGHBOURS + j] =
                product_sums[j];
        }
}

/* The channel sums of the block, those of warps that share channels in order. */
template <int C, int PRO, int EPI>
static __device__ __forceinline__ void
store_sums(const jsni_conv_args &args, const mma_block<C, PRO, EPI> &b, int tid)
{
    using T = mma_tiles<C>;
    const int sum = tid / T::COLUMNS, c = tid % T::COLUMNS, warp = c / T::CHANNELS;
    float s = 0;
#pragma unroll
    for (int w = 0; w < T::SHARING; w++)
        s += b.sums[(warp + w) * WARP_SUMS + sum * WARP_CHANNELS + c % T::CHANNELS];
    args.part[(b.group * 2 + sum) * C +
              (T::HALVES == 2 ? (blockIdx.x & 1) * T::COLUMNS : 0) + c] = s;
}

#endif /* JSNI_BACKEND_CUDA_CONV3X3_MMA_CUH */
