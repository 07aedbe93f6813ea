/* backend/ref/ref_depthwise.c - depthwise convolution, by its definition
 *
 *     y[n][c][r][q] = bias[c] + sum over k,l of
 *                     w[c][k][l] * x[n][c][r*sh + k - ph][q*sw + l - pw]
 *
 * with zeros outside the image. Tap by tap over whole rows, so that the innermost loops
 * have no edges. */
#include <string.h>

#include "backend/ref/ref_impl.h"

/* The outputs of one row (or column) whose tap lies inside the image. */
typedef struct reach {
    size_t first, last; /* [first, last) */
} reach;

static reach tap_reach(size_t tap, size_t stride, size_t pad, size_t size,
                       size_t outputs)
{
    reach r = {tap < pad ? (pad - tap + stride - 1) / stride : 0, 0};
    if (size + pad > tap)
        r.last = (size + pad - tap - 1) / stride + 1;
    if (r.last > outputs)
        r.last = outputs;
    if (r.first > r.last)
        r.first = r.last;
    return r;
}

/* One tap: the outputs that see it, and the input of output (0, 0), which may lie
 * outside. */
typedef struct tap {
    reach rows, columns;
    ptrdiff_t at;
    size_t down, right; /* steps of the input from one output to the next */
    size_t width;       /* of the output */
} tap;

static tap tap_of(const ref_call *call, size_t number)
{
    const jsni_window *w = &call->node->op.as.depthwise.window;
    const size_t k = number / w->kernel_w, l = number % w->kernel_w;
    return (tap){
        .rows = tap_reach(k, w->stride_h, w->pad_h, call->in.height, call->out.height),
        .columns = tap_reach(l, w->stride_w, w->pad_w, call->in.width, call->out.width),
        .at = ((ptrdiff_t)k - (ptrdiff_t)w->pad_h) * (ptrdiff_t)call->in.width +
              (ptrdiff_t)l - (ptrdiff_t)w->pad_w,
        .down = w->stride_h * call->in.width,
        .right = w->stride_w,
        .width = call->out.width};
}

static size_t taps_of(const ref_call *call)
{
    const jsni_window *w = &call->node->op.as.depthwise.window;
    return w->kernel_h * w->kernel_w;
}

/* Row r of the input that the tap sees; valid at columns [first, last) alone. */
static ptrdiff_t line_of(const tap *t, size_t r)
{
    return t->at + (ptrdiff_t)(r * t->down);
}

/* A piece is one channel of one image. */
static void forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t channel = index % call->in.channels, taps = taps_of(call);
    const size_t plane = call->out.height * call->out.width;
    const float *x = call->x + index * call->in.height * call->in.width;
    const float *weight = call->weight + channel * taps;
    float *y = call->y + index * plane;
    memset(y, 0, plane * sizeof *y);
    for (size_t i = 0; i < taps; i++) {
        const tap t = tap_of(call, i);
        for (size_t r = t.rows.first; r < t.rows.last; r++)
            for (size_t q = t.columns.first; q < t.columns.last; q++)
                y[r * t.width + q] +=
                    weight[i] * x[line_of(&t, r) + (ptrdiff_t)(q * t.right)];
    }
    for (size_t i = 0; call->bias != NULL && i < plane; i++)
        y[i] += call->bias[channel];
}

static void data_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t taps = taps_of(call);
    const float *weight = call->weight + index % call->in.channels * taps;
    const float *dy = call->dy + index * call->out.height * call->out.width;
    float *dx = call->dx + index * call->in.height * call->in.width;
    for (size_t i = 0; i < taps; i++) {
        const tap t = tap_of(call, i);
        for (size_t r = t.rows.first; r < t.rows.last; r++)
            for (size_t q = t.columns.first; q < t.columns.last; q++)
                dx[line_of(&t, r) + (ptrdiff_t)(q * t.right)] +=
                    weight[i] * dy[r * t.width + q];
    }
}

/* Rows of products are summed in float, the rows in double. */
static double tap_sum(const tap *t, const float *x, const float *dy)
{
    double total = 0.0;
    for (size_t r = t->rows.first; r < t->rows.last; r++) {
        float sum = 0.0f;
        for (size_t q = t->columns.first; q < t->columns.last; q++)
            sum += dy[r * t->width + q] * x[line_of(t, r) + (ptrdiff_t)(q * t->right)];
        total += (double)sum;
    }
    return total;
}

/* A piece is one channel of all images. */
static void weight_piece(void *user, size_t channel, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t inputs = call->in.height * call->in.width;
    const size_t outputs = call->out.height * call->out.width;
    const size_t taps = taps_of(call);
    for (size_t i = 0; i < taps; i++) {
        const tap t = tap_of(call, i);
        double total = 0.0;
        for (size_t n = 0; n < ref_images(call); n++) {
            const size_t plane = n * call->in.channels + channel;
            total += tap_sum(&t, call->x + plane * inputs, call->dy + plane * outputs);
        }
        call->dweight[channel * taps + i] = (float)total;
    }
    double total = 0.0;
    for (size_t n = 0; n < ref_images(call) && call->dbias != NULL; n++) {
        const float *dy = call->dy + (n * call->in.channels + channel) * outputs;
        for (size_t i = 0; i < outputs; i++)
            total += (double)dy[i];
    }
    if (call->dbias != NULL)
        call->dbias[channel] = (float)total;
}

static void forward(const ref_call *call)
{
    jsni_pool_run(call->pool, ref_images(call) * call->in.channels, forward_piece,
                  (void *)call);
}

static void backward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->in.channels, weight_piece, (void *)call);
    if (call->dx != NULL)
        jsni_pool_run(call->pool, ref_images(call) * call->in.channels, data_piece,
                      (void *)call);
}

const ref_kernel jsni_ref_depthwise = {"direct loops", forward, backward, NULL};
