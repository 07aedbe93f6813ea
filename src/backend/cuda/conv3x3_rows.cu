/* backend/cuda/conv3x3_rows.cu - the 3x3 convolution of 32 channels at 32x32 pixels on
 * wgmma, for sm_90a: forward and backward-data.
 *
 * A block takes one or two images; each has a warpgroup that loads and transforms
 * ("producer") and one that multiplies and stores ("consumer"). They march from the top of
 * the upper and of the lower half of the image at once:
 *
 *     line  0  +-----------+-----------+
 *              |  warp 0   |  warp 1   |    The consumer's warps: 16 pixels of a line each,
 *              |     v     |     v     |    all 32 channels. A lane has pixels l / 4 and
 *     line 16  +-----------+-----------+    l / 4 + 8 of them and 8 channels from
 *              |  warp 2   |  warp 3   |    8 * (l % 4) on.
 *              |     v     |     v     |
 *     line 31  +-----------+-----------+
 *
 *   position p:  lines p-1 and 15+p  (0 <= p < 18; lines -1 and 32 are padding)
 *   a product:   M = 64 pixels, both lines; N = 96, the three output lines that an input
 *                line feeds; K = 16 of the input channels, 2 x 3 column shifts
 *
 * The three output lines are three blocks of registers that take turns: after position p
 * the block of output line p-2 (of either half) is complete. The weights lie in shared
 * memory with their rows in the order 2,1,0,2,1 by column shift, so that each turn is
 * another start address.
 *
 *   a position in shared memory: [8 channels][line][group of 8 pixels][10][16 bytes]
 *
 * Each group of 8 pixels has its neighbours beside it: a column shift is 16 bytes.
 *
 * Accumulators are copied and zeroed in place by asm and pinned before the fence, else the
 * assembler serialises every wgmma.
 */
#include "backend/cuda/conv_kernels.h"

#include <type_traits>

#include "backend/cuda/conv_fused.cuh"
#include "backend/cuda/conv_wgmma.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int C = 32;
constexpr int WARPGROUP = 128, WARPS = WARPGROUP / 32;
constexpr int RING = 9; /* positions in shared memory */
constexpr int CHUNK = 16 /* bytes */, CHUNK_CHANNELS = 8, CHUNKS = C / CHUNK_CHANNELS;
constexpr int GROUP_PIXELS = 8, GROUP = (GROUP_PIXELS + 2) * CHUNK;
constexpr int LINE = 32 / GROUP_PIXELS * GROUP;
/* 32 bytes more, so that slabs of channels begin in other banks. */
constexpr int SLAB = 2 * LINE + 2 * CHUNK, IMAGE = CHUNKS * SLAB;
constexpr int WEIGHT_ROWS = 5 * C;                /* of the five rows of taps */
constexpr int WEIGHT_SLAB = WEIGHT_ROWS * CHUNK;  /* 8 input channels */
constexpr int WEIGHTS = 3 * CHUNKS * WEIGHT_SLAB; /* by column shift */
constexpr int BARRIER = 8;                        /* bytes */

/* Shared memory of a block with so many images. With two this also keeps a second block
 * off the multiprocessor. */
template <int IMAGES> struct row_layout {
    static constexpr int THREADS = IMAGES * 2 * WARPGROUP;
    static constexpr int CONSUMERS = IMAGES * WARPGROUP;
    static constexpr int SLOT = IMAGES * IMAGE;
    static constexpr int AT_SLOTS = WEIGHTS, AT_COEFS = AT_SLOTS + RING * SLOT;
    static constexpr int AT_SUMS = AT_COEFS + COEFS * C * 4;
    static constexpr int AT_BARRIERS = AT_SUMS + IMAGES * WARPS * 2 * C * 4;
    static constexpr int BYTES = AT_BARRIERS + IMAGES * 2 * RING * BARRIER;
};

/* What a thread of the kernel knows about its image. */
template <int IMAGES> struct row_block {
    using T = row_layout<IMAGES>;
    uint32_t weights, slots, full, empty; /* addresses in shared memory */
    float *coef, *sums; /* pa, pb, pd, ea, eb; of the consumers' warps */
    int image, view;

    __device__ __forceinline__ row_block(char *shared, const jsni_conv_args &args,
                                         int turns)
        : weights(shared_address(shared)), coef((float *)(shared + T::AT_COEFS)),
          sums((float *)(shared + T::AT_SUMS))
    {
        const int mine = (int)threadIdx.x / WARPGROUP % IMAGES;
        slots = weights + T::AT_SLOTS + mine * IMAGE;
        full = weights + T::AT_BARRIERS + mine * 2 * RING * BARRIER;
        empty = full + RING * BARRIER;
        image = (int)blockIdx.x * (turns * IMAGES) + mine;
        view = image / args.view_images;
    }
    /* The same block in its next turn. */
    __device__ __forceinline__ row_block next(void) const
    {
        row_block b = *this;
        b.image += IMAGES;
        return b;
    }
    __device__ __forceinline__ uint32_t slot(int position) const
    {
        return slots + position % RING * T::SLOT;
    }
    __device__ __forceinline__ uint32_t full_of(int position) const
    {
        return full + position % RING * BARRIER;
    }
    __device__ __forceinline__ uint32_t empty_of(int position) const
    {
        return empty + position % RING * BARRIER;
    }
};

#if __CUDA_ARCH_FEAT_SM90_ALL

constexpr int H = 32, HALF = H / 2, POSITIONS = HALF + 2; /* lines, and of the march */

/* ---- producers: lines into shared memory, transformed ---- */

template <int IMAGES, int PRO> struct row_loader {
    static constexpr int DEPTH = PRO == JSNI_CONV_SKIP_BACK ? 2
                                 : PRO == JSNI_CONV_NORM_BACK
                                     ? 3
                                     : 6;             /* positions under way */
    static constexpr int READ = 1 + more_inputs(PRO); /* tensors */
    static_assert(POSITIONS % DEPTH == 0 && POSITIONS % (2 * RING) == 0, "see run()");

    uint4 v[DEPTH][2][READ]; /* by half of the image */

    static __device__ __forceinline__ int chunk(void)
    {
        return (int)threadIdx.x % CHUNKS;
    }
    static __device__ __forceinline__ int pixel(void)
    {
        return (int)threadIdx.x % WARPGROUP / CHUNKS;
    }
    static __device__ __forceinline__ bool inside(int position, int half)
    {
        return half ? position < POSITIONS - 1 : position > 0;
    }
    static __device__ __forceinline__ int place(const row_block<IMAGES> &b,
                                                int position, int half)
    {
        const int line = half ? HALF - 1 + position : position - 1;
        return ((b.image * H + line) * H + pixel()) * C + chunk() * CHUNK_CHANNELS;
    }

    __device__ __forceinline__ void fetch(const jsni_conv_args &args,
                                          const row_block<IMAGES> &b, int position,
                                          uint4 (&to)[2][READ])
    {
        const void *const from[] = {args.x, args.x2, args.x3};
#pragma unroll
        for (int half = 0; half < 2; half++)
            if (inside(position, half))
#pragma unroll
                for (int k = 0; k < READ; k++)
                    to[half][k] = __ldg((const uint4 *)((const bf16 *)from[k] +
                                                        place(b, position, half)));
    }

    __device__ __forceinline__ void store(const jsni_conv_args &args,
                                          const row_block<IMAGES> &b, int position,
                                          const uint4 (&from)[2][READ])
    {
        const float *pa = b.coef + chunk() * CHUNK_CHANNELS, *pb = pa + C, *pd = pb + C;
        const int column = pixel() % GROUP_PIXELS;
        const uint32_t to = b.slot(position) + chunk() * SLAB +
                            pixel() / GROUP_PIXELS * GROUP + (column + 1) * CHUNK;
        /* The edge of a group is also a neighbour of the next one. */
        constexpr int APART = GROUP - GROUP_PIXELS * CHUNK;
        const int again = column == GROUP_PIXELS - 1 && pixel() < H - 1 ? APART
                          : column == 0 && pixel() > 0                  ? -APART
                                                                        : 0;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            uint4 v = make_uint4(0, 0, 0, 0);
            if (inside(position, half)) {
                v = from[half][0];
                if (PRO == JSNI_CONV_NORM_RELU)
                    v = norm_relu8(v, pa, pb);
                if (goes_back(PRO))
                    v = norm_back8<PRO == JSNI_CONV_SKIP_BACK>(
                        v, from[half][READ > 1], from[half][READ > 2 ? 2 : 0], pa, pb,
                        pd);
                /* Lines 15 and 16 pass twice (each half needs both); kept once. */
                if (goes_back(PRO) && args.xo &&
                    (half ? position > 0 : position < POSITIONS - 1))
                    *(uint4 *)((bf16 *)args.xo + place(b, position, half)) = v;
            }
            store_shared16(to + half * LINE, v);
            if (again)
                store_shared16(to + again + half * LINE, v);
        }
    }

    /* One turn of a block. It goes twice round the ring, so phases are the same in each. */
    __device__ __forceinline__ void
    run(const jsni_conv_args &args, const row_block<IMAGES> &b, bool first, bool last)
    {
#pragma unroll 1
        for (int p0 = 0; p0 < POSITIONS; p0 += DEPTH)
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                const int position = p0 + j;
                if (position >= RING || !first)
                    barrier_wait(b.empty_of(position), (position / RING - 1) & 1);
                store(args, b, position, v[j]);
                fence_async();
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    barrier_arrive(b.full_of(position));
                if (position + DEPTH < POSITIONS)
                    fetch(args, b, position + DEPTH, v[j]);
                else if (!last)
                    fetch(args, b.next(), position + DEPTH - POSITIONS, v[j]);
            }
    }
};

/* ---- consumers: products, epilogue, channel sums ---- */

/* The channel sums of the block, the warps' in order. */
template <int IMAGES>
static __device__ __forceinline__ void store_sums(const jsni_conv_args &args,
                                                  const row_block<IMAGES> &b)
{
    const int i = threadIdx.x;
    if (i >= 2 * C)
        return;
    float s = 0.0f;
    for (int warp = 0; warp < IMAGES * WARPS; warp++)
        s += b.sums[warp * 2 * C + i];
    store_sum<C>(args, b.view, i / C, i % C, s);
}

/* A thread has pixels p and p + 8 of a line of one half, and 8 neighbouring channels.
 * Three blocks of d: [4 pairs of channels][pixel][2]. */
template <int IMAGES, int EPI> struct row_maker {
    float d[48];    /* the three output lines */
    float done[16]; /* the line that is complete */
    float s1[8] = {}, s2[8] = {};
    uint4 e[3][2]; /* operand of the epilogue, three lines ahead: [pixel] */
    int base;      /* place of this thread's first result */

    __device__ __forceinline__ explicit row_maker(const row_block<IMAGES> &b)
    {
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32 % WARPS;
        const int line = warp / 2 * HALF, column = warp % 2 * 16 + lane / 4;
        base = ((b.image * H + line) * H + column) * C + lane % 4 * 8;
#pragma unroll
        for (int i = 0; i < 48; i++)
            d[i] = 0.0f;
    }

    __device__ __forceinline__ void fetch(const jsni_conv_args &args, int line,
                                          uint4 (&to)[2])
    {
        if (has_operand(EPI)) {
            const bf16 *from = (const bf16 *)args.e + base + line * H * C;
            to[0] = __ldg((const uint4 *)from);
            to[1] = __ldg((const uint4 *)(from + 8 * C));
        }
    }

    __device__ __forceinline__ void store(const jsni_conv_args &args,
                                          const row_block<IMAGES> &b, int line,
                                          const uint4 (&operand)[2])
    {
        const float *ea = b.coef + COEF_EA * C + threadIdx.x % 4 * 8;
#pragma unroll
        for (int pixel = 0; pixel < 2; pixel++) {
            const uint32_t *w = (const uint32_t *)&operand[pixel];
            uint32_t out[4];
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int at = q * 4 + pixel * 2;
                out[q] = finish_pair<EPI>(done[at], done[at + 1], w[q], ea + 2 * q, C,
                                          s1 + 2 * q, s2 + 2 * q);
            }
            *(uint4 *)((bf16 *)args.y + base + line * H * C + pixel * 8 * C) =
                make_uint4(out[0], out[1], out[2], out[3]);
        }
    }

    /* Keeps the compiler from moving accumulator writes across. */
    __device__ __forceinline__ void pin(void)
    {
#pragma unroll
        for (int i = 0; i < 48; i++)
            ::pin(d[i]);
    }

    /* The products of a position; the output line that the last one completed is stored
     * meanwhile. TURN: position % 3, which decides the blocks of registers. */
    template <int TURN, bool FIRST>
    __device__ __forceinline__ void step(const jsni_conv_args &args,
                                         const row_block<IMAGES> &b, int position)
    {
        barrier_wait(b.full_of(position), position / RING & 1);
        pin();
        products_begin();
#pragma unroll
        for (int column = 0; column < 3; column++)
#pragma unroll
            for (int k = 0; k < 2; k++)
                multiply96(d,
                           descriptor(b.slot(position) + 2 * k * SLAB + column * CHUNK,
                                      SLAB, GROUP),
                           descriptor(b.weights + (column * 2 + k) * 2 * WEIGHT_SLAB +
                                          (2 - TURN) * C * CHUNK,
                                      WEIGHT_SLAB, 8 * CHUNK));
        products_commit();
        if (!FIRST)
            store(args, b, position - 3, e[TURN]);
        fetch(args, position < HALF - 1 ? position : HALF - 1, e[TURN]);
        products_wait();
        pin();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(b.empty_of(position));
        constexpr int LINE_DONE = (TURN + 1) % 3; /* of output line position - 2 */
#pragma unroll
        for (int i = 0; i < 16; i++) {
            copy_in_place(done[i], d[LINE_DONE * 16 + i]);
            clear_in_place(d[LINE_DONE * 16 + i]);
        }
    }

    /* The warp's channel sums into shared memory: [2][C]. */
    __device__ __forceinline__ void leave_sums(const row_block<IMAGES> &b)
    {
        const int lane = (int)threadIdx.x % 32;
        float *to = b.sums + threadIdx.x / 32 * 2 * C;
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int apart = 4; apart < 32; apart *= 2) {
                s1[k] += __shfl_xor_sync(~0u, s1[k], apart);
                s2[k] += __shfl_xor_sync(~0u, s2[k], apart);
            }
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (lane < 4) {
                to[lane * 8 + k] = s1[k];
                to[C + lane * 8 + k] = s2[k];
            }
    }

    /* The lines of an image. */
    __device__ __forceinline__ void march(const jsni_conv_args &args,
                                          const row_block<IMAGES> &b)
    {
        step<0, true>(args, b, 0);
        step<1, true>(args, b, 1);
        step<2, true>(args, b, 2);
#pragma unroll 1
        for (int position = 3; position < POSITIONS; position += 3) {
            step<0, false>(args, b, position);
            step<1, false>(args, b, position + 1);
            step<2, false>(args, b, position + 2);
        }
        store(args, b, HALF - 1, e[0]);
        leave_sums(b);
    }

    /* A turn's sums leave, the next turn begins with none. What is left in two blocks of d
     * goes when its first two positions clear them. */
    __device__ __forceinline__ void end_turn(const jsni_conv_args &args,
                                             const row_block<IMAGES> &b)
    {
        constexpr int CONSUMERS = row_layout<IMAGES>::CONSUMERS;
        meet<CONSUMERS>();
        store_sums(args, b);
        meet<CONSUMERS>();
#pragma unroll
        for (int k = 0; k < 8; k++)
            s1[k] = s2[k] = 0.0f;
        base += IMAGES * H * H * C;
    }
};

/* ---- the kernel ---- */

/* Weights, zeros where nothing is loaded, barriers: all that needs no earlier kernel. */
template <int IMAGES>
static __device__ __forceinline__ void prepare(const jsni_conv_args &args,
                                               const row_block<IMAGES> &b)
{
    using T = row_layout<IMAGES>;
    const int tid = (int)threadIdx.x, in_group = tid % WARPGROUP;
    for (int i = tid; i < WEIGHTS / 16; i += T::THREADS)
        store_shared16(b.weights + i * 16, __ldg((const uint4 *)args.w + i));
    for (int i = tid; i < RING * T::SLOT / 16; i += T::THREADS)
        store_shared16(b.weights + T::AT_SLOTS + i * 16, make_uint4(0, 0, 0, 0));
    if (tid < T::CONSUMERS && in_group < RING) { /* one arrival a warp */
        barrier_init(b.full + in_group * BARRIER, WARPS);
        barrier_init(b.empty + in_group * BARRIER, WARPS);
    }
}

#endif

/* TURNS: a block has several, each with the images and the sums of a block without. */
template <int IMAGES, int PRO, int EPI, bool TURNS>
__global__ void __launch_bounds__(row_layout<IMAGES>::THREADS, 1)
    conv3x3_rows(const jsni_conv_args args)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    using T = row_layout<IMAGES>;
    extern __shared__ __align__(128) char shared[];
    const int turns = TURNS ? args.turns : 1;
    const row_block<IMAGES> b(shared, args, turns);
    const bool producer = threadIdx.x >= T::CONSUMERS;
    launch_next();
    if (is_norm_block<C, PRO>(args))
        return;
    prepare(args, b);
    launch_wait(); /* what earlier kernels wrote is read only from here on */
    row_loader<IMAGES, PRO> loader;
    if (producer)
#pragma unroll
        for (int j = 0; j < row_loader<IMAGES, PRO>::DEPTH; j++)
            loader.fetch(args, b, j, loader.v[j]);
    if (threadIdx.x < C)
        load_coefs<C, PRO, EPI>(args, b.view, threadIdx.x, b.coef);
    fence_async();
    __syncthreads();
    /* 512 threads have 128 registers each to begin with, 256 as many as they need. */
    if (producer) {
        if constexpr (IMAGES == 2)
            give_registers<88>();
        if (TURNS) {
            row_block<IMAGES> now = b;
#pragma unroll 1
            for (int turn = 0; turn < turns; turn++, now = now.next())
                loader.run(args, now, turn == 0, turn + 1 == turns);
        } else {
            loader.run(args, b, true, true);
        }
        __syncthreads();
    } else {
        if constexpr (IMAGES == 2)
            take_registers<160>();
        row_maker<IMAGES, EPI> maker(b);
#pragma unroll 1
        for (int turn = 0; turn < turns; turn++) {
            maker.march(args, b);
            if (TURNS)
                maker.end_turn(args, b);
        }
        __syncthreads();
        if (!TURNS)
            store_sums(args, b);
    }
#endif
}

template <int IMAGES>
static cudaError_t start(const jsni_conv_args *args, int prologue, int epilogue,
                         cudaStream_t stream)
{
    using T = row_layout<IMAGES>;
    jsni_conv_args a = *args;
    a.turns = turns_of_block(&a, IMAGES);
    const int blocks = with_norm_block(&a, a.images / (a.turns * IMAGES));
    return choose_fused(prologue, epilogue, [=](auto what) {
        const auto kernel =
            a.turns > 1 ? conv3x3_rows<IMAGES, what.PROLOGUE, what.EPILOGUE, true>
                        : conv3x3_rows<IMAGES, what.PROLOGUE, what.EPILOGUE, false>;
        return jsni_launch(kernel, blocks, T::THREADS, T::BYTES, 1, stream, a);
    });
}

cudaError_t jsni_conv3x3_rows(const jsni_conv_args *args, jsni_conv_prologue prologue,
                              jsni_conv_epilogue epilogue, cudaStream_t stream)
{
    return args->images / 2 >= BUSY ? start<2>(args, prologue, epilogue, stream)
                                    : start<1>(args, prologue, epilogue, stream);
}
