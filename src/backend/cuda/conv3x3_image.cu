/* backend/cuda/conv3x3_image.cu - the 3x3 convolution of 64 and 128 channels on wgmma,
 * for sm_90a: forward and backward-data.
 *
 * A block holds the weights of 64 output channels in shared memory and takes whole
 * images, one behind the other. Two warpgroups load and transform ("producers"), two
 * multiply and store ("consumers"), each every second tile.
 *
 *   a tile: 64 pixels in a row of memory, i.e. 4 lines of 16 pixels, or all 8 of 8
 *
 *   an image in shared memory: [8 channels][line][group of 8 pixels][10][16 bytes]
 *
 *          padding line            . . . . . . . . . .   . . . . . . . . . .
 *          line 0, groups 0 and 1  . 0 1 2 3 4 5 6 7 8   7 8 9 a b c d e f .
 *          line 1                  . 0 1 2 3 4 5 6 7 8   7 8 9 a b c d e f .
 *          ...
 *
 * Each group of 8 pixels has its neighbours beside it, so the pixels under a tap are the
 * same groups from another start: 16 bytes further a column, one line of groups a row.
 * All 9 taps are descriptors into one copy of the image.
 *
 *   weights: [half of the output channels][tap][8 input channels][64 output][16 bytes]
 *
 * with output channels in the order in which a thread of the product has 8 neighbours.
 */
#include "backend/cuda/conv_kernels.h"

#include "backend/cuda/conv_fused.cuh"
#include "backend/cuda/conv_wgmma.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int WARPGROUP = 128, PRODUCERS = 2 * WARPGROUP, CONSUMERS = 2 * WARPGROUP;
constexpr int THREADS = CONSUMERS + PRODUCERS, CONSUMER_WARPS = CONSUMERS / 32;
constexpr int TILE = 64;    /* pixels of a product */
constexpr int COLUMNS = 64; /* output channels of a block */
constexpr int TAPS = 9, CHUNK = 16 /* bytes */, CHUNK_CHANNELS = 8;
constexpr int GROUP_PIXELS = 8, GROUP = (GROUP_PIXELS + 2) * CHUNK;
constexpr int BARRIER = 8; /* bytes */

template <int C> struct image_tiles {
    static constexpr int H = 1024 / C, PIXELS = H * H;
    static constexpr int SLABS = C / CHUNK_CHANNELS;
    static constexpr int GROUPS = H / GROUP_PIXELS; /* of a line */
    static constexpr int LINE = GROUPS * GROUP;
    /* 16 bytes more, so that the same pixel of neighbouring slabs is in other banks. */
    static constexpr int SLAB = (H + 2) * LINE + CHUNK, IMAGE = SLABS * SLAB;
    static constexpr int SLOTS = C == 128 ? 3 : 2; /* images in shared memory */
    static constexpr int TILES = PIXELS / TILE;    /* of an image */
    static constexpr int HALVES = C / COLUMNS;
    static constexpr int WEIGHTS = TAPS * C * COLUMNS * 2;
    /* Loading: pixels that all producers take at once, and how often for a tile. */
    static constexpr int SPREAD = PRODUCERS / SLABS, ROUNDS = TILE / SPREAD;

    static constexpr int AT_IMAGES = WEIGHTS, AT_COEFS = AT_IMAGES + SLOTS * IMAGE;
    static constexpr int AT_SUMS = AT_COEFS + COEFS * C * 4;
    static constexpr int AT_BARRIERS = AT_SUMS + CONSUMER_WARPS * 2 * COLUMNS * 4;
    static constexpr int BARRIERS = SLOTS * (TILES + 1) + 1;
    static constexpr int BYTES = AT_BARRIERS + BARRIERS * BARRIER;
    static_assert(BYTES <= 227 * 1024, "more than a block can have");
};

/* What a thread of the kernel knows about its block. */
template <int C> struct image_block {
    using T = image_tiles<C>;
    uint32_t weights, images;     /* addresses in shared memory */
    uint32_t full, empty, loaded; /* barriers: by tile, by slot, of the weights */
    float *coef, *sums;           /* pa, pb, pd, ea, eb; of the consumers' warps */
    int count, first;             /* images */
    int half, view;               /* of the output channels */

    __device__ __forceinline__ image_block(char *shared, const jsni_conv_args &args)
        : weights(shared_address(shared)), images(weights + T::AT_IMAGES),
          full(weights + T::AT_BARRIERS), empty(full + T::SLOTS * T::TILES * BARRIER),
          loaded(empty + T::SLOTS * BARRIER), coef((float *)(shared + T::AT_COEFS)),
          sums((float *)(shared + T::AT_SUMS)), count(args.block_images)
    {
        const int rows = args.images / count; /* blocks of a half */
        half = (int)blockIdx.x / rows;
        first = (int)blockIdx.x % rows * count;
        view = first / args.view_images;
    }

    __device__ __forceinline__ uint32_t slot(int image) const
    {
        return images + image % T::SLOTS * T::IMAGE;
    }
    __device__ __forceinline__ uint32_t full_of(int image, int tile) const
    {
        return full + (image % T::SLOTS * T::TILES + tile) * BARRIER;
    }
    __device__ __forceinline__ uint32_t empty_of(int image) const
    {
        return empty + image % T::SLOTS * BARRIER;
    }
    __device__ __forceinline__ static int phase(int image)
    {
        return image / T::SLOTS & 1;
    }
};

#if __CUDA_ARCH_FEAT_SM90_ALL

/* ---- producers: tiles into shared memory, transformed ---- */

template <int C, int PRO> struct image_loader {
    using T = image_tiles<C>;
    /* Tiles under way at once, as registers allow. */
    static constexpr int DEPTH = (goes_back(PRO) ? 4 : 8) / T::ROUNDS;
    static constexpr int READ = 1 + more_inputs(PRO); /* tensors */

    uint4 v[DEPTH][READ][T::ROUNDS];

    static __device__ __forceinline__ int chunk(void)
    {
        return (int)threadIdx.x % T::SLABS;
    }
    static __device__ __forceinline__ int pixel(void)
    {
        return (int)(threadIdx.x - CONSUMERS) / T::SLABS;
    }
    /* Place of the thread's first pixel of a tile; fits 32 bits. */
    static __device__ __forceinline__ int place(const image_block<C> &b, int tile)
    {
        return ((b.first * T::TILES + tile) * TILE + pixel()) * C +
               chunk() * CHUNK_CHANNELS;
    }

    __device__ __forceinline__ void fetch(const jsni_conv_args &args,
                                          const image_block<C> &b, int tile,
                                          uint4 (&to)[READ][T::ROUNDS])
    {
        const void *const from[] = {args.x, args.x2, args.x3};
        const int at = place(b, tile);
#pragma unroll
        for (int i = 0; i < T::ROUNDS; i++)
#pragma unroll
            for (int k = 0; k < READ; k++)
                to[k][i] = __ldg(
                    (const uint4 *)((const bf16 *)from[k] + at + i * T::SPREAD * C));
    }

    __device__ __forceinline__ void store(const jsni_conv_args &args,
                                          const image_block<C> &b, int tile,
                                          const uint4 (&from)[READ][T::ROUNDS])
    {
        const int line = pixel() / T::H, column = pixel() % T::H;
        const float *pa = b.coef + chunk() * CHUNK_CHANNELS, *pb = pa + C, *pd = pb + C;
        const uint32_t to = b.slot(tile / T::TILES) + chunk() * T::SLAB + T::LINE +
                            tile % T::TILES * (TILE / GROUP_PIXELS) * GROUP +
                            line * T::LINE + column / GROUP_PIXELS * GROUP +
                            (column % GROUP_PIXELS + 1) * CHUNK;
        /* The edge of a group is also a neighbour of the next one. */
        constexpr int APART = GROUP - GROUP_PIXELS * CHUNK;
        const int in_group = column % GROUP_PIXELS;
        const int again = in_group == GROUP_PIXELS - 1 && column < T::H - 1 ? APART
                          : in_group == 0 && column > 0                     ? -APART
                                                                            : 0;
        const bool keep = goes_back(PRO) && args.xo && b.half == 0;
#pragma unroll
        for (int i = 0; i < T::ROUNDS; i++) {
            uint4 v = from[0][i];
            if (PRO == JSNI_CONV_NORM_RELU)
                v = norm_relu8(v, pa, pb);
            if (goes_back(PRO))
                v = norm_back8<PRO == JSNI_CONV_SKIP_BACK>(
                    v, from[READ > 1][i], from[READ > 2 ? 2 : 0][i], pa, pb, pd);
            if (keep)
                *(uint4 *)((bf16 *)args.xo + place(b, tile) + i * T::SPREAD * C) = v;
            const uint32_t at = to + i * (T::SPREAD / GROUP_PIXELS) * GROUP;
            store_shared16(at, v);
            if (T::GROUPS > 1 && again)
                store_shared16(at + again, v);
        }
    }

    __device__ __forceinline__ void run(const jsni_conv_args &args,
                                        const image_block<C> &b)
    {
        const int tiles = b.count * T::TILES;
#pragma unroll 1
        for (int t0 = 0; t0 < tiles; t0 += DEPTH)
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                const int tile = t0 + j, image = tile / T::TILES;
                if (tile >= tiles)
                    break;
                if (image >= T::SLOTS && tile % T::TILES == 0)
                    barrier_wait(b.empty_of(image), image_block<C>::phase(image) ^ 1);
                store(args, b, tile, v[j]);
                fence_async();
                __syncwarp();
                if (threadIdx.x % 32 == 0)
                    barrier_arrive(b.full_of(image, tile % T::TILES));
                if (tile + DEPTH < tiles)
                    fetch(args, b, tile + DEPTH, v[j]);
            }
    }
};

/* ---- consumers: products, epilogue, channel sums ---- */

/* The channel sums of the block, the warps' in order. */
template <int C>
static __device__ __forceinline__ void store_sums(const jsni_conv_args &args,
                                                  const image_block<C> &b)
{
    const int i = threadIdx.x, sum = i / COLUMNS, c = i % COLUMNS;
    if (i >= 2 * COLUMNS)
        return;
    float s = 0.0f;
    for (int w = 0; w < CONSUMER_WARPS; w++)
        s += b.sums[w * 2 * COLUMNS + i];
    store_sum<C>(args, b.view, sum, b.half * COLUMNS + c, s);
}

/* A thread has pixels p and p + 8 of a tile, and 8 neighbouring channels in each half of
 * the block's. Those of d: [half][4 pairs of channels][pixel][2]. */
template <int C, int EPI> struct image_maker {
    using T = image_tiles<C>;
    float s1[16] = {}, s2[16] = {};
    uint4 e[2][2]; /* operand of the epilogue: [pixel][half] */

    static __device__ __forceinline__ int place(const image_block<C> &b, int tile,
                                                int pixel, int part)
    {
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32 % 4;
        const int p = warp * 16 + lane / 4 + pixel * 8;
        return ((b.first * T::TILES + tile) * TILE + p) * C + b.half * COLUMNS +
               part * 32 + lane % 4 * 8;
    }

    __device__ __forceinline__ void fetch(const jsni_conv_args &args,
                                          const image_block<C> &b, int tile)
    {
#pragma unroll
        for (int i = 0; i < 4 && has_operand(EPI); i++)
            e[i / 2][i % 2] = __ldg(
                (const uint4 *)((const bf16 *)args.e + place(b, tile, i / 2, i % 2)));
    }

    /* All products of a tile: 9 taps, 16 input channels at a time. */
    static __device__ __forceinline__ void products(const image_block<C> &b, int tile,
                                                    float (&d)[32])
    {
        const uint64_t pixels = descriptor(
            b.slot(tile / T::TILES) + tile % T::TILES * (TILE / GROUP_PIXELS) * GROUP,
            T::SLAB, GROUP);
        const uint64_t weights = descriptor(b.weights, COLUMNS * CHUNK, 8 * CHUNK);
        products_begin();
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++)
#pragma unroll
            for (int k = 0; k < C / MMA_K; k++) {
                const int shift = tap / 3 * T::LINE + tap % 3 * CHUNK;
                multiply64(d, pixels + (shift + 2 * k * T::SLAB) / 16,
                           weights + (tap * T::SLABS + 2 * k) * (COLUMNS * CHUNK) / 16,
                           tap + k > 0);
            }
        products_commit();
        products_wait();
    }

    __device__ __forceinline__ void store(const jsni_conv_args &args,
                                          const image_block<C> &b, int tile,
                                          const float (&d)[32])
    {
        const float *ea = b.coef + COEF_EA * C + b.half * COLUMNS + threadIdx.x % 4 * 8;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int pixel = i / 2, part = i % 2;
            const uint32_t *w = (const uint32_t *)&e[pixel][part];
            uint32_t out[4];
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const int at = part * 16 + q * 4 + pixel * 2, k = part * 8 + 2 * q;
                out[q] = finish_pair<EPI>(d[at], d[at + 1], w[q],
                                          ea + part * 32 + 2 * q, C, s1 + k, s2 + k);
            }
            *(uint4 *)((bf16 *)args.y + place(b, tile, pixel, part)) =
                make_uint4(out[0], out[1], out[2], out[3]);
        }
    }

    /* The warp's channel sums into shared memory: [2][COLUMNS]. */
    __device__ __forceinline__ void leave_sums(const image_block<C> &b)
    {
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
        float *to = b.sums + warp * 2 * COLUMNS;
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int d = 4; d < 32; d *= 2) {
                s1[k] += __shfl_xor_sync(~0u, s1[k], d);
                s2[k] += __shfl_xor_sync(~0u, s2[k], d);
            }
#pragma unroll
        for (int k = 0; k < 16; k++)
            if (lane < 4) {
                to[k / 8 * 32 + lane * 8 + k % 8] = s1[k];
                to[COLUMNS + k / 8 * 32 + lane * 8 + k % 8] = s2[k];
            }
    }

    /* A turn's sums leave, the next turn begins with none. */
    __device__ __forceinline__ void end_turn(const jsni_conv_args &args,
                                             const image_block<C> &b)
    {
        leave_sums(b);
        meet<CONSUMERS>();
        store_sums(args, b);
        meet<CONSUMERS>();
#pragma unroll
        for (int k = 0; k < 16; k++)
            s1[k] = s2[k] = 0.0f;
    }

    template <bool TURNS>
    __device__ __forceinline__ void run(const jsni_conv_args &args,
                                        const image_block<C> &b)
    {
        const int tiles = b.count * T::TILES;
        const int turn_tiles = TURNS ? tiles / args.turns : tiles; /* an even number */
        float d[32];
        barrier_wait(b.loaded, 0);
#pragma unroll 1
        for (int tile = (int)threadIdx.x / WARPGROUP; tile < tiles; tile += 2) {
            const int image = tile / T::TILES, t = tile % T::TILES;
            fetch(args, b, tile);
            /* The line below belongs to the next tile; tiles are filled in order. */
            barrier_wait(b.full_of(image, t + 1 < T::TILES ? t + 1 : t),
                         image_block<C>::phase(image));
            products(b, tile, d);
            if (threadIdx.x % 32 == 0)
                barrier_arrive(b.empty_of(image));
            store(args, b, tile, d);
            if (TURNS && tile % turn_tiles >= turn_tiles - 2)
                end_turn(args, b);
        }
        if (!TURNS)
            leave_sums(b);
    }
};

/* ---- the kernel ---- */

/* The padding around the images of all slots. */
template <int C> static __device__ __forceinline__ void clear_edges(uint32_t images)
{
    using T = image_tiles<C>;
    constexpr int WIDE = GROUP / CHUNK * T::GROUPS, PLACES = (T::H + 2) * WIDE;
    for (int i = threadIdx.x; i < T::SLOTS * T::SLABS * PLACES; i += THREADS) {
        const int place = i % PLACES, line = place / WIDE, column = place % WIDE;
        if (line == 0 || line == T::H + 1 || column == 0 || column == WIDE - 1)
            store_shared16(images + i / PLACES * T::SLAB + place * CHUNK,
                           make_uint4(0, 0, 0, 0));
    }
}

#endif

/* TURNS: a block has several, each with the images and the sums of a block without. */
template <int C, int PRO, int EPI, bool TURNS>
__global__ void __launch_bounds__(THREADS, 1) conv3x3_image(const jsni_conv_args args)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    using T = image_tiles<C>;
    extern __shared__ __align__(128) char shared[];
    const image_block<C> b(shared, args);
    const bool producer = threadIdx.x >= CONSUMERS;
    launch_next();
    if (is_norm_block<C, PRO>(args))
        return;
    if (threadIdx.x == 0) {
        for (int i = 0; i < T::SLOTS * T::TILES; i++)
            barrier_init(b.full + i * BARRIER, PRODUCERS / 32);
        for (int i = 0; i < T::SLOTS; i++)
            barrier_init(b.empty + i * BARRIER, T::TILES * WARPGROUP / 32);
        barrier_init(b.loaded, 1);
        fence_async();
        bulk_load(b.weights, (const char *)args.w + b.half * T::WEIGHTS, T::WEIGHTS,
                  b.loaded);
    }
    launch_wait(); /* what earlier kernels wrote is read only from here on */
    image_loader<C, PRO> loader;
    if (producer)
#pragma unroll
        for (int j = 0; j < image_loader<C, PRO>::DEPTH; j++)
            if (j < b.count * T::TILES)
                loader.fetch(args, b, j, loader.v[j]);
    if (threadIdx.x < C)
        load_coefs<C, PRO, EPI>(args, b.view, threadIdx.x, b.coef);
    clear_edges<C>(b.images);
    fence_async();
    __syncthreads();
    if (producer) {
        /* 512 threads have 128 registers each to begin with. */
        give_registers<96>();
        loader.run(args, b);
        __syncthreads();
    } else {
        take_registers<152>();
        image_maker<C, EPI> maker;
        maker.template run<TURNS>(args, b);
        __syncthreads();
        if (!TURNS)
            store_sums(args, b);
    }
#endif
}

/* Images of a block: a power of two, as many as leave the device enough blocks. Of the
 * number of images alone, since it decides in which order sums are added. */
static int images_of_block(int halves, int images)
{
    int count = 1;
    while (count < 8 && images * halves / (2 * count) >= BUSY)
        count *= 2;
    return count;
}

template <int C>
static cudaError_t start(const jsni_conv_args *args, int prologue, int epilogue,
                         cudaStream_t stream)
{
    using T = image_tiles<C>;
    jsni_conv_args a = *args;
    a.block_images = images_of_block(T::HALVES, a.images);
    a.turns = turns_of_block(&a, a.block_images);
    a.block_images *= a.turns;
    const int blocks = with_norm_block(&a, a.images / a.block_images * T::HALVES);
    return choose_fused(prologue, epilogue, [=](auto what) {
        const auto kernel = a.turns > 1
                                ? conv3x3_image<C, what.PROLOGUE, what.EPILOGUE, true>
                                : conv3x3_image<C, what.PROLOGUE, what.EPILOGUE, false>;
        return jsni_launch(kernel, blocks, THREADS, T::BYTES, 1, stream, a);
    });
}

cudaError_t jsni_conv3x3_image(const jsni_conv_args *args, int channels,
                               jsni_conv_prologue prologue, jsni_conv_epilogue epilogue,
                               cudaStream_t stream)
{
    return channels == 64 ? start<64>(args, prologue, epilogue, stream)
                          : start<128>(args, prologue, epilogue, stream);
}
