/* backend/cuda/conv_stem.cu - the first convolution, 3 -> 32 channels at 32x32, forward
 * with the channel sums of its output, and backward-weights; the image needs no
 * gradient.
 *
 * A block has two images, each warp 8 rows of one:
 *
 *     image 0   warps 0 to 3: rows 0-7, 8-15, 16-23, 24-31
 *     image 1   warps 4 to 7
 *
 * Products run over 30 slots: slot kh*10+i holds (kw,c) = i of row kh for i < 9 and a
 * zero weight for i = 9; slots 30 and 31 are zero.
 *
 *     slot    0 1 2   3 4 5   6 7 8    9 | 10 ... 19 | 20 ... 29 | 30 31
 *     kh = 0  pixel   next    next    -  |  kh = 1   |  kh = 2   |  -  -
 *             r g b   r g b   r g b      |
 *
 * In shared memory an image is [34 rows][34 pixels][3], with zeros around it, so the slots
 * of a window are 10 neighbours in each of three rows. Forward takes pairs of slots as
 * words and therefore keeps a second copy, shifted by one element, for odd places.
 *
 *     forward    [16 pixels] x [32 channels] at a time, over the slots
 *     backward   [32 channels] x [32 slots], over the pixels; the gradient of both images
 *                lies in shared memory: [image][row][pixel][32]
 */
#include "backend/cuda/conv_kernels.h"

#include "backend/cuda/conv_parts.cuh"
#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/exact_sums.cuh"

constexpr int BLOCK = 256, WARPS = BLOCK / 32, IMAGES = 2;
constexpr int H = 32, COLOURS = STEM_COLOURS, CHANNELS = STEM_CHANNELS;
constexpr int IMAGE_WARPS = WARPS / IMAGES, WARP_ROWS = H / IMAGE_WARPS;
/* Words of two values in memory: a row's, an image's. */
constexpr int ROW_VALUES = H * COLOURS, IMAGE_WORDS = H * ROW_VALUES / 2;
/* Elements of a padded row, and of a padded image with slack for the last windows. */
constexpr int PADDED_ROW = (H + 2) * COLOURS, PADDED_IMAGE = (H + 2) * PADDED_ROW + 12;
constexpr int SLOTS = STEM_USED_SLOTS, ROW_SLOTS = STEM_ROW_SLOTS;
constexpr int ROW_TAPS = STEM_ROW_TAPS, TAPS = 3 * ROW_TAPS; /* of an output channel */

/* From a window's first element to that of a slot. */
__device__ __forceinline__ int slot_at(int slot)
{
    return slot < SLOTS ? (slot / ROW_SLOTS) * PADDED_ROW + slot % ROW_SLOTS : 0;
}

/* Both images with zeros around them; `shifted`: the copy shifted by one, or NULL. */
__device__ __forceinline__ void load_images(const bf16 *from, int first_image,
                                            unsigned short *to, unsigned short *shifted,
                                            int tid)
{
    for (int i = tid; i < IMAGES * PADDED_IMAGE; i += BLOCK) {
        to[i] = 0;
        if (shifted)
            shifted[i] = 0;
    }
    __syncthreads();
    for (int i = tid; i < IMAGES * IMAGE_WORDS; i += BLOCK) {
        const int image = i / IMAGE_WORDS, value = (i % IMAGE_WORDS) * 2;
        const int row = value / ROW_VALUES, column = value % ROW_VALUES;
        const int p = image * PADDED_IMAGE + (row + 1) * PADDED_ROW + COLOURS + column;
        const uint32_t pair =
            __ldg((const uint32_t *)from + (size_t)(first_image + image) * IMAGE_WORDS +
                  i % IMAGE_WORDS);
        to[p] = pair & 0xffff;
        to[p + 1] = pair >> 16;
        if (shifted) {
            shifted[p - 1] = pair & 0xffff;
            shifted[p] = pair >> 16;
        }
    }
}

/* ---- forward ---- */

/* The weights of slots `slot` and the next, of an output channel. */
static __device__ __forceinline__ uint32_t weight_pair(const bf16 *weights, int channel,
                                                       int slot)
{
    uint32_t pair = 0;
    for (int e = 0; e < 2; e++)
        if (slot + e < SLOTS && (slot + e) % ROW_SLOTS < ROW_TAPS)
            pair |= (uint32_t)__bfloat16_as_ushort(
                        weights[channel * TAPS + (slot + e) / ROW_SLOTS * ROW_TAPS +
                                (slot + e) % ROW_SLOTS])
                    << (16 * e);
    return pair;
}

/* Forward has a pixel's channels in its N tiles by turns, two of each, so that a lane's
 * results are neighbours: NEAR channels. */
constexpr int N_TILES = CHANNELS / MMA_N, NEAR = 2 * N_TILES;
constexpr int K_STEPS = STEM_SLOTS / MMA_K, STRIPS = H / MMA_M;

/* What a lane multiplies of a K step: pairs of slots that begin at two places, of its pixel
 * and of the one MMA_M / 2 further, whose places are as odd or even. */
static __device__ __forceinline__ void
load_windows(uint32_t (&windows)[4],
             const unsigned short (*images)[IMAGES * PADDED_IMAGE], int first,
             int second)
{
#pragma unroll
    for (int b = 0; b < 2; b++) {
        const int p = b ? second : first, q = p + MMA_M / 2 * COLOURS;
        windows[b * 2] = *(const uint32_t *)&images[p & 1][p & ~1];
        windows[b * 2 + 1] = *(const uint32_t *)&images[q & 1][q & ~1];
    }
}

/* A lane's results of a pixel, stored, and added to its sums. */
static __device__ __forceinline__ void store_pixel(bf16 *to,
                                                   const float (&acc)[N_TILES][4],
                                                   int half, float (&sums)[NEAR],
                                                   float (&squares)[NEAR])
{
    uint32_t out[N_TILES];
#pragma unroll
    for (int j = 0; j < N_TILES; j++) {
        out[j] = pack(acc[j][half * 2], acc[j][half * 2 + 1]);
        const float v0 = low(out[j]), v1 = high(out[j]); /* as stored */
        sums[2 * j] += v0;
        sums[2 * j + 1] += v1;
        squares[2 * j] = fmaf(v0, v0, squares[2 * j]);
        squares[2 * j + 1] = fmaf(v1, v1, squares[2 * j + 1]);
    }
    *(uint4 *)to = make_uint4(out[0], out[1], out[2], out[3]);
}

/* The channel sums of a block: a thread's neighbouring channels, a warp's, all. */
static __device__ __forceinline__ void
store_sums(jsni_exact_word *to, float (*warp_sums)[2 * CHANNELS], float (&sums)[NEAR],
           float (&squares)[NEAR], int tid, int warp, int lane)
{
#pragma unroll
    for (int j = 0; j < NEAR; j++)
#pragma unroll
        for (int apart = 4; apart < 32; apart <<= 1) {
            sums[j] += __shfl_xor_sync(~0u, sums[j], apart);
            squares[j] += __shfl_xor_sync(~0u, squares[j], apart);
        }
    if (lane < 4)
#pragma unroll
        for (int j = 0; j < NEAR; j++) {
            warp_sums[warp][lane * NEAR + j] = sums[j];
            warp_sums[warp][CHANNELS + lane * NEAR + j] = squares[j];
        }
    __syncthreads();
    if (tid < 2 * CHANNELS) {
        float sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += warp_sums[w][tid];
        add_exactly(exact_sum(to, CHANNELS, 0, tid / CHANNELS, tid % CHANNELS),
                    CHANNELS, sum);
    }
}

static __global__ void __launch_bounds__(BLOCK, 1)
    stem_fwd(const bf16 *x, const bf16 *weights, bf16 *y, jsni_exact_word *view_sums,
             int view_images)
{
    launch_next();
    launch_wait();
    __shared__ __align__(16) unsigned short images[2][IMAGES * PADDED_IMAGE];
    __shared__ float warp_sums[WARPS][2 * CHANNELS];
    const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
    const int first_image = blockIdx.x * IMAGES, image = warp >> 2;
    const int group = lane >> 2, in_group = lane & 3; /* as fragments have it */
    uint32_t held[K_STEPS][N_TILES][2];
    int at[K_STEPS][2];
    for (int ks = 0; ks < K_STEPS; ks++)
        for (int b = 0; b < 2; b++) {
            const int slot = ks * MMA_K + b * (MMA_K / 2) + in_group * 2;
            at[ks][b] = slot_at(slot);
            for (int j = 0; j < N_TILES; j++) {
                const int channel = (group >> 1) * NEAR + j * 2 + (group & 1);
                held[ks][j][b] = weight_pair(weights, channel, slot);
            }
        }
    load_images(x, first_image, images[0], images[1], tid);
    __syncthreads();
    float sums[NEAR] = {}, squares[NEAR] = {};
#pragma unroll 2
    for (int half_row = 0; half_row < WARP_ROWS * STRIPS; half_row++) {
        const int row = (warp & (IMAGE_WARPS - 1)) * WARP_ROWS + (half_row >> 1);
        const int pixel = (half_row & 1) * MMA_M + group;
        const int base = image * PADDED_IMAGE + row * PADDED_ROW + pixel * COLOURS;
        float acc[N_TILES][4] = {};
#pragma unroll
        for (int ks = 0; ks < K_STEPS; ks++) {
            uint32_t windows[4];
            load_windows(windows, images, base + at[ks][0], base + at[ks][1]);
#pragma unroll
            for (int j = 0; j < N_TILES; j++)
                multiply(acc[j], windows, held[ks][j][0], held[ks][j][1]);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            store_pixel(y +
                            ((size_t)((first_image + image) * H + row) * H + pixel +
                             h * (MMA_M / 2)) *
                                CHANNELS +
                            in_group * NEAR,
                        acc, h, sums, squares);
        }
    }
    if (view_sums)
        store_sums(exact_sum(view_sums, CHANNELS, first_image / view_images, 0, 0),
                   warp_sums, sums, squares, tid, warp, lane);
}

/* ---- backward-weights ---- */

constexpr int SHARED_ALIGN = 1024;
constexpr int STAGES = 4, STAGE_ROWS = WARP_ROWS / STAGES; /* of each warp */
constexpr int CHUNK = 8, CHUNKS = CHANNELS / CHUNK;        /* 16 bytes; of a pixel */
constexpr int PIXEL = CHANNELS * 2;                        /* bytes of the gradient */
constexpr int IMAGE_BYTES = H * H * PIXEL, GRADIENT = IMAGES * IMAGE_BYTES;
constexpr int BACK_BYTES = SHARED_ALIGN + GRADIENT + IMAGES * PADDED_IMAGE * 2 + 64;
static_assert(BACK_BYTES <= JSNI_CONV_SHARED, "see roomy");

/* The gradient of two images into shared memory, through the BatchNorm behind the stem:
 * 8 pieces of 16 bytes a thread and stage, in 8 warps' rows 2*stage and
 * 2*stage + 1 of both images. */
template <int PRO>
static __device__ __forceinline__ void
stem_gradient(const jsni_conv_args &args, const float *coef, uint32_t to, int stage)
{
    const int first_image = blockIdx.x * IMAGES, chunk = threadIdx.x & (CHUNKS - 1);
    constexpr int MINE = IMAGES * IMAGE_WARPS * STAGE_ROWS * H * CHUNKS / BLOCK;
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int piece = i * BLOCK + (int)threadIdx.x;
        const int pixel = (piece >> 2) & 31, line = piece >> 7;
        const int image = line >> 3;
        const int row = ((line >> 1) & 3) * WARP_ROWS + stage * STAGE_ROWS + (line & 1);
        const int at =
            (((first_image + image) * H + row) * H + pixel) * CHANNELS + chunk * CHUNK;
        const uint32_t slot = to + ((image * H + row) * H + pixel) * PIXEL +
                              swizzle<CHANNELS>(pixel, chunk);
        if (PRO == JSNI_CONV_PLAIN) {
            copy16(slot, (const bf16 *)args.x + at);
            continue;
        }
        const uint4 g = __ldg((const uint4 *)((const bf16 *)args.x + at));
        const uint4 x = __ldg((const uint4 *)((const bf16 *)args.x2 + at));
        constexpr bool SKIP = PRO == JSNI_CONV_SKIP_BACK;
        const uint4 skip =
            SKIP ? __ldg((const uint4 *)((const bf16 *)args.x3 + at)) : g;
        store_shared16(slot, norm_back8<SKIP>(g, x, skip, coef + chunk * CHUNK,
                                              coef + CHANNELS + chunk * CHUNK,
                                              coef + 2 * CHANNELS + chunk * CHUNK));
    }
    copy_commit();
}

/* Coefficients of the view that the block's images are of. */
static __device__ __forceinline__ void stem_coefs(const jsni_conv_args &args,
                                                  float *coef)
{
    const int at =
        (int)blockIdx.x * IMAGES / args.view_images * CHANNELS + (int)threadIdx.x;
    if (threadIdx.x < CHANNELS) {
        coef[threadIdx.x] = args.pa[at];
        coef[CHANNELS + threadIdx.x] = args.pb[at];
        coef[2 * CHANNELS + threadIdx.x] = args.pd[at];
    }
    __syncthreads();
}

/* So that the gradient's stage is there. */
static __device__ __forceinline__ void wait_for(int stage)
{
    if (stage == 0)
        copy_wait<3>();
    else if (stage == 1)
        copy_wait<2>();
    else if (stage == 2)
        copy_wait<1>();
    else
        copy_wait<0>();
}

/* The products of MMA_K pixels: their gradient with what the slots see from `images` on. */
static __device__ __forceinline__ void
multiply_slots(float (&acc)[STEM_M][STEM_N][4], const uint32_t (&gradient)[STEM_M][4],
               const unsigned short *images, const int (&at)[STEM_N])
{
    constexpr int FAR = MMA_K / 2 * COLOURS; /* to the pixel that is 8 further */
#pragma unroll
    for (int j = 0; j < STEM_N; j++) {
        const unsigned short *p = images + at[j];
        const uint32_t near = (uint32_t)p[0] | (uint32_t)p[COLOURS] << 16;
        const uint32_t far = (uint32_t)p[FAR] | (uint32_t)p[FAR + COLOURS] << 16;
#pragma unroll
        for (int m = 0; m < STEM_M; m++)
            multiply(acc[m][j], gradient[m], near, far);
    }
}

template <int PRO>
static __global__ void __launch_bounds__(BLOCK, 1) stem_bwdw(const jsni_conv_args args)
{
    __shared__ __align__(16) float coef[3 * CHANNELS]; /* pa, pb, pd */
    const bf16 *const x = (const bf16 *)args.e;
    float *const part = args.part;
    launch_next();
    launch_wait();
    extern __shared__ char smem_raw[];
    char *shared = (char *)(((uintptr_t)smem_raw + SHARED_ALIGN - 1) &
                            ~(uintptr_t)(SHARED_ALIGN - 1));
    unsigned short *images = (unsigned short *)(shared + GRADIENT);
    const uint32_t gradient = shared_address(shared);
    const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31;
    const int first_image = blockIdx.x * IMAGES, image = warp >> 2;
    const int group = lane >> 2, in_group = lane & 3; /* as fragments have it */
    if (PRO)
        stem_coefs(args, coef);
#pragma unroll
    for (int stage = 0; stage < STAGES; stage++)
        stem_gradient<PRO>(args, coef, gradient, stage);
    load_images(x, first_image, images, nullptr, tid);
    int at[STEM_N]; /* of this lane's slots, for its first two pixels */
    for (int j = 0; j < STEM_N; j++)
        at[j] =
            image * PADDED_IMAGE + slot_at(j * MMA_N + group) + in_group * 2 * COLOURS;
    float acc[STEM_M][STEM_N][4] = {};
    const uint32_t from =
        gradient + image * IMAGE_BYTES + ((lane & 7) + (lane >> 4) * 8) * PIXEL +
        swizzle<CHANNELS>((lane & 7) + (lane >> 4) * 8, (lane >> 3) & 1);
#pragma unroll 1
    for (int stage = 0; stage < STAGES; stage++) {
        wait_for(stage);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STAGE_ROWS * STRIPS; k++) {
            const int row =
                (warp & (IMAGE_WARPS - 1)) * WARP_ROWS + stage * STAGE_ROWS + (k >> 1);
            const int pixel = (k & 1) * MMA_K;
            uint32_t a[STEM_M][4];
#pragma unroll
            for (int m = 0; m < STEM_M; m++) /* as swizzle() exchanges chunks */
                load_matrix_t(a[m], (from ^ (m * MMA_M * 2)) + row * (H * PIXEL) +
                                        pixel * PIXEL);
            multiply_slots(acc, a, images + row * PADDED_ROW + pixel * COLOURS, at);
        }
    }
    __syncthreads();
    float *all = (float *)shared; /* [results of a lane][thread] */
#pragma unroll
    for (int i = 0; i < STEM_RESULTS / 32; i++)
        all[i * BLOCK + tid] = acc[i / (STEM_N * 4)][i / 4 % STEM_N][i % 4];
    __syncthreads();
    for (int e = tid; e < STEM_RESULTS; e += BLOCK) {
        float sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += all[(e >> 5) * BLOCK + w * 32 + (e & 31)];
        part[blockIdx.x * STEM_RESULTS + e] = sum;
    }
}

/* ---- the calls ---- */

cudaError_t jsni_conv_stem(const void *x, const void *w, void *y, jsni_exact_word *sums,
                           int images, int view_images, cudaStream_t stream)
{
    return jsni_launch(stem_fwd, images / IMAGES, BLOCK, 0, 1, stream, (const bf16 *)x,
                       (const bf16 *)w, (bf16 *)y, sums, view_images);
}

cudaError_t jsni_conv_stem_weights(const jsni_conv_args *args,
                                   jsni_conv_prologue prologue, cudaStream_t stream)
{
    const auto kernel = prologue == JSNI_CONV_PLAIN ? stem_bwdw<JSNI_CONV_PLAIN>
                        : prologue == JSNI_CONV_NORM_BACK
                            ? stem_bwdw<JSNI_CONV_NORM_BACK>
                            : stem_bwdw<JSNI_CONV_SKIP_BACK>;
    return jsni_launch(kernel, args->images / IMAGES, BLOCK, BACK_BYTES, 1, stream,
                       *args);
}
