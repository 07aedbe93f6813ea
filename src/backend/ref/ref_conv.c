/* backend/ref/ref_conv.c - convolution, by its definition
 *
 *     y[n][o][r][c] = bias[o] + sum over i,k,l of
 *                     w[o][i][k][l] * x[n][i][r*sh + k - ph][c*sw + l - pw]
 *
 * with zeros outside the image. Loops are ordered so that the innermost one runs along
 * a row and serves four channels at once; a sum is made in the order i, k, l.
 */
#include <string.h>

#include "backend/ref/ref_impl.h"

enum { BLOCK = 4, STRIP = 64, LANES = 4 };

typedef struct conv_job {
    const ref_call *call;
    jsni_window w;
    jsni_shape in, out;
    size_t blocks; /* of channels */
} conv_job;

/* A 1x1 convolution with stride 1 does not care where rows end: one long row. */
static conv_job make_job(const ref_call *call)
{
    conv_job job = {.call = call,
                    .w = call->node->op.as.conv.window,
                    .in = call->in,
                    .out = call->out};
    const jsni_window *w = &job.w;
    if (w->kernel_h * w->kernel_w * w->stride_h * w->stride_w == 1 &&
        w->pad_h + w->pad_w == 0) {
        job.in.width *= job.in.height;
        job.out.width *= job.out.height;
        job.in.height = job.out.height = 1;
    }
    return job;
}

/* The positions p in [first, last) with 0 <= p*stride + tap - pad < size. */
static void valid_range(size_t size, size_t stride, size_t tap, size_t pad,
                        size_t *first, size_t *last)
{
    const size_t low = tap >= pad ? 0 : (pad - tap + stride - 1) / stride;
    const size_t high = size + pad > tap ? (size + pad - tap - 1) / stride + 1 : 0;
    if (low > *first)
        *first = low;
    if (high < *last)
        *last = high;
}

/* acc[q][i] += w[q] * from[i*stride] for the four channels q. */
static void add_row(float acc[BLOCK][STRIP], const float w[BLOCK],
                    const float *restrict from, size_t first, size_t last,
                    size_t stride)
{
    float *restrict a = acc[0], *restrict b = acc[1];
    float *restrict c = acc[2], *restrict d = acc[3];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    if (stride == 1) {
        for (size_t i = first; i < last; i++) {
            const float x = from[i - first];
            a[i] += wa * x;
            b[i] += wb * x;
            c[i] += wc * x;
            d[i] += wd * x;
        }
        return;
    }
    for (size_t i = first; i < last; i++) {
        const float x = from[(i - first) * stride];
        a[i] += wa * x;
        b[i] += wb * x;
        c[i] += wc * x;
        d[i] += wd * x;
    }
}

/* acc[q] += all taps of columns [column, column+width) of output row `row`. */
static void forward_strip(const conv_job *job, const float *x, const float *weight,
                          size_t outputs, size_t row, size_t column, size_t width,
                          float acc[BLOCK][STRIP])
{
    const jsni_window *w = &job->w;
    const size_t area = w->kernel_h * w->kernel_w;
    const size_t kernels = job->in.channels * area;
    for (size_t i = 0; i < job->in.channels; i++) {
        for (size_t k = 0; k < w->kernel_h; k++) {
            const size_t r = row * w->stride_h + k;
            if (r < w->pad_h || r - w->pad_h >= job->in.height)
                continue;
            const float *line = x + (i * job->in.height + r - w->pad_h) * job->in.width;
            for (size_t l = 0; l < w->kernel_w; l++) {
                size_t first = column, last = column + width;
                valid_range(job->in.width, w->stride_w, l, w->pad_w, &first, &last);
                if (first >= last)
                    continue;
                float tap[BLOCK] = {0};
                for (size_t q = 0; q < outputs; q++)
                    tap[q] = weight[q * kernels + i * area + k * w->kernel_w + l];
                add_row(acc, tap, line + (first * w->stride_w + l - w->pad_w),
                        first - column, last - column, w->stride_w);
            }
        }
    }
}

static void forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const conv_job *job = user;
    const ref_call *call = job->call;
    const size_t image = index / job->blocks;
    const size_t o = index % job->blocks * BLOCK;
    const size_t left = job->out.channels - o;
    const size_t outputs = left < BLOCK ? left : BLOCK;
    const size_t plane = job->out.height * job->out.width;
    const float *x = call->x + image * jsni_shape_count(job->in);
    float *y = call->y + (image * job->out.channels + o) * plane;
    const float *weight =
        call->weight + o * job->in.channels * job->w.kernel_h * job->w.kernel_w;
    for (size_t row = 0; row < job->out.height; row++) {
        for (size_t column = 0; column < job->out.width; column += STRIP) {
            const size_t rest = job->out.width - column;
            const size_t width = rest < STRIP ? rest : STRIP;
            float acc[BLOCK][STRIP] = {{0}};
            forward_strip(job, x, weight, outputs, row, column, width, acc);
            for (size_t q = 0; q < outputs; q++) {
                const float bias = call->bias == NULL ? 0.0f : call->bias[o + q];
                float *to = y + q * plane + row * job->out.width + column;
                for (size_t i = 0; i < width; i++)
                    to[i] = acc[q][i] + bias;
            }
        }
    }
}

static void forward(const ref_call *call)
{
    conv_job job = make_job(call);
    job.blocks = (job.out.channels + BLOCK - 1) / BLOCK;
    jsni_pool_run(call->pool, ref_images(call) * job.blocks, forward_piece, &job);
}

/* acc[q][i*stride] += w[q] * from[i], the transpose of add_row(). */
static void spread_row(float acc[BLOCK][STRIP], const float w[BLOCK],
                       const float *restrict from, size_t at, size_t count,
                       size_t stride)
{
    for (size_t q = 0; q < BLOCK; q++) {
        float *restrict to = acc[q] + at;
        for (size_t i = 0; i < count; i++)
            to[i * stride] += w[q] * from[i];
    }
}

/* acc[q] += what output row `r` sends to columns [column, column+width) of an input row
 * through kernel row k. */
static void data_taps(const conv_job *job, const float *dy, const float *weight,
                      size_t inputs, size_t k, size_t column, size_t width,
                      float acc[BLOCK][STRIP])
{
    const jsni_window *w = &job->w;
    const size_t area = w->kernel_h * w->kernel_w;
    for (size_t l = 0; l < w->kernel_w; l++) {
        /* Output columns c whose tap l lies at column <= c*sw + l - pw. */
        const size_t low = column + w->pad_w;
        size_t first = l >= low ? 0 : (low - l + w->stride_w - 1) / w->stride_w;
        const size_t high = low + width;
        size_t last = l >= high ? 0 : (high - l - 1) / w->stride_w + 1;
        if (last > job->out.width)
            last = job->out.width;
        if (first >= last)
            continue;
        float tap[BLOCK] = {0};
        for (size_t q = 0; q < inputs; q++)
            tap[q] = weight[q * area + k * w->kernel_w + l];
        const size_t at = first * w->stride_w + l - low;
        if (w->stride_w == 1)
            add_row(acc, tap, dy + first, at, at + (last - first), 1);
        else
            spread_row(acc, tap, dy + first, at, last - first, w->stride_w);
    }
}

static void data_strip(const conv_job *job, const float *dy, const float *weight,
                       size_t inputs, size_t row, size_t column, size_t width,
                       float acc[BLOCK][STRIP])
{
    const jsni_window *w = &job->w;
    const size_t kernels = job->in.channels * w->kernel_h * w->kernel_w;
    for (size_t o = 0; o < job->out.channels; o++) {
        for (size_t k = 0; k < w->kernel_h; k++) {
            if (row + w->pad_h < k || (row + w->pad_h - k) % w->stride_h != 0)
                continue;
            const size_t r = (row + w->pad_h - k) / w->stride_h;
            if (r >= job->out.height)
                continue;
            data_taps(job, dy + (o * job->out.height + r) * job->out.width,
                      weight + o * kernels, inputs, k, column, width, acc);
        }
    }
}

static void data_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const conv_job *job = user;
    const ref_call *call = job->call;
    const size_t image = index / job->blocks;
    const size_t i = index % job->blocks * BLOCK;
    const size_t left = job->in.channels - i;
    const size_t inputs = left < BLOCK ? left : BLOCK;
    const size_t plane = job->in.height * job->in.width;
    const float *dy = call->dy + image * jsni_shape_count(job->out);
    float *dx = call->dx + (image * job->in.channels + i) * plane;
    const float *weight = call->weight + i * job->w.kernel_h * job->w.kernel_w;
    for (size_t row = 0; row < job->in.height; row++) {
        for (size_t column = 0; column < job->in.width; column += STRIP) {
            const size_t rest = job->in.width - column;
            const size_t width = rest < STRIP ? rest : STRIP;
            float acc[BLOCK][STRIP] = {{0}};
            data_strip(job, dy, weight, inputs, row, column, width, acc);
            for (size_t q = 0; q < inputs; q++) {
                float *to = dx + q * plane + row * job->in.width + column;
                for (size_t c = 0; c < width; c++)
                    to[c] += acc[q][c];
            }
        }
    }
}

/* For the four channels q, adds dy[q*plane + i] * x[i*stride] to the running sums
 * sum[q][i % LANES]: independent sums, so that the compiler may use vectors although
 * the order of the additions is fixed. */
static void dot_rows(float sum[BLOCK][LANES], const float *restrict dy, size_t plane,
                     const float *restrict x, size_t count, size_t stride)
{
    const float *restrict a = dy, *restrict b = dy + plane;
    const float *restrict c = dy + 2 * plane, *restrict d = dy + 3 * plane;
    size_t i = 0;
    if (stride == 1) {
        float s[BLOCK * LANES];
        memcpy(s, sum, sizeof s);
        for (; i + LANES <= count; i += LANES) {
            for (size_t l = 0; l < LANES; l++)
                s[l] += a[i + l] * x[i + l];
            for (size_t l = 0; l < LANES; l++)
                s[LANES + l] += b[i + l] * x[i + l];
            for (size_t l = 0; l < LANES; l++)
                s[2 * LANES + l] += c[i + l] * x[i + l];
            for (size_t l = 0; l < LANES; l++)
                s[3 * LANES + l] += d[i + l] * x[i + l];
        }
        memcpy(sum, s, sizeof s);
    }
    for (; i < count; i++) {
        const float value = x[i * stride];
        sum[0][i % LANES] += a[i] * value;
        sum[1][i % LANES] += b[i] * value;
        sum[2][i % LANES] += c[i] * value;
        sum[3][i % LANES] += d[i] * value;
    }
}

/* The gradient of weight [o+q][i][k][l] for the four channels q: over an image in
 * float, over the images in double. A block that is not full reads its first channel
 * again (`plane` 0) and the caller ignores the rest. */
static void weight_sums(const conv_job *job, size_t o, size_t plane, size_t i, size_t k,
                        size_t l, double total[BLOCK])
{
    const jsni_window *w = &job->w;
    size_t first = 0, last = job->out.width, top = 0, bottom = job->out.height;
    valid_range(job->in.width, w->stride_w, l, w->pad_w, &first, &last);
    valid_range(job->in.height, w->stride_h, k, w->pad_h, &top, &bottom);
    for (size_t q = 0; q < BLOCK; q++)
        total[q] = 0.0;
    if (first >= last || top >= bottom)
        return;
    const size_t images = ref_images(job->call);
    for (size_t n = 0; n < images; n++) {
        const float *dy = job->call->dy + (n * job->out.channels + o) *
                                              job->out.height * job->out.width;
        const float *x =
            job->call->x + (n * job->in.channels + i) * job->in.height * job->in.width;
        float sum[BLOCK][LANES] = {{0}};
        for (size_t r = top; r < bottom; r++)
            dot_rows(sum, dy + r * job->out.width + first, plane,
                     x + (r * w->stride_h + k - w->pad_h) * job->in.width +
                         (first * w->stride_w + l - w->pad_w),
                     last - first, w->stride_w);
        for (size_t q = 0; q < BLOCK; q++)
            for (size_t lane = 0; lane < LANES; lane++)
                total[q] += (double)sum[q][lane];
    }
}

static float bias_sum(const conv_job *job, size_t o)
{
    const size_t plane = job->out.height * job->out.width;
    double sum = 0.0;
    for (size_t n = 0; n < ref_images(job->call); n++) {
        const float *dy = job->call->dy + (n * job->out.channels + o) * plane;
        for (size_t c = 0; c < plane; c++)
            sum += (double)dy[c];
    }
    return (float)sum;
}

/* One channel when the last block is not full, else four. */
static void weight_block(const conv_job *job, size_t o, size_t outputs)
{
    const jsni_window *w = &job->w;
    const size_t kernels = job->in.channels * w->kernel_h * w->kernel_w;
    const size_t plane = outputs == 1 ? 0 : job->out.height * job->out.width;
    float *to = job->call->dweight + o * kernels;
    for (size_t i = 0; i < job->in.channels; i++)
        for (size_t k = 0; k < w->kernel_h; k++)
            for (size_t l = 0; l < w->kernel_w; l++, to++) {
                double total[BLOCK];
                weight_sums(job, o, plane, i, k, l, total);
                for (size_t q = 0; q < outputs; q++)
                    to[q * kernels] = (float)total[q];
            }
}

static void weight_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const conv_job *job = user;
    const size_t first = index * BLOCK, left = job->out.channels - first;
    const size_t outputs = left < BLOCK ? left : BLOCK;
    if (outputs == BLOCK)
        weight_block(job, first, BLOCK);
    for (size_t q = 0; q < outputs; q++) {
        if (outputs < BLOCK)
            weight_block(job, first + q, 1);
        if (job->call->dbias != NULL)
            job->call->dbias[first + q] = bias_sum(job, first + q);
    }
}

static void backward(const ref_call *call)
{
    conv_job job = make_job(call);
    jsni_pool_run(call->pool, (job.out.channels + BLOCK - 1) / BLOCK, weight_piece,
                  &job);
    if (call->dx == NULL)
        return;
    job.blocks = (job.in.channels + BLOCK - 1) / BLOCK;
    jsni_pool_run(call->pool, ref_images(call) * job.blocks, data_piece, &job);
}

const ref_kernel ref_conv = {"direct loops", forward, backward, NULL};
