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

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/exact_sums.cuh"

constexpr int BLOCK = 256, WARPS = BLOCK / 32, IMAGES = 2;
constexpr int H = 32, COLOURS = 3, CHANNELS = 32;
/* Words of two values in memory: a row's, an image's. */
constexpr int ROW_VALUES = H * COLOURS, IMAGE_WORDS = H * ROW_VALUES / 2;
/* Elements of a padded row, and of a padded image with slack for the last windows. */
constexpr int PADDED_ROW = (H + 2) * COLOURS, PADDED_IMAGE = (H + 2) * PADDED_ROW + 12;
constexpr int SLOTS = 30, ROW_SLOTS = 10, ROW_TAPS = 9, TAPS = 27;
constexpr int RESULTS = CHANNELS * 32; /* backward: channels x slots */

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

/* The channel sums of a block: a thread's 8 neighbouring channels, a warp's, all. */
static __device__ __forceinline__ void store_sums(jsni_exact_word *to,
                                                  float (*warp_sums)[2 * CHANNELS],
                                                  float (&sums)[8], float (&squares)[8],
                                                  int tid, int warp, int lane)
{
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int apart = 4; apart < 32; apart <<= 1) {
            sums[j] += __shfl_xor_sync(~0u, sums[j], apart);
            squares[j] += __shfl_xor_sync(~0u, squares[j], apart);
        }
    if (lane < 4)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            warp_sums[warp][lane * 8 + j] = sums[j];
            warp_sums[warp][CHANNELS + lane * 8 + j] = squares[j];
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
    uint32_t held[2][4][2];
    int at[2][2];
    for (int ks = 0; ks < 2; ks++)
        for (int b = 0; b < 2; b++) {
            const int slot = ks * 16 + b * 8 + in_group * 2;
            at[ks][b] = slot_at(slot);
            for (int j = 0; j < 4; j++) {
                const int channel = (group >> 1) * 8 + j * 2 + (group & 1);
                held[ks][j][b] = weight_pair(weights, channel, slot);
            }
        }
    load_images(x, first_image, images[0], images[1], tid);
    __syncthreads();
    float sums[8] = {}, squares[8] = {};
#pragma unroll 2
    for (int half_row = 0; half_row < 16; half_row++) {
        const int row = (warp & 3) * 8 + (half_row >> 1);
        const int pixel = (half_row & 1) * 16 + group;
        const int base = image * PADDED_IMAGE + row * PADDED_ROW + pixel * COLOURS;
        float acc[4][4] = {};
#pragma unroll
        for (int ks = 0; ks < 2; ks++) {
            uint32_t windows[4];
#pragma unroll
            for (int b = 0; b < 2; b++) {
                /* This pixel and the one 8 further, whose place is as odd or even. */
                const int p = base + at[ks][b], q = p + 8 * COLOURS;
                windows[b * 2] = *(const uint32_t *)&images[p & 1][p & ~1];
                windows[b * 2 + 1] = *(const uint32_t *)&images[q & 1][q & ~1];
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                multiply(acc[j], windows, held[ks][j][0], held[ks][j][1]);
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t out[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                out[j] = pack(acc[j][h * 2], acc[j][h * 2 + 1]);
                const float v0 = low(out[j]), v1 = high(out[j]); /* as stored */
                sums[2 * j] += v0;
                sums[2 * j + 1] += v1;
                squares[2 * j] = fmaf(v0, v0, squares[2 * j]);
                squares[2 * j + 1] = fmaf(v1, v1, squares[2 * j + 1]);
            }
            *(uint4 *)(y +
                       ((size_t)((first_image + image) * H + row) * H + pixel + h * 8) *
                           CHANNELS +
                       in_group * 8) = make_uint4(out[0], out[1], out[2], out[3]);
        }
    }
    if (view_sums)
        store_sums(exact_sum(view_sums, CHANNELS, first_image / view_images, 0, 0),
                   warp_sums, sums, squares, tid, warp, lane);
}

/* ---- backward-weights ---- */

constexpr int SHARED_ALIGN = 1024;
constexpr int PIXEL = CHANNELS * 2; /* bytes of the gradient */
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
    const int first_image = blockIdx.x * IMAGES, chunk = threadIdx.x & 3;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int piece = i * BLOCK + (int)threadIdx.x;
        const int pixel = (piece >> 2) & 31, line = piece >> 7;
        const int image = line >> 3;
        const int row = ((line >> 1) & 3) * 8 + stage * 2 + (line & 1);
        const int at =
            (((first_image + image) * H + row) * H + pixel) * CHANNELS + chunk * 8;
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
        store_shared16(slot, norm_back8<SKIP>(g, x, skip, coef + chunk * 8,
                                              coef + CHANNELS + chunk * 8,
                                              coef + 2 * CHANNELS + chunk * 8));
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

/* So that the gradient's stage (of 4) is there. */
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
    for (int stage = 0; stage < 4; stage++)
        stem_gradient<PRO>(args, coef, gradient, stage);
    load_images(x, first_image, images, nullptr, tid);
    int at[4]; /* of this lane's slots, for two pixels in six elements */
    for (int j = 0; j < 4; j++)
        at[j] = image * PADDED_IMAGE + slot_at(j * 8 + group) + in_group * 2 * COLOURS;
    float acc[2][4][4] = {};
    const uint32_t from =
        gradient + image * IMAGE_BYTES + ((lane & 7) + (lane >> 4) * 8) * PIXEL +
        swizzle<CHANNELS>((lane & 7) + (lane >> 4) * 8, (lane >> 3) & 1);
#pragma unroll 1
    for (int stage = 0; stage < 4; stage++) {
        wait_for(stage);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++) { /* two rows, each in two halves */
            const int row = (warp & 3) * 8 + stage * 2 + (k >> 1), pixel = (k & 1) * 16;
            uint32_t a[2][4];
#pragma unroll
            for (int m = 0; m < 2; m++)
                load_matrix_t(a[m],
                              (from ^ (m << 5)) + row * (H * PIXEL) + pixel * PIXEL);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned short *p =
                    images + at[j] + row * PADDED_ROW + pixel * COLOURS;
                const uint32_t near = (uint32_t)p[0] | (uint32_t)p[COLOURS] << 16;
                const uint32_t far = (uint32_t)p[8 * COLOURS] | (uint32_t)p[9 * COLOURS]
                                                                    << 16;
#pragma unroll
                for (int m = 0; m < 2; m++)
                    multiply(acc[m][j], a[m], near, far);
            }
        }
    }
    __syncthreads();
    float *all = (float *)shared; /* [32 of a lane][thread] */
#pragma unroll
    for (int i = 0; i < 32; i++)
        all[i * BLOCK + tid] = acc[i / 16][i / 4 % 4][i % 4];
    __syncthreads();
    for (int e = tid; e < RESULTS; e += BLOCK) {
        float sum = 0;
        for (int w = 0; w < WARPS; w++)
            sum += all[(e >> 5) * BLOCK + w * 32 + (e & 31)];
        part[blockIdx.x * RESULTS + e] = sum;
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
