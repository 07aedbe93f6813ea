/* backend/ref/ref_pool.c - maximum, average and adaptive average pooling. One piece is
 * one channel of one image. */
#include <math.h>
#include <stdint.h>

#include "backend/ref/ref_impl.h"

/* Rows (or columns) of the input that output position `at` reads: [first, last). */
typedef struct span {
    size_t first, last;
} span;

static span window_span(size_t at, size_t kernel, size_t stride, size_t pad,
                        size_t size)
{
    const size_t start = at * stride, end = start + kernel;
    span s = {start > pad ? start - pad : 0, end > pad ? end - pad : 0};
    if (s.last > size)
        s.last = size;
    return s;
}

/* floor(at*size/out) .. ceil((at+1)*size/out) - 1. */
static span adaptive_span(size_t at, size_t out, size_t size)
{
    return (span){at * size / out, ((at + 1) * size + out - 1) / out};
}

static void max_forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const jsni_window *w = &call->node->op.as.pool;
    const float *x = call->x + index * call->in.height * call->in.width;
    const size_t outputs = call->out.height * call->out.width;
    float *y = call->y + index * outputs;
    uint32_t *kept =
        call->kept == NULL ? NULL : (uint32_t *)call->kept + index * outputs;
    for (size_t r = 0; r < call->out.height; r++) {
        const span rows =
            window_span(r, w->kernel_h, w->stride_h, w->pad_h, call->in.height);
        for (size_t c = 0; c < call->out.width; c++) {
            const span columns =
                window_span(c, w->kernel_w, w->stride_w, w->pad_w, call->in.width);
            size_t best = rows.first * call->in.width + columns.first;
            for (size_t i = rows.first; i < rows.last; i++)
                for (size_t k = columns.first; k < columns.last; k++) {
                    const float value = x[i * call->in.width + k];
                    if (value > x[best] || isnan(value))
                        best = i * call->in.width + k;
                }
            y[r * call->out.width + c] = x[best];
            if (kept != NULL)
                kept[r * call->out.width + c] = (uint32_t)best;
        }
    }
}

static void max_backward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t outputs = call->out.height * call->out.width;
    const uint32_t *kept = (const uint32_t *)call->kept + index * outputs;
    const float *dy = call->dy + index * outputs;
    float *dx = call->dx + index * call->in.height * call->in.width;
    for (size_t i = 0; i < outputs; i++)
        dx[kept[i]] += dy[i];
}

/* The rows and columns behind one output of an averaging pool, and what their sum is
 * divided by: the window with its padding, or the cell. */
static double average_cell(const ref_call *call, size_t r, size_t c, span *rows,
                           span *columns)
{
    if (call->node->op.kind == JSNI_OP_ADAPTIVE_POOL) {
        *rows = adaptive_span(r, call->out.height, call->in.height);
        *columns = adaptive_span(c, call->out.width, call->in.width);
        return (double)((rows->last - rows->first) * (columns->last - columns->first));
    }
    const jsni_window *w = &call->node->op.as.pool;
    *rows = window_span(r, w->kernel_h, w->stride_h, w->pad_h, call->in.height);
    *columns = window_span(c, w->kernel_w, w->stride_w, w->pad_w, call->in.width);
    return (double)(w->kernel_h * w->kernel_w);
}

static void average_forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const float *x = call->x + index * call->in.height * call->in.width;
    float *y = call->y + index * call->out.height * call->out.width;
    for (size_t r = 0; r < call->out.height; r++)
        for (size_t c = 0; c < call->out.width; c++) {
            span rows, columns;
            const double divisor = average_cell(call, r, c, &rows, &columns);
            double sum = 0.0;
            for (size_t i = rows.first; i < rows.last; i++)
                for (size_t k = columns.first; k < columns.last; k++)
                    sum += (double)x[i * call->in.width + k];
            *y++ = (float)(sum / divisor);
        }
}

static void average_backward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const float *dy = call->dy + index * call->out.height * call->out.width;
    float *dx = call->dx + index * call->in.height * call->in.width;
    for (size_t r = 0; r < call->out.height; r++)
        for (size_t c = 0; c < call->out.width; c++) {
            span rows, columns;
            const double divisor = average_cell(call, r, c, &rows, &columns);
            const float share = (float)((double)*dy++ / divisor);
            for (size_t i = rows.first; i < rows.last; i++)
                for (size_t k = columns.first; k < columns.last; k++)
                    dx[i * call->in.width + k] += share;
        }
}

static void max_forward(const ref_call *call)
{
    jsni_pool_run(call->pool, ref_images(call) * call->in.channels, max_forward_piece,
                  (void *)call);
}

static void max_backward(const ref_call *call)
{
    if (call->dx != NULL)
        jsni_pool_run(call->pool, ref_images(call) * call->in.channels,
                      max_backward_piece, (void *)call);
}

static void average_forward(const ref_call *call)
{
    jsni_pool_run(call->pool, ref_images(call) * call->in.channels,
                  average_forward_piece, (void *)call);
}

static void average_backward(const ref_call *call)
{
    if (call->dx != NULL)
        jsni_pool_run(call->pool, ref_images(call) * call->in.channels,
                      average_backward_piece, (void *)call);
}

static size_t max_kept_bytes(const jsni_graph *graph, size_t number, size_t views,
                             size_t batch)
{
    return views * batch * jsni_shape_count(graph->nodes[number].shape) *
           sizeof(uint32_t);
}

const ref_kernel jsni_ref_max_pool = {"loop", max_forward, max_backward,
                                      max_kept_bytes};
const ref_kernel jsni_ref_avg_pool = {"loop", average_forward, average_backward, NULL};
const ref_kernel jsni_ref_adaptive_pool = {"loop", average_forward, average_backward,
                                           NULL};
