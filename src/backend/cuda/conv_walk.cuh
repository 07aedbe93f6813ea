/* backend/cuda/conv_walk.cuh - which rows, columns and taps a block has, and which pixel a
 * tap reaches from a row, for the kernels that make a convolution as a product of tiles:
 *
 *   forward        [pixels out] x [co], over (tap, DEPTH of ci)
 *   backward-data  [pixels in]  x [ci], over (tap, DEPTH of co)
 *
 * Stride 1 with a window of 3x3, or stride 2 on even images with one of 1x1 or 3x3. The
 * gradient of input pixel h is made of the outputs (h + pad - kh) / stride: backwards the
 * taps are walked backwards. With stride 2, input pixels that share the parities of their
 * row and column are reached by the same taps, every second one, from 0 to 4 of them; so
 * every parity is a product of its own, with as many rows as there are output pixels. Taps
 * of a window that reach a pixel:
 *
 *     3x3, padding 1   column  0  1  2  3        1x1   column  0  1  2  3
 *              row 0           1  2  1  2        row 0         1  -  1  -
 *              row 1           2  4  2  4        row 1         -  -  -  -
 *
 * A tile is ROWS x COLUMNS of the product; blocks have tiles of one parity behind those of
 * another, and in them those of a row side by side.
 */
#ifndef JSNI_BACKEND_CUDA_CONV_WALK_CUH
#define JSNI_BACKEND_CUDA_CONV_WALK_CUH

#include "backend/cuda/any_kernels.h"
#include "backend/cuda/conv_device.cuh"

constexpr int DEPTH = 32;    /* channels of a step */
constexpr int MOST_TAPS = 9; /* of a window */

/* Whether places in all tensors can be counted in int, also of rows behind the last. */
static inline bool counted_in_int(const jsni_any_conv *c)
{
    const long long most = 1ll << 31;
    return (c->images + 1) * c->in_h * c->in_w * c->in_channels < most &&
           (c->images + 1) * c->out_h * c->out_w * c->out_channels < most &&
           (long long)c->kernel_h * c->kernel_w * c->in_channels * c->out_channels <
               most;
}

/* One step of the inner dimension. */
struct conv_step {
    int c0;    /* first channel */
    int bit;   /* of the tap in `inside` */
    int shift; /* from a row's place under the first tap, channel 0, to this one */
    int tap;   /* of the weights */
};

template <int STRIDE, bool BACK, int ROWS, int COLUMNS> struct conv_walk {
    static constexpr bool PARITIES = BACK && STRIDE == 2;

    int rows, columns, inner; /* inner: channels that a tap sums over */
    int row0, column0;        /* of the block's tile */
    int steps;
    int from_h, from_w, to_w, plane; /* plane: rows of an image */
    int kernel;
    int odd_h, odd_w, first_h, first_w, taps_w; /* of a parity */
    int line = 0, column = 0, c0 = 0; /* of the next step: tap, first channel */

    __device__ __forceinline__ explicit conv_walk(const jsni_any_conv &c)
    {
        const bool outputs = !BACK || STRIDE == 2; /* a row is an output pixel */
        rows = (int)c.images * (outputs ? c.out_h * c.out_w : c.in_h * c.in_w);
        columns = BACK ? c.in_channels : c.out_channels;
        inner = BACK ? c.out_channels : c.in_channels;
        from_h = BACK ? c.out_h : c.in_h;
        from_w = BACK ? c.out_w : c.in_w;
        to_w = outputs ? c.out_w : c.in_w;
        plane = to_w * (outputs ? c.out_h : c.in_h);
        kernel = STRIDE == 1 ? 3 : c.kernel_h;
        const int across = columns / COLUMNS;
        int tile = (int)blockIdx.x, parity = 0;
        if (PARITIES) {
            /* Those with the most taps begin: odd rows and columns of a padded 3x3. */
            const int tiles = (rows + ROWS - 1) / ROWS * across;
            parity = 3 - tile / tiles;
            tile %= tiles;
        }
        row0 = tile / across * ROWS;
        column0 = tile % across * COLUMNS;
        odd_h = parity >> 1;
        odd_w = parity & 1;
        first_h = PARITIES ? (odd_h + c.pad_h) & 1 : 0;
        first_w = PARITIES ? (odd_w + c.pad_w) & 1 : 0;
        taps_w = PARITIES ? (kernel - first_w + 1) / 2 : kernel;
        steps =
            (PARITIES ? (kernel - first_h + 1) / 2 : kernel) * taps_w * (inner / DEPTH);
    }

    /* Where the pixel of a row lies under the first tap, and in `inside` under which taps
     * it is inside of the image: bit 3 * line + column. */
    __device__ __forceinline__ int place(const jsni_any_conv &c, int row,
                                         uint32_t *inside) const
    {
        const int q = row % plane, u = q / to_w, t = q % to_w;
        const int h = PARITIES ? u + (odd_h + c.pad_h) / 2
                      : BACK   ? u + c.pad_h
                               : u * STRIDE - c.pad_h;
        const int v = PARITIES ? t + (odd_w + c.pad_w) / 2
                      : BACK   ? t + c.pad_w
                               : t * STRIDE - c.pad_w;
        uint32_t bits = 0;
#pragma unroll
        for (int bit = 0; bit < MOST_TAPS; bit++) {
            const int y = BACK ? h - bit / 3 : h + bit / 3;
            const int x = BACK ? v - bit % 3 : v + bit % 3;
            if (row < rows && y >= 0 && y < from_h && x >= 0 && x < from_w)
                bits |= 1u << bit;
        }
        *inside = bits;
        return (row / plane * from_h * from_w + h * from_w + v) * inner;
    }

    /* The steps one behind the other, counted on: dividing their number would take longer
     * than the rest of a load. */
    __device__ __forceinline__ conv_step next(void)
    {
        const int ahead = (line * from_w + column) * inner;
        conv_step s;
        s.c0 = c0;
        s.bit = 3 * line + column;
        s.shift = (BACK ? -ahead : ahead) + c0;
        s.tap = PARITIES ? (first_h + 2 * line) * kernel + first_w + 2 * column
                         : line * kernel + column;
        c0 += DEPTH;
        if (c0 == inner) {
            c0 = 0;
            if (++column == taps_w) {
                column = 0;
                line++;
            }
        }
        return s;
    }

    /* Weights of channels (co, ci) under a tap; ci is the last dimension. */
    __device__ __forceinline__ int weight(int co, int tap, int ci) const
    {
        const int taps = STRIDE == 1 ? MOST_TAPS : kernel * kernel;
        return (co * taps + tap) * (BACK ? columns : inner) + ci;
    }

    /* The pixel of the result that a row is. */
    __device__ __forceinline__ int result(const jsni_any_conv &c, int row) const
    {
        if (!PARITIES)
            return row;
        const int q = row % plane, h = q / to_w * 2 + odd_h, v = q % to_w * 2 + odd_w;
        return (row / plane * c.in_h + h) * c.in_w + v;
    }

    /* Nothing is added to what is there: no tap reaches these pixels. */
    __device__ __forceinline__ bool idle(const jsni_any_conv &c) const
    {
        return PARITIES && steps == 0 && c.add;
    }

    /* Blocks of a launch. */
    static long long blocks(const jsni_any_conv *c)
    {
        const int pixels =
            BACK && STRIDE == 1 ? c->in_h * c->in_w : c->out_h * c->out_w;
        const int across = (BACK ? c->in_channels : c->out_channels) / COLUMNS;
        return (c->images * pixels + ROWS - 1) / ROWS * across * (PARITIES ? 4 : 1);
    }
};

#endif /* JSNI_BACKEND_CUDA_CONV_WALK_CUH */
