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

/* acc[q][i] += w[q] * from[i - first] for the four channels q. */
static void add_row(float acc[BLOCK][STRIP], const float w[BLOCK],
                    const float *restrict from, size_t first, size_t last)
{
    float *restrict a = acc[0], *restrict b = acc[1];
    float *restrict c = acc[2], *restrict d = acc[3];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    for (size_t i = first; i < last; i++) {
        const float x = from[i - first];
        a[i] += wa * x;
        b[i] += wb * x;
        c[i] += wc * x;
        d[i] += wd * x;
    }
}

/* Every stride-th value of a row, side by side in `to`; the row itself for stride 1. */
static const float *gather(float to[STRIP], const float *from, size_t count,
                           size_t stride)
{
    if (stride == 1)
        return from;
    for (size_t i = 0; i < count; i++)
        to[i] = from[i * stride];
    return to;
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
                float row_of_x[STRIP];
                const float *from =
                    gather(row_of_x, line + (first * w->stride_w + l - w->pad_w),
                           last - first, w->stride_w);
                add_row(acc, tap, from, first - column, last - column);
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

/* A stretch of one row of the input's gradient: columns phase + j*stride for j in
 * [first, first+width). Output column c reaches them through the taps l with
 * c*stride + l - pad = phase + j*stride, i.e. those with c - j a whole number. */
typedef struct stretch {
    size_t row, phase, first, width;
} stretch;

/* acc[q] += what row `dy` of output channel o sends to the stretch by kernel row k. */
static void data_taps(const conv_job *job, const float *dy, const float *weight,
                      size_t inputs, size_t k, const stretch *s,
                      float acc[BLOCK][STRIP])
{
    const jsni_window *w = &job->w;
    const size_t area = w->kernel_h * w->kernel_w;
    for (size_t l = 0; l < w->kernel_w; l++) {
        const ptrdiff_t distance = (ptrdiff_t)(s->phase + w->pad_w) - (ptrdiff_t)l;
        if (distance % (ptrdiff_t)w->stride_w != 0)
            continue;
        const ptrdiff_t shift = distance / (ptrdiff_t)w->stride_w; /* c - j */
        ptrdiff_t first = (ptrdiff_t)s->first, last = first + (ptrdiff_t)s->width;
        if (first + shift < 0)
            first = -shift;
        if (last + shift > (ptrdiff_t)job->out.width)
            last = (ptrdiff_t)job->out.width - shift;
        if (first >= last)
            continue;
        float tap[BLOCK] = {0};
        for (size_t q = 0; q < inputs; q++)
            tap[q] = weight[q * area + k * w->kernel_w + l];
        add_row(acc, tap, dy + (first + shift), (size_t)first - s->first,
                (size_t)last - s->first);
    }
}

static void data_stretch(const conv_job *job, const float *dy, const float *weight,
                         size_t inputs, const stretch *s, float acc[BLOCK][STRIP])
{
    const jsni_window *w = &job->w;
    const size_t kernels = job->in.channels * w->kernel_h * w->kernel_w;
    for (size_t o = 0; o < job->out.channels; o++) {
        for (size_t k = 0; k < w->kernel_h; k++) {
            if (s->row + w->pad_h < k || (s->row + w->pad_h - k) % w->stride_h != 0)
                continue;
            const size_t r = (s->row + w->pad_h - k) / w->stride_h;
            if (r < job->out.height)
                data_taps(job, dy + (o * job->out.height + r) * job->out.width,
                          weight + o * kernels, inputs, k, s, acc);
        }
    }
}

/* Adds all stretches of one row of the gradient. */
static void data_row(const conv_job *job, const float *dy, const float *weight,
                     size_t inputs, size_t row, float *dx)
{
    const size_t stride = job->w.stride_w;
    const size_t plane = job->in.height * job->in.width;
    for (size_t phase = 0; phase < stride && phase < job->in.width; phase++) {
        const size_t count = (job->in.width - phase + stride - 1) / stride;
        for (size_t first = 0; first < count; first += STRIP) {
            const size_t rest = count - first;
            const stretch s = {row, phase, first, rest < STRIP ? rest : STRIP};
            float acc[BLOCK][STRIP] = {{0}};
            data_stretch(job, dy, weight, inputs, &s, acc);
            for (size_t q = 0; q < inputs; q++) {
                float *to = dx + q * plane + row * job->in.width + phase;
                for (size_t j = 0; j < s.width; j++)
                    to[(first + j) * stride] += acc[q][j];
            }
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
    for (size_t row = 0; row < job->in.height; row++)
        data_row(job, dy, weight, inputs, row, dx);
}

/* For the four channels q, adds dy[q*plane + i] * x[i] to the running sums
 * sum[q][i % LANES]: independent sums, so that the compiler may use vectors although
 * the order of the additions is fixed. */
static void dot_rows(float sum[BLOCK][LANES], const float *restrict dy, size_t plane,
                     const float *restrict x, size_t count)
{
    const float *restrict a = dy, *restrict b = dy + plane;
    const float *restrict c = dy + 2 * plane, *restrict d = dy + 3 * plane;
    float s[BLOCK * LANES];
    memcpy(s, sum, sizeof s);
    size_t i = 0;
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
    for (; i < count; i++) {
        sum[0][i % LANES] += a[i] * x[i];
        sum[1][i % LANES] += b[i] * x[i];
        sum[2][i % LANES] += c[i] * x[i];
        sum[3][i % LANES] += d[i] * x[i];
    }
}

/* The same over x[i*stride], in strips. */
static void dot_strided(float sum[BLOCK][LANES], const float *dy, size_t plane,
                        const float *x, size_t count, size_t stride)
{
    float row_of_x[STRIP];
    for (size_t i = 0; i < count && stride > 1; i += STRIP) {
        const size_t width = count - i < STRIP ? count - i : STRIP;
        dot_rows(sum, dy + i, plane, gather(row_of_x, x + i * stride, width, stride),
                 width);
    }
    if (stride == 1)
        dot_rows(sum, dy, plane, x, count);
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
            dot_strided(sum, dy + r * job->out.width + first, plane,
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
