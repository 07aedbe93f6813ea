/* backend/cuda/conv3x3_weights.cu - backward-weights of the 3x3 convolutions: an
 * implicit product over pixels, 9 x 32 x 16 accumulators in 144 registers of each warp,
 * the input normalised while it is loaded. Partial sums leave by block or by cluster of
 * two (fixed rank order); jsni_conv_final_sums() adds them, also in a fixed order.
 *
 * A block has COLUMNS x COLUMNS weights with all taps, its warps 32 output x 16 input
 * channels each:
 *
 *     C = 32, 32 x 32              C = 64 and 128, 64 x 64
 *
 *                ci 0   ci 16                ci 0   ci 16  ci 32  ci 48
 *              +------+------+             +------+------+------+------+
 *        co 0  | even | odd  |       co 0  |  0   |  2   |  4   |  6   |
 *              | warps| warps|             +------+------+------+------+
 *              +------+------+       co 32 |  1   |  3   |  5   |  7   |
 *     of each tile four warps: 2 strips    +------+------+------+------+
 *     of 16 pixels of each of 2 images     C = 128: four blocks make the layer
 *
 * and marches over IMAGES images, or twice as many (TURNS), a stage of 4 rows at a time (of one
 * image, or of two).
 * In shared memory a stage is
 *
 *     x:   [image][4 rows][padding pixel, H pixels, padding pixel][COLUMNS]
 *     dy:  [image][4 rows][H pixels][COLUMNS]
 *
 * Row by row: dy[r] meets x[r] (kh = 1) and x[r - 1] (kh = 0), whose fragments are still in
 * registers, as are those of dy[r - 1], which meets x[r] (kh = 2). So every row of both is
 * read from shared memory once. While stage s is multiplied, stage s + 1 is transformed and
 * stage s + 3 is copied.
 */
#include "backend/cuda/conv_kernels.h"

#include <cooperative_groups.h>

#include "backend/cuda/conv_parts.cuh"
#include "backend/cuda/cuda_launch.cuh"

namespace cg = cooperative_groups;

constexpr int BLOCK = 256, SHARED_ALIGN = 1024;
constexpr int RING = 4;        /* stages in shared memory */
constexpr int TURN_STAGES = 8; /* of a block's IMAGES */
/* Of an image. Powers of two that addresses are divided by have their bits as well: nvcc
 * makes more code of the division of an int. */
constexpr int ROW_BITS = 2, STAGE_ROWS = 1 << ROW_BITS;
constexpr int SUMS = PART_PRODUCTS;               /* a thread's, each one float4 */
constexpr int CHUNK = 8, CHUNK_BYTES = CHUNK * 2; /* channels that are copied at once */
constexpr int MOST_COLUMNS = 64; /* channels that a block has coefficients of */

template <int C> struct bwdw_tiles {
    static constexpr int H = 1024 / C;
    static constexpr int COLUMNS = part_columns(C); /* of a block, both sides */
    static constexpr int TILES = part_tiles(C);
    static constexpr int IMAGES = C == 128 ? 8 : 2;      /* of a block */
    static constexpr int STAGE_IMAGES = C == 64 ? 1 : 2; /* of a stage */
    static constexpr int UNIT_BITS = C == 32 ? 3 : C == 64 ? 2 : 1;
    static constexpr int UNIT = 1 << UNIT_BITS; /* stages of an image */
    static_assert(UNIT == H / STAGE_ROWS, "whole images");
    static constexpr int PIXEL = COLUMNS * 2;                             /* bytes */
    static constexpr int X_PITCH = (H + 2) * PIXEL, DY_PITCH = H * PIXEL; /* of a row */
    static constexpr int X = STAGE_IMAGES * STAGE_ROWS * X_PITCH;
    static constexpr int DY = STAGE_IMAGES * STAGE_ROWS * DY_PITCH, STAGE = X + DY;
    static constexpr int CHUNKS = COLUMNS / CHUNK;        /* of a pixel */
    static constexpr int MINE = DY / CHUNK_BYTES / BLOCK; /* a stage's, of a thread */
    static constexpr int RESULTS = part_results(C);       /* float4 */
    /* The ring, and later the sums of all threads; then coefficients. */
    static constexpr int ALL_SUMS = SUMS * BLOCK * (int)sizeof(float4);
    static constexpr int BODY = STAGE * RING > ALL_SUMS ? STAGE *RING : ALL_SUMS;
    static constexpr int BYTES = SHARED_ALIGN + 2 * MOST_COLUMNS * 4 + BODY;
};

/* ---- products ---- */

using bwdw_sums = float[3][3][PART_M][PART_N][4]; /* [kh][kw][output][input channels] */

/* A warp's part of a row: of x by column shift, of dy by 16 output channels. */
using x_part = uint32_t[3][4];
using dy_part = uint32_t[PART_M][4];

/* Zeros at both ends of every row of x in the ring. */
template <int C>
static __device__ __forceinline__ void clear_edges(uint32_t ring, int tid)
{
    using T = bwdw_tiles<C>;
    constexpr int ROWS = T::STAGE_IMAGES * STAGE_ROWS;
    for (int i = tid; i < RING * ROWS * 2 * T::CHUNKS; i += BLOCK) {
        const int chunk = i % T::CHUNKS, end = i / T::CHUNKS & 1;
        const int row = i / T::CHUNKS / 2 % ROWS, stage = i / T::CHUNKS / 2 / ROWS;
        store_shared16(ring + stage * T::STAGE + row * T::X_PITCH +
                           end * (T::H + 1) * T::PIXEL + chunk * CHUNK_BYTES,
                       make_uint4(0, 0, 0, 0));
    }
}

/* A fragment is four matrices of 8 x 8. Lane l says where row l % 8 of matrix l / 8 lies,
 * which is 8 channels of a pixel. Pixels 8 to 15 are those of the next image where C = 128.
 *
 *              channels 0-7   8-15                   channels 0-7   8-15
 *     x:  pixel 0-7    0        2       dy:  pixel 0-7     0         1
 *         pixel 8-15   1        3            pixel 8-15    2         3
 *
 * Where a lane's row of the first line of x in a stage is, for a column shift. */
template <int C>
static __device__ __forceinline__ uint32_t find_x(int lane, int strip, int image,
                                                  int channel, int kw)
{
    using T = bwdw_tiles<C>;
    const int second = (lane >> 3) & 1;
    const int pixel =
        strip * MMA_K + (lane & 7) + (C == 128 ? 0 : second * (MMA_K / 2)) + kw;
    return (C == 128 ? second : image) * STAGE_ROWS * T::X_PITCH + pixel * T::PIXEL +
           swizzle<T::COLUMNS>(pixel, channel / CHUNK + (lane >> 4));
}

/* And of dy, behind x. */
template <int C>
static __device__ __forceinline__ uint32_t find_dy(int lane, int strip, int image,
                                                   int channel)
{
    using T = bwdw_tiles<C>;
    const int second = lane >> 4;
    const int pixel =
        strip * MMA_K + (lane & 7) + (C == 128 ? 0 : second * (MMA_K / 2));
    return T::X + (C == 128 ? second : image) * STAGE_ROWS * T::DY_PITCH +
           pixel * T::PIXEL +
           swizzle<T::COLUMNS>(pixel, channel / CHUNK + ((lane >> 3) & 1));
}

/* Nothing is above the first row of an image. */
static __device__ __forceinline__ void clear(x_part &x, dy_part &dy)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        x[0][i] = x[1][i] = x[2][i] = dy[0][i] = dy[1][i] = 0;
}

/* Row k of a stage. */
template <int C>
static __device__ __forceinline__ void load_row(x_part &x, dy_part &dy, uint32_t rows,
                                                const uint32_t (&x_at)[3],
                                                uint32_t dy_at, int k)
{
#pragma unroll
    for (int m = 0; m < PART_M; m++) /* as swizzle() exchanges chunks */
        load_matrix_t(dy[m],
                      (rows + (dy_at ^ (m * MMA_M * 2))) + k * bwdw_tiles<C>::DY_PITCH);
#pragma unroll
    for (int kw = 0; kw < 3; kw++)
        load_matrix_t(x[kw], rows + x_at[kw] + k * bwdw_tiles<C>::X_PITCH);
}

/* One row, with the row above: all taps. */
static __device__ __forceinline__ void products(bwdw_sums &acc, const x_part &x,
                                                const x_part &x_above,
                                                const dy_part &dy,
                                                const dy_part &dy_above)
{
#pragma unroll
    for (int kh = 0; kh < 3; kh++)
#pragma unroll
        for (int kw = 0; kw < 3; kw++)
#pragma unroll
            for (int m = 0; m < PART_M; m++)
#pragma unroll
                for (int n = 0; n < PART_N; n++) {
                    const x_part &of_x = kh == 0 ? x_above : x;
                    const dy_part &of_dy = kh == 2 ? dy_above : dy;
                    multiply(acc[kh][kw][m][n], of_dy[m], of_x[kw][n * 2],
                             of_x[kw][n * 2 + 1]);
                }
}

/* ---- sums of the block, or of two ---- */

static __device__ __forceinline__ void add(float4 &sum, const float4 v)
{
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
}

/* C = 32: four warps share a tile. */
static __device__ __forceinline__ void add_warps(const float4 *all, float4 *out,
                                                 int tid)
{
    constexpr int SHARED_BITS = 6; /* of threads with weights of their own */
    constexpr int SHARED = 1 << SHARED_BITS;
    __syncthreads();
    for (int e = tid; e < bwdw_tiles<32>::RESULTS; e += BLOCK) {
        const float4 *p = all + (e >> SHARED_BITS) * BLOCK + (e & (SHARED - 1));
        float4 s = *p;
        add(s, p[SHARED]);
        add(s, p[2 * SHARED]);
        add(s, p[3 * SHARED]);
        out[e] = s;
    }
}

/* A thread's sums into shared memory: [SUMS][thread], the order in which they leave, too. */
static __device__ __forceinline__ void leave_sums(float4 *all, const bwdw_sums &acc,
                                                  int tid)
{
#pragma unroll
    for (int q = 0; q < SUMS; q++) {
        const int tap = q / (PART_M * PART_N), m = q / PART_N % PART_M, n = q % PART_N;
        const float *a = acc[tap / 3][tap % 3][m][n];
        all[q * BLOCK + tid] = make_float4(a[0], a[1], a[2], a[3]);
    }
}

/* C = 64 and 128, where a warp has weights of its own: a thread reads what it left itself,
 * so there is nothing to wait for. */
template <int C>
static __device__ __forceinline__ void store_sums(const float4 *all, float4 *out,
                                                  int tid)
{
    static_assert(C == 32 || bwdw_tiles<C>::RESULTS == SUMS * BLOCK, "its own");
    for (int e = tid; e < bwdw_tiles<C>::RESULTS; e += BLOCK)
        out[e] = all[e];
}

/* ---- the kernel ---- */

static __device__ __forceinline__ char *aligned(char *raw)
{
    return (char *)(((uintptr_t)raw + SHARED_ALIGN - 1) &
                    ~(uintptr_t)(SHARED_ALIGN - 1));
}

template <int C, int CLUSTER, int TURNS>
__global__ void __launch_bounds__(BLOCK, 1)
    conv3x3_bwdw(const jsni_conv_weight_args args)
{
    using T = bwdw_tiles<C>;
    constexpr int H = T::H, COLUMNS = T::COLUMNS;
    constexpr int STAGES = TURNS * TURN_STAGES, IMAGES = TURNS * T::IMAGES;
    const bf16 *const x = (const bf16 *)args.x, *const dy = (const bf16 *)args.dy;
    extern __shared__ char smem_raw[];
    char *shared = aligned(smem_raw);
    const uint32_t ring = shared_address(shared);
    float *coefs = (float *)(shared + T::BODY); /* xa, then xb */
    const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
    const int groups = args.images / IMAGES, tile = blockIdx.x / groups,
              group = blockIdx.x % groups, first_image = group * IMAGES,
              view = first_image / args.view_images;
    const int first_co = tile_co(C, tile), first_ci = tile_ci(C, tile);

    /* Rows into shared memory: chunk i of a stage of this thread. */
    const int chunk = tid % T::CHUNKS;
    auto where = [&](int stage, int i, int &image, int &row, int &from) {
        const int p = (i * BLOCK + tid) / T::CHUNKS, pixel = p % H, line = p / H;
        image = line >> ROW_BITS;
        row = line & (STAGE_ROWS - 1);
        const int unit = C == 32 && TURNS == 1 ? 0 : stage >> T::UNIT_BITS;
        const int n = first_image + (C == 64 ? unit : unit * 2 + image);
        const int of_image = (stage % T::UNIT) * STAGE_ROWS + row;
        from = ((n * H + of_image) * H + pixel) * C;
        return pixel;
    };
    auto load = [&](int stage) {
        const uint32_t to = ring + (stage % RING) * T::STAGE;
#pragma unroll
        for (int i = 0; i < T::MINE; i++) {
            int image, row, from;
            const int pixel = where(stage, i, image, row, from);
            copy16(to + (image * STAGE_ROWS + row) * T::X_PITCH +
                       (pixel + 1) * T::PIXEL + swizzle<COLUMNS>(pixel + 1, chunk),
                   x + from + first_ci + chunk * CHUNK);
            copy16(to + T::X + (image * STAGE_ROWS + row) * T::DY_PITCH +
                       pixel * T::PIXEL + swizzle<COLUMNS>(pixel, chunk),
                   dy + from + first_co + chunk * CHUNK);
        }
    };
    /* The prologue, by the thread that copied the chunk. */
    auto transform = [&](int stage, int i) {
        if (stage >= STAGES)
            return;
        const uint32_t to = ring + (stage % RING) * T::STAGE;
        int image, row, from;
        const int pixel = where(stage, i, image, row, from);
        const uint32_t at = to + (image * STAGE_ROWS + row) * T::X_PITCH +
                            (pixel + 1) * T::PIXEL + swizzle<COLUMNS>(pixel + 1, chunk);
        store_shared16(at, norm_relu8(load_shared16(at), coefs + chunk * CHUNK,
                                      coefs + MOST_COLUMNS + chunk * CHUNK));
    };
    launch_next();
    launch_wait();
#pragma unroll
    for (int stage = 0; stage < RING - 1; stage++) {
        load(stage);
        copy_commit();
    }
    for (int i = tid; i < COLUMNS; i += BLOCK) {
        coefs[i] = args.xa[view * C + first_ci + i];
        coefs[MOST_COLUMNS + i] = args.xb[view * C + first_ci + i];
    }
    clear_edges<C>(ring, tid);

    /* Where this lane's parts of the first row of a stage are. */
    const int warp_image = C == 32 ? warp >> 2 : 0;
    const int strip = C == 32 ? (warp >> 1) & 1 : 0;
    uint32_t x_at[3];
#pragma unroll
    for (int kw = 0; kw < 3; kw++)
        x_at[kw] = find_x<C>(lane, strip, warp_image, warp_ci(C, warp), kw);
    const uint32_t dy_at = find_dy<C>(lane, strip, warp_image, warp_co(C, warp));
    bwdw_sums acc = {};
    x_part x_parts[2]; /* of this row and of the row above, by turns */
    dy_part dy_parts[2];
    __syncthreads();
    copy_wait<RING - 2>();
#pragma unroll
    for (int i = 0; i < T::MINE; i++)
        transform(0, i);
#pragma unroll 1
    for (int stage = 0; stage < STAGES; stage++) {
        __syncthreads();
        if (stage + RING - 1 < STAGES)
            load(stage + RING - 1);
        copy_commit();
        copy_wait<RING - 2>();
        const uint32_t rows = ring + (stage % RING) * T::STAGE;
        if (stage % T::UNIT == 0)
            clear(x_parts[1], dy_parts[1]);
#pragma unroll
        for (int k = 0; k < STAGE_ROWS; k++) {
            const int now = k & 1, above = now ^ 1;
            load_row<C>(x_parts[now], dy_parts[now], rows, x_at, dy_at, k);
            products(acc, x_parts[now], x_parts[above], dy_parts[now], dy_parts[above]);
#pragma unroll
            for (int i = k * T::MINE / STAGE_ROWS; i < (k + 1) * T::MINE / STAGE_ROWS;
                 i++)
                transform(stage + 1, i);
        }
    }
    copy_wait<0>();
    __syncthreads();
    float4 *all = (float4 *)shared;
    leave_sums(all, acc, tid);
    float4 *out =
        args.part + ((size_t)tile * (groups / CLUSTER) + group / CLUSTER) * T::RESULTS;
    if (C == 32)
        add_warps(all, out, tid);
#if __CUDA_ARCH__ >= 900
    if (CLUSTER > 1) {
        /* The blocks of a cluster, by rank, each a share; no function: other code. */
        constexpr int SHARE = T::RESULTS / CLUSTER;
        cg::cluster_group cluster = cg::this_cluster();
        cluster.sync();
        const int rank = cluster.block_rank();
        const float4 *from[CLUSTER];
#pragma unroll
        for (int i = 0; i < CLUSTER; i++)
            from[i] = cluster.map_shared_rank(all, i);
#pragma unroll 2
        for (int e = rank * SHARE + tid; e < (rank + 1) * SHARE; e += BLOCK) {
            float4 v[CLUSTER];
#pragma unroll
            for (int i = 0; i < CLUSTER; i++)
                v[i] = from[i][e];
#pragma unroll
            for (int i = 1; i < CLUSTER; i++)
                add(v[0], v[i]);
            out[e] = v[0];
        }
        cluster.sync();
    } else
#endif
        if (C != 32)
        store_sums<C>(all, out, tid);
}

/* Blocks that keep a device busy enough beside backward-data. Where there are more, half as
 * many do twice the work in less than twice the time: start and end take a third of a turn. */
constexpr int ENOUGH = 64;
constexpr int IMAGES_APART = 8; /* images come in eights: jsni_conv3x3_fits() */

template <int C> static int turns_of(int images, int view_images)
{
    constexpr int TWICE = 2 * bwdw_tiles<C>::IMAGES;
    const int blocks = images / TWICE * bwdw_tiles<C>::TILES;
    return blocks >= ENOUGH && view_images % TWICE == 0 ? 2 : 1;
}

/* Blocks of a tile that leave one partial sum: two, where the device has clusters and their
 * number is even. */
template <int C> static int cluster_of(int groups, bool clusters)
{
    return clusters && C > 32 && groups % 2 == 0 ? 2 : 1;
}

template <int C> static int parts_of(int images, int turns, bool clusters)
{
    const int groups = images / (turns * bwdw_tiles<C>::IMAGES);
    return groups / cluster_of<C>(groups, clusters);
}

/* Fewer images may leave more sums: of one turn, or of blocks without a partner. */
template <int C> static size_t most_bytes(int images, bool clusters)
{
    using T = bwdw_tiles<C>;
    const int all = parts_of<C>(images, 1, clusters);
    const int fewer = parts_of<C>(images - IMAGES_APART, 1, clusters);
    return (size_t)T::TILES * T::RESULTS * sizeof(float4) *
           (size_t)(all > fewer ? all : fewer);
}

template <int C, int CLUSTER, int TURNS>
static cudaError_t start(const jsni_conv_weight_args *args, cudaStream_t stream)
{
    using T = bwdw_tiles<C>;
    static_assert(C != 32 || CLUSTER == 1, "four warps are added by the block");
    static_assert(T::BYTES <= JSNI_CONV_SHARED, "see roomy");
    return jsni_launch(conv3x3_bwdw<C, CLUSTER, TURNS>,
                       args->images / (TURNS * T::IMAGES) * T::TILES, BLOCK, T::BYTES,
                       CLUSTER, stream, *args);
}

template <int C, int TURNS>
static cudaError_t start_turns(const jsni_conv_weight_args *args, bool clusters,
                               cudaStream_t stream)
{
    constexpr int PAIR = C == 32 ? 1 : 2;
    const int groups = args->images / (TURNS * bwdw_tiles<C>::IMAGES);
    return cluster_of<C>(groups, clusters) == 2 ? start<C, PAIR, TURNS>(args, stream)
                                                : start<C, 1, TURNS>(args, stream);
}

template <int C>
static cudaError_t start_layer(const jsni_conv_weight_args *args, bool clusters,
                               cudaStream_t stream)
{
    return args->turns == 2 ? start_turns<C, 2>(args, clusters, stream)
                            : start_turns<C, 1>(args, clusters, stream);
}

/* Channels of a layer, as a type: by_channels() hands one to `what`. */
template <int C> struct layer {
    static constexpr int CHANNELS = C;
};

template <class WHAT> static auto by_channels(int channels, const WHAT &what)
{
    return channels == 32   ? what(layer<32>())
           : channels == 64 ? what(layer<64>())
                            : what(layer<128>());
}

cudaError_t jsni_conv3x3_weights(const jsni_conv_weight_args *args, int channels,
                                 bool clusters, cudaStream_t stream)
{
    return by_channels(channels, [=](auto of) {
        return start_layer<of.CHANNELS>(args, clusters, stream);
    });
}

int jsni_conv3x3_weight_turns(int channels, int images, int view_images)
{
    return by_channels(
        channels, [=](auto of) { return turns_of<of.CHANNELS>(images, view_images); });
}

int jsni_conv3x3_weight_parts(int channels, int images, int turns, bool clusters)
{
    return by_channels(channels, [=](auto of) {
        return parts_of<of.CHANNELS>(images, turns, clusters);
    });
}

size_t jsni_conv3x3_weight_bytes(int channels, int images, bool clusters)
{
    return by_channels(
        channels, [=](auto of) { return most_bytes<of.CHANNELS>(images, clusters); });
}
