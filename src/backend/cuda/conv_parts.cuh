/* backend/cuda/conv_parts.cuh - where the partial sums of the weights' gradients lie:
 * conv3x3_weights.cu and conv_stem.cu leave them, final_sums() of cuda_step.cu adds them.
 *
 * 3x3, C -> C channels: of each tile [9 taps][2][2][warp][lane], one float4 each. A block
 * makes a tile, a warp 32 output x 16 input channels of it, by products of 16 x 8:
 *
 *     C = 32, 32 x 32              C = 64 and 128, 64 x 64
 *
 *                ci 0   ci 16                ci 0   ci 16  ci 32  ci 48
 *              +------+------+             +------+------+------+------+
 *        co 0  |  0   |  1   |       co 0  |  0   |  2   |  4   |  6   |
 *              |      |      |             +------+------+------+------+
 *              +------+------+       co 32 |  1   |  3   |  5   |  7   |
 *                                          +------+------+------+------+
 *                                          C = 128: tiles 0 and 1 have output
 *                                          channels 0 to 63, 2 and 3 the others
 *
 * The stem, 3 -> 32 channels: [2][4][4][lane], one float each: of 2 x 4 products of 16
 * output channels x 8 slots the four results of a lane. Slot kh*10+i is value i of row kh
 * of the window, [column][colour]; slots with i = 9, and 30 and 31, are of no weight.
 */
#ifndef JSNI_BACKEND_CUDA_CONV_PARTS_CUH
#define JSNI_BACKEND_CUDA_CONV_PARTS_CUH

#include "backend/cuda/conv_device.cuh"

constexpr int PART_TAPS = 9;
constexpr int PART_CO = 32, PART_CI = 16; /* channels of a warp */
constexpr int PART_M = PART_CO / MMA_M, PART_N = PART_CI / MMA_N;
constexpr int PART_PRODUCTS =
    PART_TAPS * PART_M * PART_N; /* of a warp, and of a lane */

/* Channels of a tile, both sides; tiles of a layer; warps that have weights of their own. */
constexpr int part_columns(int channels)
{
    return channels == 32 ? 32 : 64;
}

constexpr int part_tiles(int channels)
{
    return channels == 128 ? 4 : 1;
}

constexpr int part_warps(int channels)
{
    return channels == 32 ? 2 : 8;
}

/* float4 of a tile. */
constexpr int part_results(int channels)
{
    return PART_PRODUCTS * part_warps(channels) * 32;
}

/* The first output and input channel of a tile, and in it those of a warp. */
constexpr int tile_co(int channels, int tile)
{
    return channels == 128 ? (tile >> 1) * 64 : 0;
}

constexpr int tile_ci(int channels, int tile)
{
    return channels == 128 ? (tile & 1) * 64 : 0;
}

constexpr int warp_co(int channels, int warp)
{
    return channels == 32 ? 0 : (warp & 1) * PART_CO;
}

constexpr int warp_ci(int channels, int warp)
{
    return (channels == 32 ? warp & 1 : warp >> 1) * PART_CI;
}

/* ---- the stem ---- */

constexpr int STEM_COLOURS = 3, STEM_CHANNELS = 32;
constexpr int STEM_ROW_TAPS = 3 * STEM_COLOURS; /* weights of a row of the window */
constexpr int STEM_ROW_SLOTS = STEM_ROW_TAPS + 1, STEM_USED_SLOTS = 3 * STEM_ROW_SLOTS;
constexpr int STEM_SLOTS = 32;
constexpr int STEM_M = STEM_CHANNELS / MMA_M, STEM_N = STEM_SLOTS / MMA_N;
constexpr int STEM_RESULTS = STEM_CHANNELS * STEM_SLOTS; /* floats of a part */

#endif /* JSNI_BACKEND_CUDA_CONV_PARTS_CUH */
