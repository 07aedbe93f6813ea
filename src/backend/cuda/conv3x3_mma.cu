/* backend/cuda/conv3x3_mma.cu - 3x3 convolutions with stride 1, forward and
 * backward-data (the weights come packed in register order, so one kernel does both).
 *
 * Each warp keeps the weights of 1024/C output channels for all 9 taps in 144 registers
 * and marches over the rows of its strip of 16 pixels:
 *
 *     C = 32: an image         C = 64: an image        C = 128: 4 images, half of
 *                                                      the output channels
 *     +--------+--------+      +-----------------+     +------+ +------+ +------+ +------+
 *     | warp 0 | warp 1 |      |  warps 0 to 3   |     |    warps 0 to 7, each all of    |
 *     |   v    |   v    |      |        v        |     |  v   | |  v   | |  v   | |  v   |
 *     +--------+--------+      |                 |     +------+ +------+ +------+ +------+
 *     |   ^    |   ^    |      +-----------------+     8 x 8 pixels each; a strip is a row
 *     | warp 2 | warp 3 |      16 x 16 pixels,         of two images; 8 channels a warp
 *     +--------+--------+      16 channels a warp
 *     32 x 32 pixels, all
 *     32 channels a warp
 *
 * An input row is read from shared memory once per column shift and feeds three output
 * rows, whose sums lie in registers and move up by one after each row:
 *
 *     input row s   -- taps kh = 2 -->  acc[0]: output row s - 1, then complete
 *                   -- taps kh = 1 -->  acc[1]: output row s
 *                   -- taps kh = 0 -->  acc[2]: output row s + 1
 *
 * Loading, the transform of what was loaded, products and stores overlap. While stage g is
 * multiplied, a thread transforms its part of stage g + 1 and starts the copies
 *
 *     of x         for stage g + 4, into a ring of 5 stages with a padding pixel at both
 *                  ends of each row: [stage][row of the stage][H + 2 pixels][C]
 *     of x2, x3    for stage g + 3, the operands of the prologue
 *     of e         for stage g + 2, the operand of the epilogue
 *
 * x2, x3 and e lie in rings of 3 stages, in the order of the threads: each reads only what
 * it copied itself.
 */
#include "backend/cuda/conv_kernels.h"

#include "backend/cuda/conv3x3_mma.cuh"
#include "backend/cuda/cuda_launch.cuh"

/* ---- epilogue: a thread's results of a pixel are 1, 2 or 4 words ---- */

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
        load_shared8(to[0], to[1 % WORDS], from);
    } else {
        load_shared4(to[0], from);
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

/* A thread's results of a step: neighbouring channels of two pixels of each M tile. */
template <int C, int PRO, int EPI> struct mma_results {
    using T = mma_tiles<C>;
    const mma_block<C, PRO, EPI> &b;
    const mma_role<C> &role;
    const int lane, channel0; /* the thread's first one */

    __device__ __forceinline__ mma_results(const mma_block<C, PRO, EPI> &block,
                                           const mma_role<C> &warp)
        : b(block), role(warp), lane(block.lane),
          channel0(role.channel_group * T::CHANNELS + (lane & 3) * T::NEIGHBOURS)
    {
    }

    /* Where pixel `half` of tile m is in a tensor. */
    __device__ __forceinline__ int place(int step, int m, int half) const
    {
        const int row = role.upwards ? T::H - 1 - step : step;
        const int image = C == 128 ? m * 2 + half : 0;
        const int p =
            C == 128 ? lane >> 2 : role.strip * MMA_M + (lane >> 2) + half * MMA_M / 2;
        return (((b.first_image + image) * T::H + row) * T::H + p) * C + channel0;
    }

    /* What the epilogue of a stage needs of e. */
    __device__ __forceinline__ void load_operands(int stage) const
    {
        if (has_operand(EPI) && stage < STAGES)
#pragma unroll
            for (int k = 0; k < T::MARCHED; k++)
#pragma unroll
                for (int m = 0; m < T::M_TILES; m++)
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        const int step = stage * T::MARCHED + k;
                        copy_bytes<T::RESULT>(b.operand(step, m, half),
                                              b.e + place(step, m, half));
                    }
    }

    /* The epilogue of a step: what is stored, and the sums of it. */
    __device__ __forceinline__ void store(int step, const mma_sums<C> &results,
                                          float *sums, float *product_sums) const
    {
#pragma unroll
        for (int m = 0; m < T::M_TILES; m++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                uint32_t out[T::N_TILES], e[T::N_TILES] = {};
                if (has_operand(EPI))
                    load_words(e, b.operand(step, m, half));
#pragma unroll
                for (int n = 0; n < T::N_TILES; n++)
                    out[n] = finish_pair<EPI>(results[m][n][half * 2],
                                              results[m][n][half * 2 + 1], e[n],
                                              b.coefs + COEF_EA * C + channel0 + 2 * n,
                                              C, sums + 2 * n, product_sums + 2 * n);
                store_words(b.y + place(step, m, half), out);
            }
    }
};

/* ---- channel sums ---- */

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
static __device__ __forceinline__ void store_sums(const jsni_conv_args &args,
                                                  const mma_block<C, PRO, EPI> &b)
{
    using T = mma_tiles<C>;
    const int tid = threadIdx.x, sum = tid / T::COLUMNS, c = tid % T::COLUMNS;
    const int warp = c / T::CHANNELS; /* the first that has this channel */
    float s = 0.0f;
#pragma unroll
    for (int w = 0; w < T::SHARING; w++)
        s += b.sums[(warp + w) * WARP_SUMS + sum * WARP_CHANNELS + c % T::CHANNELS];
    store_sum<C>(args, b.view, sum,
                 (T::HALVES == 2 ? (blockIdx.x & 1) * T::COLUMNS : 0) + c, s);
}

/* ---- the march ---- */

/* Starts the copies of a stage before the march, as many as the march finds started. */
template <int C, int PRO, int EPI>
static __device__ __forceinline__ void
start_copies(const mma_loader<C, PRO, EPI> &loader,
             const mma_results<C, PRO, EPI> &results, int stage)
{
    loader.load(stage);
    if (stage < SIDE_AHEAD)
        loader.load_sides(stage);
    if (stage < OPERAND_AHEAD)
        results.load_operands(stage);
    copy_commit();
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

template <int C, int PRO, int EPI>
__global__ void __launch_bounds__(mma_tiles<C>::THREADS, mma_tiles<C>::BLOCKS)
    conv3x3(const jsni_conv_args args)
{
    using T = mma_tiles<C>;
    extern __shared__ char unaligned[];
    const mma_block<C, PRO, EPI> b(unaligned, args);
    launch_next();
    if (is_norm_block<C, PRO>(args))
        return;
    const mma_role<C> role(b.warp);
    mma_weights weights;
    load_weights(weights, args.w, role.channel_group, role.upwards, b.lane);
    b.clear_edges();
    launch_wait(); /* what earlier kernels wrote is read only from here on */
    const mma_loader<C, PRO, EPI> loader(b);
    const mma_results<C, PRO, EPI> results(b, role);
    static_assert(AHEAD == 4, "stages that the march finds started");
    start_copies(loader, results, 0);
    start_copies(loader, results, 1);
    start_copies(loader, results, 2);
    start_copies(loader, results, 3);
    if (threadIdx.x < C)
        load_coefs<C, PRO, EPI>(args, b.view, threadIdx.x, b.coefs);
    uint32_t fragment[3];
    role.find_fragments(fragment, b.lane);
    mma_sums<C> acc[3] = {};
    float sums[T::NEIGHBOURS] = {}, product_sums[T::NEIGHBOURS] = {};
    __syncthreads();        /* coefficients */
    copy_wait<AHEAD - 1>(); /* stage 0 */
#pragma unroll
    for (int i = 0; i < T::MINE; i++)
        loader.transform(0, i);
#pragma unroll 1
    for (int stage = 0; stage < STAGES; stage++) {
        wait_for(stage);
        __syncthreads();
        const uint32_t rows = b.ring + (stage % RING) * T::STAGE;
#pragma unroll
        for (int k = 0; k < T::MARCHED; k++) {
            const int step = stage * T::MARCHED + k;
            if (k == 0 && stage == 0)
                products<C, FEEDS_NEXT | FEEDS_SAME>(acc, weights, fragment, rows);
            else
                products<C, FEEDS_ALL>(acc, weights, fragment, rows + k * T::PITCH);
#pragma unroll
            for (int i = k * T::MINE / T::MARCHED; i < (k + 1) * T::MINE / T::MARCHED;
                 i++) /* a part of the next stage */
                loader.transform(stage + 1, i);
            if (step)
                results.store(step - 1, acc[0], sums, product_sums);
            move_up<C>(acc);
            if (k == 0) {
                loader.load(stage + AHEAD);
                loader.load_sides(stage + SIDE_AHEAD);
                results.load_operands(stage + OPERAND_AHEAD);
                copy_commit();
            }
        }
    }
    /* C = 32: the row beyond this half is the last that the other half has loaded. */
    if (C == 32)
        products<C, FEEDS_LAST>(acc, weights, fragment,
                                b.ring + ((STAGES - 1) % RING) * T::STAGE +
                                    (role.upwards ? -1 : 3) * T::PITCH);
    results.store(STAGES * T::MARCHED - 1, acc[0], sums, product_sums);
    leave_sums(b.sums, b.warp, b.lane, sums, product_sums);
    __syncthreads();
    if ((int)threadIdx.x < 2 * T::COLUMNS)
        store_sums(args, b);
}

template <int C>
static cudaError_t start(const jsni_conv_args *args, int prologue, int epilogue,
                         cudaStream_t stream)
{
    return choose_fused(prologue, epilogue, [=](auto what) {
        using T = mma_tiles<C>;
        constexpr int PRO = what.PROLOGUE, EPI = what.EPILOGUE;
        static_assert(MMA_BYTES<C, PRO, EPI> <= JSNI_CONV_SHARED, "see roomy");
        return jsni_launch(conv3x3<C, PRO, EPI>,
                           with_norm_block(args, args->images / T::IMAGES * T::HALVES),
                           T::THREADS, MMA_BYTES<C, PRO, EPI>, 1, stream, *args);
    });
}

cudaError_t jsni_conv3x3(const jsni_conv_args *args, int channels,
                         jsni_conv_prologue prologue, jsni_conv_epilogue epilogue,
                         bool wide, cudaStream_t stream)
{
    if (wide)
        return channels == 32
                   ? jsni_conv3x3_rows(args, prologue, epilogue, stream)
                   : jsni_conv3x3_image(args, channels, prologue, epilogue, stream);
    switch (channels) {
    case 32:
        return start<32>(args, prologue, epilogue, stream);
    case 64:
        return start<64>(args, prologue, epilogue, stream);
    case 128:
        return start<128>(args, prologue, epilogue, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

bool jsni_conv3x3_fits(int channels, int height, int width, int view_images)
{
    return (channels == 32 || channels == 64 || channels == 128) &&
           channels * height == 1024 && height == width && view_images % 8 == 0;
}
