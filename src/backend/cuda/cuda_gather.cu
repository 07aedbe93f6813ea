/* backend/cuda/cuda_gather.cu - see gather_kernels.h. A block makes one view of one
 * sample: one thread draws the plan, all together gather the statistics that its
 * operation needs into a table of bytes, then each computes pixels by reading backwards
 * through flip, crop and operation. */
#include "backend/cuda/gather_kernels.h"

#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/cuda_vec.cuh"

extern "C" {
#define JSNI_OPERATION_DEVICE
#include "augment/operation.h"
/* The files of all operations; made by CMake. */
#include "augment/operation_files.h"
}

constexpr int BLOCK = 256;

struct gather_shared {
    jsni_pixel_op op;
    uint32_t ops, top, left, flip, cut_y0, cut_y1, cut_x0, cut_x1, pad;
    uint8_t table[3][256];
    uint32_t histogram[3][256];
    uint32_t low[3], high[3], gray;
    uint32_t sums[BLOCK / 32];
};

/* Statistics of the stored image that tables are made from. */
static __device__ void statistics(gather_shared &s, const uint8_t *image, int pixels)
{
    const int needs = s.op.needs;
    if (needs == JSNI_NEEDS_HISTOGRAM)
        for (int i = threadIdx.x; i < 3 * 256; i += BLOCK)
            (&s.histogram[0][0])[i] = 0;
    if (threadIdx.x < 3) {
        s.low[threadIdx.x] = 255;
        s.high[threadIdx.x] = 0;
        s.gray = 0;
    }
    __syncthreads();
    if (needs == JSNI_NEEDS_RANGE || needs == JSNI_NEEDS_HISTOGRAM)
        for (int i = threadIdx.x; i < 3 * pixels; i += BLOCK) {
            const int c = i % 3;
            if (needs == JSNI_NEEDS_HISTOGRAM) {
                atomicAdd(&s.histogram[c][image[i]], 1u);
            } else {
                atomicMin(&s.low[c], (uint32_t)image[i]);
                atomicMax(&s.high[c], (uint32_t)image[i]);
            }
        }
    if (needs == JSNI_NEEDS_GRAY) {
        uint32_t sum = 0;
        for (int i = threadIdx.x; i < pixels; i += BLOCK)
            sum += jsni_gray(image[3 * i], image[3 * i + 1], image[3 * i + 2]);
        atomicAdd(&s.gray, sum); /* integers: any order gives the same sum */
    }
    __syncthreads();
}

static __device__ uint8_t table_byte(const jsni_pixel_op *op,
                                     const jsni_byte_stats *stats, int byte)
{
    switch (op->kind) {
#define TABLE_CASE(id)        \
    case JSNI_OPERATION_##id: \
        return id##_table_on_device(op, stats, byte);
        JSNI_OPERATION_DRAWN(TABLE_CASE)
#undef TABLE_CASE
    default:
        return 0;
    }
}

static __device__ void pixel_at(const jsni_pixel_op *op, const uint8_t *p, int x, int y,
                                int width, int height, uint8_t *out)
{
    switch (op->kind) {
#define PIXEL_CASE(id)                                         \
    case JSNI_OPERATION_##id:                                  \
        id##_pixel_on_device(op, p, x, y, width, height, out); \
        break;
        JSNI_OPERATION_DRAWN(PIXEL_CASE)
#undef PIXEL_CASE
    default:
        break;
    }
}

/* Thread i makes entry i of each channel's table: pixels below it by a scan. */
static __device__ void histogram_tables(gather_shared &s, int pixels)
{
    const int i = threadIdx.x, lane = i & 31, w = i >> 5;
    for (int c = 0; c < 3; c++) {
        const uint32_t own = s.histogram[c][i];
        uint32_t sum = own;
        for (int d = 1; d < 32; d <<= 1) {
            const uint32_t other = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? other : 0;
        }
        if (lane == 31)
            s.sums[w] = sum;
        if (own)
            atomicMax(&s.high[c], (uint32_t)i);
        __syncthreads();
        uint32_t below = sum - own;
        for (int k = 0; k < w; k++)
            below += s.sums[k];
        const jsni_byte_stats stats = {
            0, 0, 0, (uint32_t)pixels, s.histogram[c][s.high[c]], below};
        s.table[c][i] = table_byte(&s.op, &stats, i);
        __syncthreads();
    }
}

static __device__ void make_table(gather_shared &s, const uint8_t *image, int pixels)
{
    statistics(s, image, pixels);
    if (s.op.needs == JSNI_NEEDS_HISTOGRAM) {
        histogram_tables(s, pixels);
    } else {
        const int gray = s.op.needs == JSNI_NEEDS_GRAY
                             ? jsni_gray_mean(s.gray, (uint64_t)pixels)
                             : 0;
        for (int i = threadIdx.x; i < 3 * 256; i += BLOCK) {
            const int c = i / 256;
            const jsni_byte_stats stats = {
                (int)s.low[c], (int)s.high[c], gray, 0, 0, 0};
            s.table[c][i % 256] = table_byte(&s.op, &stats, i % 256);
        }
    }
    __syncthreads();
}

/* Pixel (x, y) of the image behind the operation. */
static __device__ void operated(const gather_shared &s, const uint8_t *image, int width,
                                int height, int x, int y, bool table, uint8_t (&out)[3])
{
    const uint8_t *p = image + (y * width + x) * 3;
    out[0] = p[0];
    out[1] = p[1];
    out[2] = p[2];
    if (!s.ops)
        return;
    if (table) {
        for (int c = 0; c < 3; c++)
            out[c] = s.table[c][p[c]];
        return;
    }
    if (s.op.form == JSNI_FORM_PIXEL) {
        pixel_at(&s.op, p, x, y, width, height, out);
        return;
    }
    const int64_t u = jsni_warp_x(&s.op.warp, x, y), v = jsni_warp_y(&s.op.warp, x, y);
    const bool in = u >= 0 && v >= 0 && u < width && v < height;
    for (int c = 0; c < 3; c++)
        out[c] = in ? image[(v * width + u) * 3 + c] : 0;
}

static __device__ void draw(gather_shared &s, const jsni_gather_args &A,
                            uint32_t sample, uint32_t view)
{
    const jsni_recipe *recipe = (const jsni_recipe *)A.recipe;
    s.ops = s.top = s.left = s.flip = s.pad = 0;
    s.cut_y0 = s.cut_y1 = s.cut_x0 = s.cut_x1 = 0;
    s.op.kind = -1;
    if (!recipe)
        return;
    jsni_rng rng =
        jsni_rng_stream(A.key->seed, A.key->purpose, A.key->epoch, sample, view);
    s.ops = recipe->ops;
    if (recipe->ops)
        s.op = jsni_draw_op(recipe->op, recipe->height, recipe->width, &rng);
    if (recipe->crop) {
        s.pad = recipe->pad;
        s.top = jsni_rng_below(&rng, 2u * recipe->pad + 1u);
        s.left = jsni_rng_below(&rng, 2u * recipe->pad + 1u);
    }
    if (recipe->flip)
        s.flip = jsni_rng_u32(&rng) >> 31;
    if (recipe->cutout) {
        const uint32_t y = jsni_rng_below(&rng, recipe->height);
        const uint32_t x = jsni_rng_below(&rng, recipe->width);
        jsni_cutout_range(y, recipe->cutout, recipe->height, &s.cut_y0, &s.cut_y1);
        jsni_cutout_range(x, recipe->cutout, recipe->width, &s.cut_x0, &s.cut_x1);
    }
}

static __global__ void __launch_bounds__(BLOCK) gather(const jsni_gather_args A)
{
    __shared__ gather_shared s;
    launch_next();
    launch_wait();
    const int i = blockIdx.x % A.samples, view = blockIdx.x / A.samples;
    const uint32_t at = A.first + (uint32_t)i + (A.step ? *A.step * A.samples : 0u);
    const uint32_t in_order = at < A.count ? at : A.count - 1;
    const uint32_t sample = A.order ? A.order[in_order] : in_order;
    const int width = A.width, height = A.height, pixels = width * height;
    const uint8_t *image = A.images + (size_t)sample * pixels * 3;
    if (threadIdx.x == 0) {
        draw(s, A, sample, (uint32_t)view);
        if (view == 0) {
            if (A.labels)
                A.labels[i] = A.labels_from[sample];
            if (A.truth)
                A.truth[i] = A.truth_from ? A.truth_from[sample] : -1;
            if (A.places)
                A.places[i] = sample;
            if (A.second)
                A.second[i] = A.second_from ? A.second_from[sample] : 0;
        }
    }
    __syncthreads();
    const bool table = s.ops && s.op.form == JSNI_FORM_TABLE;
    if (table)
        make_table(s, image, pixels);
    const float *normal =
        A.recipe ? &((const jsni_recipe *)A.recipe)->normal[0][0] : A.normal;
    const size_t base = ((size_t)view * A.samples + i) * pixels * 3;
    for (int p = threadIdx.x; p < pixels; p += BLOCK) {
        const int x = p % width, y = p / width;
        const int column = (s.flip ? width - 1 - x : x) + (int)s.left - (int)s.pad;
        const int row = y + (int)s.top - (int)s.pad;
        uint8_t byte[3] = {0, 0, 0};
        if (column >= 0 && row >= 0 && column < width && row < height)
            operated(s, image, width, height, column, row, table, byte);
        const bool cut = y >= (int)s.cut_y0 && y < (int)s.cut_y1 &&
                         x >= (int)s.cut_x0 && x < (int)s.cut_x1;
        for (int c = 0; c < 3; c++) {
            const float v = cut ? 0.0f : normal[c * 256 + byte[c]];
            if (A.half)
                ((bf16 *)A.out)[base + p * 3 + c] = narrow<bf16>(v);
            else
                ((float *)A.out)[base + p * 3 + c] = v;
        }
    }
}

cudaError_t jsni_gather(const jsni_gather_args *args, cudaStream_t stream)
{
    return jsni_launch(gather, (long long)args->views * args->samples, BLOCK, 0, 1,
                       stream, *args);
}
