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

template <int C, int PRO, int EPI>
__global__ void __launch_bounds__(mma_tiles<C>::THREADS, mma_tiles<C>::BLOCKS)
    conv3x3(const jsni_conv_args args)
{
    using T = mma_tiles<C>;
    constexpr int H = T::H, SIDE_BYTES = SIDE_RING * T::SIDE;
    constexpr bool BACK = goes_back(PRO), OPERAND = has_operand(EPI);
    extern __shared__ char smem_raw[];
    const mma_block<C, PRO, EPI> b(smem_raw, args);
    launch_next();
    const mma_role<C> role(b.warp);
    const int tid = threadIdx.x, lane = b.lane;
    mma_weights weights;
    load_weights(weights, args.w, role.channel_group, role.upwards, lane);
    b.clear_edges();
    launch_wait(); /* what earlier kernels wrote is read only from here on */

    /* Rows into shared memory: chunk i of a stage, of MINE, all at the same 16 bytes of a
     * pixel. Its row of the stage; its place in a tensor, which fits 32 bits; in the ring
     * of x; in that of x2. */
    const int chunk = tid % T::CHUNKS, pixel = (tid / T::CHUNKS) % H;
    auto row_of = [&](int i) { return C == 128 ? i * 2 + (tid >> 7) : i; };
    auto place = [&](int stage, int i) {
        const int r = row_of(i), image = C == 128 ? r : 0;
        const int row = C == 32 ? (r & 2 ? H - 1 - 2 * stage - (r & 1) : 2 * stage + r)
                        : C == 64 ? 2 * stage + r
                                  : stage;
        return (((b.first_image + image) * H + row) * H + pixel) * C + chunk * 8;
    };
    auto slot = [&](int stage, int i) {
        return b.ring + (stage % RING) * T::STAGE + row_of(i) * T::PITCH +
               (pixel + 1) * T::PIXEL + swizzle<C>(pixel + 1, chunk);
    };
    auto side = [&](int stage, int i) {
        return b.sides + (((stage % SIDE_RING) * T::MINE + i) * T::THREADS + tid) * 16;
    };
    auto load = [&](int stage) {
        if (stage < STAGES)
#pragma unroll
            for (int i = 0; i < T::MINE; i++)
                copy16(slot(stage, i), b.x + place(stage, i));
    };
    auto load_sides = [&](int stage) {
        if (BACK && stage < STAGES)
#pragma unroll
            for (int i = 0; i < T::MINE; i++) {
                copy16(side(stage, i), b.x2 + place(stage, i));
                if (PRO == JSNI_CONV_SKIP_BACK)
                    copy16(side(stage, i) + SIDE_BYTES, b.x3 + place(stage, i));
            }
    };
    /* The prologue, by the thread that copied the chunk. */
    auto transform = [&](int stage, int i) {
        if (PRO == JSNI_CONV_PLAIN || stage >= STAGES)
            return;
        const uint32_t at = slot(stage, i);
        const float *const c = b.coefs;
        if (PRO == JSNI_CONV_NORM_RELU)
            store_shared16(at, norm_relu8(load_shared16(at), c + chunk * 8,
                                          c + COEF_PB * C + chunk * 8));
        else {
            constexpr bool SKIP = PRO == JSNI_CONV_SKIP_BACK;
            const uint4 skip = SKIP ? load_shared16(side(stage, i) + SIDE_BYTES)
                                    : make_uint4(0, 0, 0, 0);
            const uint4 v = norm_back8<SKIP>(
                load_shared16(at), load_shared16(side(stage, i)), skip, c + chunk * 8,
                c + COEF_PB * C + chunk * 8, c + COEF_PD * C + chunk * 8);
            store_shared16(at, v);
            if (b.xo)
                *(uint4 *)(b.xo + place(stage, i)) = v;
        }
    };

    /* Results: a thread's neighbouring channels of pixel `half` of tile m in the row of a
     * step of the march; the place in a tensor, and of the operand in shared memory. */
    const int channel0 = role.channel_group * T::CHANNELS + (lane & 3) * T::NEIGHBOURS;
    auto result = [&](int step, int m, int half) {
        const int row = role.upwards ? H - 1 - step : step;
        const int image = C == 128 ? m * 2 + half : 0;
        const int p = C == 128 ? lane >> 2 : role.strip * 16 + (lane >> 2) + half * 8;
        return (((b.first_image + image) * H + row) * H + p) * C + channel0;
    };
    auto load_operands = [&](int stage) {
        if (OPERAND && stage < STAGES)
            copy_operands(b, stage, result);
    };
    auto begin = [&](int stage) {
        load(stage);
        if (stage < SIDE_AHEAD)
            load_sides(stage);
        if (stage < OPERAND_AHEAD)
            load_operands(stage);
        copy_commit();
    };
    begin(0);
    begin(1);
    begin(2);
    begin(3);
    b.load_coefs(args);
    uint32_t fragment[3];
    role.find_fragments(fragment, lane);
    mma_sums<C> acc[3] = {};
    float sums[T::NEIGHBOURS] = {}, product_sums[T::NEIGHBOURS] = {};
    auto epilogue = [&](int step) {
        store_row(b, step, acc[0], channel0, sums, product_sums, result);
    };
    __syncthreads(); /* coefficients */
    copy_wait<3>();
#pragma unroll
    for (int i = 0; i < T::MINE; i++)
        transform(0, i);
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
                 i++)
                transform(stage + 1, i);
            if (step)
                epilogue(step - 1);
            move_up<C>(acc);
            if (k == 0) {
                load(stage + AHEAD);
                load_sides(stage + SIDE_AHEAD);
                load_operands(stage + OPERAND_AHEAD);
                copy_commit();
            }
        }
    }
    /* C = 32: the row beyond this half is the other half's last one. */
    if (C == 32)
        products<C, FEEDS_LAST>(acc, weights, fragment,
                                b.ring + ((STAGES - 1) % RING) * T::STAGE +
                                    (role.upwards ? -1 : 3) * T::PITCH);
    epilogue(STAGES * T::MARCHED - 1);
    leave_sums(b.sums, b.warp, lane, sums, product_sums);
    __syncthreads();
    if (tid < 2 * T::COLUMNS)
        store_sums(args, b, tid);
}

template <int C>
static cudaError_t start(const jsni_conv_args *args, int prologue, int epilogue,
                         cudaStream_t stream)
{
    return choose_fused(prologue, epilogue, [=](auto what) {
        using T = mma_tiles<C>;
        constexpr int PRO = what.PROLOGUE, EPI = what.EPILOGUE;
        static_assert(MMA_BYTES<C, PRO, EPI> <= JSNI_CONV_SHARED, "see roomy");
        return jsni_launch(conv3x3<C, PRO, EPI>, args->images / T::IMAGES * T::HALVES,
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

int jsni_conv3x3_group(int channels, int images, bool wide)
{
    if (!wide)
        return channels == 128 ? mma_tiles<128>::IMAGES : 1;
    return channels == 32 ? jsni_conv3x3_rows_group(images)
                          : jsni_conv3x3_image_group(channels, images);
}

bool jsni_conv3x3_fits(int channels, int height, int width, int view_images)
{
    return (channels == 32 || channels == 64 || channels == 128) &&
           channels * height == 1024 && height == width && view_images % 8 == 0;
}
