/* backend/cuda/conv_tiles.cuh - how tiles come into shared memory, for the kernels that keep
 * activations as float (conv_fp32.cu, conv_tf32.cu): channels in multiples of 32,
 * asynchronous copies of 16 bytes, zeros outside of the image. Forward and backward-data
 * of the shapes that conv_walk.cuh walks; backward-weights of 3x3 windows of stride 1, any
 * image and padding.
 *
 * Forward and backward-data: a block has 8 warps with 32 rows (pixels) x 32 columns
 * (channels) each, WN of them side by side. A stage is 32 channels under a tap. There
 * are two: one is multiplied, one is copied.
 *
 *     WN = 2: 128 x 64              WN = 1: 256 x 32      a stage, in floats:
 *
 *            column 0   32                 column 0       rows     [ROWS][32 + 4]
 *           +--------+--------+           +--------+      weights, forward
 *     row 0 | warp 0 | warp 1 |     row 0 | warp 0 |               [COLUMNS][32 + 4]
 *           +--------+--------+           +--------+      weights, backward
 *        32 | warp 2 | warp 3 |        32 | warp 1 |               [32][COLUMNS + SPARE]
 *           +--------+--------+           +--------+
 *        64 | warp 4 | warp 5 |           |  ...   |
 *           +--------+--------+           +--------+
 *        96 | warp 6 | warp 7 |       224 | warp 7 |
 *           +--------+--------+           +--------+
 *
 * Backward-weights: a block has 32 output x 32 input channels of all nine taps, warp t those
 * of tap t, and sums over the output pixels of a split. A stage is 16 of them, and three are
 * a ring, copied two ahead:
 *
 *     slot          0        1          2        ...     9
 *     of a stage  | dy     | x under  | x under |     | x under |   each [16 pixels][WIDE],
 *                 |        | tap 0    | tap 1   | ... | tap 8   |   of which 32 are channels
 */
#ifndef JSNI_BACKEND_CUDA_CONV_TILES_CUH
#define JSNI_BACKEND_CUDA_CONV_TILES_CUH

#include "backend/cuda/conv_walk.cuh"

constexpr int TAPS = 9;
constexpr int ROW_THREADS = 256; /* of forward and backward-data */
constexpr int PITCH = DEPTH + 4; /* rows begin 4 banks apart */
constexpr int WARP_TILE = 32;    /* rows and columns that a warp makes */
constexpr int CHUNK = 4, CHUNKS = DEPTH / CHUNK; /* floats copied at once; of a row */

/* Forward and backward-data by 8 warps, WN of them side by side over the columns. SPARE:
 * floats behind each row of [DEPTH][columns]. */
template <int STRIDE, int WN, bool BACK, int SPARE> struct row_tiles {
    static constexpr int THREADS = ROW_THREADS, WARPS = THREADS / 32;
    static constexpr int ROWS = WARPS / WN * WARP_TILE, COLUMNS = WN * WARP_TILE;
    static constexpr int COPIED = THREADS / CHUNKS; /* rows at once */
    static constexpr int A = ROWS * PITCH;          /* floats: [row][DEPTH] */
    static constexpr int WIDE = COLUMNS + SPARE;
    /* [column][DEPTH] forward, [DEPTH][column] backward */
    static constexpr int B = BACK ? DEPTH * WIDE : COLUMNS * PITCH;
    static constexpr int STAGE = A + B, BYTES = 2 * STAGE * 4;
    static constexpr int MINE = ROWS / COPIED; /* rows that a thread copies */
    using walk_of = conv_walk<STRIDE, BACK, ROWS, COLUMNS>;

    walk_of walk;
    const float *from, *w;
    int chunk, copier;
    int place[MINE];
    uint32_t inside[MINE];

    __device__ __forceinline__ explicit row_tiles(const jsni_any_conv &c)
        : walk(c), from((const float *)(BACK ? c.y : c.x)), w((const float *)c.w),
          chunk(threadIdx.x % CHUNKS * CHUNK), copier(threadIdx.x / CHUNKS)
    {
#pragma unroll
        for (int i = 0; i < MINE; i++)
            place[i] = walk.place(c, walk.row0 + copier + COPIED * i, &inside[i]);
    }

    /* Copies the next stage; `step` says where to. */
    __device__ __forceinline__ void load(float *shared, int step)
    {
        float *a = shared + step % 2 * STAGE, *b = a + A;
        const conv_step s = walk.next();
#pragma unroll
        for (int i = 0; i < MINE; i++) {
            const bool in = inside[i] >> s.bit & 1;
            copy16_if(shared_address(a + (copier + COPIED * i) * PITCH + chunk),
                      from + (in ? place[i] + s.shift + chunk : 0), in);
        }
#pragma unroll
        for (int i = 0; i < WN; i++) {
            if (BACK) { /* ACROSS threads copy the columns of one output channel */
                constexpr int ACROSS = COLUMNS / CHUNK;
                const int e = threadIdx.x + THREADS * i;
                const int k = e / ACROSS, column = e % ACROSS * CHUNK;
                copy16_if(shared_address(b + k * WIDE + column),
                          w + walk.weight(s.c0 + k, s.tap, walk.column0 + column),
                          true);
            } else {
                const int column = copier + COPIED * i;
                copy16_if(shared_address(b + column * PITCH + chunk),
                          w + walk.weight(walk.column0 + column, s.tap, s.c0 + chunk),
                          true);
            }
        }
    }
};

/* Backward-weights: [32 of co] x [32 of ci] over the output pixels of a split, a warp for
 * each tap. A stage is 16 pixels: dy, then x under each tap, WIDE floats a pixel. */
template <int WIDE> struct weight_tiles {
    static constexpr int THREADS = TAPS * 32, PIXELS = 16, RING = 3;
    static constexpr int TILE = WARP_TILE; /* channels of a block, both sides */
    static constexpr int SLOT = PIXELS * WIDE, STAGE = (1 + TAPS) * SLOT;
    static constexpr int BYTES = RING * STAGE * 4;

    const float *dy, *x;
    int in_h, in_w, in_channels, out_h, out_w, out_channels, pad_h, pad_w;
    int ci0, co0, split, end, steps, pixel, chunk, half;
    int p, image, h, w; /* the pixel to copy next */

    __device__ __forceinline__ explicit weight_tiles(const jsni_any_conv &c)
        : in_h(c.in_h), in_w(c.in_w), in_channels(c.in_channels), out_h(c.out_h),
          out_w(c.out_w), out_channels(c.out_channels), pad_h(c.pad_h), pad_w(c.pad_w)
    {
        const int across = in_channels / TILE, down = out_channels / TILE;
        ci0 = (int)(blockIdx.x % across) * TILE;
        co0 = (int)(blockIdx.x / across % down) * TILE;
        split = (int)(blockIdx.x / across / down);
        const int plane = out_h * out_w;
        const long long pixels = c.images * plane;
        const int first = (int)(pixels * split / c.splits);
        end = (int)(pixels * (split + 1) / c.splits);
        steps = (end - first + PIXELS - 1) / PIXELS;
        /* The first 8 warps copy, two rows of 16 pixels each time: dy and the odd taps,
         * the even taps. A thread stays with its 16 bytes of every 16th pixel. */
        chunk = threadIdx.x % CHUNKS * CHUNK;
        pixel = threadIdx.x / CHUNKS % PIXELS;
        half = threadIdx.x / CHUNKS / PIXELS;
        dy = (const float *)c.y + co0 + chunk;
        x = (const float *)c.x + ci0 + chunk;
        p = first + pixel;
        image = p / plane;
        h = p % plane / out_w;
        w = p % out_w;
    }

    /* Copies the next stage; `step` says where to. */
    __device__ __forceinline__ void load(float *shared, int step)
    {
        if (threadIdx.x >= (TAPS - 1) * 32)
            return;
        float *to = shared + step % RING * STAGE + pixel * WIDE + chunk;
        const int at = ((image * in_h + h - pad_h) * in_w + w - pad_w) * in_channels;
#pragma unroll
        for (int i = 0; i < (1 + TAPS) / 2; i++) {
            const int slot = 2 * i + half, tap = slot - 1;
            const int y = h - pad_h + tap / 3, z = w - pad_w + tap % 3;
            bool in = p < end;
            const float *from;
            if (slot == 0) {
                from = dy + (in ? p * out_channels : 0);
            } else {
                in = in && y >= 0 && y < in_h && z >= 0 && z < in_w;
                from = x + (in ? at + (tap / 3 * in_w + tap % 3) * in_channels : 0);
            }
            copy16_if(shared_address(to + slot * SLOT), from, in);
        }
        p += PIXELS;
        for (w += PIXELS; w >= out_w; w -= out_w)
            if (++h == out_h) {
                h = 0;
                image++;
            }
    }

    /* Where the results of row `row` of a warp's tile begin. */
    __device__ __forceinline__ float *result(const jsni_any_conv &c, int row) const
    {
        const long long line = (long long)split * out_channels + co0 + row;
        return c.part + (line * TAPS + threadIdx.x / 32) * in_channels + ci0;
    }

    static long long blocks(const jsni_any_conv *c)
    {
        return (long long)(c->in_channels / TILE) * (c->out_channels / TILE) *
               c->splits;
    }
};

#endif /* JSNI_BACKEND_CUDA_CONV_TILES_CUH */
