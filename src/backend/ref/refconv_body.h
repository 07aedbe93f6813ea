/* backend/ref/refconv_body.h - convolution, by its definition
 *
 *     y[n][o][r][c] = bias[o] + sum over i,k,l of
 *                     w[o][i][k][l] * x[n][i][r*sh + k - ph][c*sw + l - pw]
 *
 * with zeros outside the image. For each tap (i,k,l) the inputs of a strip of outputs
 * are laid side by side once and then serve a group of channels, so that the innermost
 * loops are long and have no edges. Sums are made in the order i, k, l. Compiled once an
 * instruction set (refconv_list.h): no sum depends on the width of a vector, so all of
 * them give the same bits.
 */
#ifndef JSNI_REF_REFCONV_BODY_H
#define JSNI_REF_REFCONV_BODY_H

#include <stddef.h>
#include <string.h>

#include "backend/ref/refconv.h"

enum {
    QUAD = 4,   /* channels of an innermost loop */
    GROUP = 16, /* channels that share a strip */
    STRIP = 64, /* values of a strip */
    TERMS = 32  /* of a sum in float before it goes on in double */
};

/* A grid laid over a plane: its point (a, b) is plane[top + a*down][left + b*right], or
 * 0 outside the plane. */
typedef struct grid {
    const float *plane;
    size_t height, width; /* of the plane */
    size_t columns;       /* of the grid */
    ptrdiff_t top, left;
    size_t down, right;
} grid;

/* `count` points of one row of the grid, from column b on. */
static void lay_row(float *to, const grid *g, const float *line, size_t b, size_t count)
{
    const ptrdiff_t step = (ptrdiff_t)g->right, end = (ptrdiff_t)g->width;
    const ptrdiff_t start = g->left + (ptrdiff_t)b * step;
    size_t first = start < 0 ? (size_t)((-start + step - 1) / step) : 0;
    size_t last = end > start ? (size_t)((end - start + step - 1) / step) : 0;
    if (last > count)
        last = count;
    if (first > last)
        first = last;
    for (size_t i = 0; i < first; i++)
        to[i] = 0.0f;
    if (step == 1)
        for (size_t i = first; i < last; i++)
            to[i] = line[start + (ptrdiff_t)i];
    else
        for (size_t i = first; i < last; i++)
            to[i] = line[start + (ptrdiff_t)i * step];
    for (size_t i = last; i < count; i++)
        to[i] = 0.0f;
}

/* Points first .. first+count-1 of the grid in row-major order. */
static void lay_strip(float to[STRIP], const grid *g, size_t first, size_t count)
{
    size_t a = first / g->columns, b = first % g->columns;
    while (count > 0) {
        const size_t rest = g->columns - b, n = rest < count ? rest : count;
        const ptrdiff_t row = g->top + (ptrdiff_t)(a * g->down);
        if (row < 0 || row >= (ptrdiff_t)g->height)
            memset(to, 0, n * sizeof *to);
        else
            lay_row(to, g, g->plane + row * (ptrdiff_t)g->width, b, n);
        to += n;
        count -= n;
        b = 0;
        a++;
    }
}

/* The input of tap (k, l) for every output position. */
static grid tap_grid(const ref_call *call, const float *x, size_t k, size_t l)
{
    const jsni_window *w = &call->node->op.as.conv.window;
    return (grid){.plane = x,
                  .height = call->in.height,
                  .width = call->in.width,
                  .columns = call->out.width,
                  .top = (ptrdiff_t)k - (ptrdiff_t)w->pad_h,
                  .left = (ptrdiff_t)l - (ptrdiff_t)w->pad_w,
                  .down = w->stride_h,
                  .right = w->stride_w};
}

/* acc[q][i] += w[q] * from[i] for four channels q. */
static void add_quad(float acc[QUAD][STRIP], const float w[QUAD],
                     const float *restrict from, size_t count)
{
    float *restrict a = acc[0], *restrict b = acc[1];
    float *restrict c = acc[2], *restrict d = acc[3];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    for (size_t i = 0; i < count; i++) {
        const float x = from[i];
        a[i] += wa * x;
        b[i] += wb * x;
        c[i] += wc * x;
        d[i] += wd * x;
    }
}

/* The same for `channels` <= GROUP; the weight of channel q is w[q * apart]. */
static void add_group(float acc[GROUP][STRIP], const float *w, size_t apart,
                      size_t channels, const float *from, size_t count)
{
    for (size_t q = 0; q < channels; q += QUAD) {
        float tap[QUAD] = {0};
        for (size_t k = 0; k < QUAD && q + k < channels; k++)
            tap[k] = w[(q + k) * apart];
        add_quad(acc + q, tap, from, count);
    }
}

/* Piece `index` of images x groups of channels. */
typedef struct share {
    size_t image, first, channels;
} share;

static share share_of(size_t index, size_t channels)
{
    const size_t groups = (channels + GROUP - 1) / GROUP;
    share s = {index / groups, index % groups * GROUP, GROUP};
    if (channels - s.first < GROUP)
        s.channels = channels - s.first;
    return s;
}

static size_t groups_of(size_t channels)
{
    return (channels + GROUP - 1) / GROUP;
}

static size_t kernel_area(const ref_call *call)
{
    const jsni_window *w = &call->node->op.as.conv.window;
    return w->kernel_h * w->kernel_w;
}

static void forward_strip(const ref_call *call, const share *s, size_t first,
                          size_t count, float acc[GROUP][STRIP])
{
    const size_t area = kernel_area(call), kernels = call->in.channels * area;
    const size_t columns = call->node->op.as.conv.window.kernel_w;
    const size_t plane = call->in.height * call->in.width;
    const float *weight = call->weight + s->first * kernels;
    const float *x = call->x + s->image * call->in.channels * plane;
    for (size_t i = 0; i < call->in.channels; i++)
        for (size_t t = 0; t < area; t++) {
            float strip[STRIP];
            const grid g = tap_grid(call, x + i * plane, t / columns, t % columns);
            lay_strip(strip, &g, first, count);
            add_group(acc, weight + i * area + t, kernels, s->channels, strip, count);
        }
}

static void forward_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const share s = share_of(index, call->out.channels);
    const size_t plane = call->out.height * call->out.width;
    float *y = call->y + (s.image * call->out.channels + s.first) * plane;
    for (size_t first = 0; first < plane; first += STRIP) {
        const size_t count = plane - first < STRIP ? plane - first : STRIP;
        float acc[GROUP][STRIP] = {{0}};
        forward_strip(call, &s, first, count, acc);
        for (size_t q = 0; q < s.channels; q++) {
            const float bias = call->bias == NULL ? 0.0f : call->bias[s.first + q];
            for (size_t i = 0; i < count; i++)
                y[q * plane + first + i] = acc[q][i] + bias;
        }
    }
}

static void forward(const ref_call *call)
{
    jsni_pool_run(call->pool, ref_images(call) * groups_of(call->out.channels),
                  forward_piece, (void *)call);
}

/* With a stride, the inputs that are `stride` apart see the same taps: the gradient of
 * input (row + a*sh, column + b*sw) is a sum over taps (k, l) of
 * w[k][l] * dy[a + (row + ph - k)/sh][b + (column + pw - l)/sw], for those taps where
 * both quotients are whole. One phase a pair (row, column). */
typedef struct phase {
    size_t row, column;
    size_t rows, columns; /* of its inputs */
} phase;

static bool quotient(size_t at, size_t pad, size_t tap, size_t stride, ptrdiff_t *out)
{
    const ptrdiff_t distance = (ptrdiff_t)(at + pad) - (ptrdiff_t)tap;
    *out = distance / (ptrdiff_t)stride;
    return distance % (ptrdiff_t)stride == 0;
}

/* What output channel o sends to a strip of the phase. */
static void data_channel(const ref_call *call, const share *s, const phase *p, size_t o,
                         size_t first, size_t count, float acc[GROUP][STRIP])
{
    const jsni_window *w = &call->node->op.as.conv.window;
    const size_t area = kernel_area(call);
    const float *weight = call->weight + (o * call->in.channels + s->first) * area;
    grid g = {.plane = call->dy + (s->image * call->out.channels + o) *
                                      call->out.height * call->out.width,
              .height = call->out.height,
              .width = call->out.width,
              .columns = p->columns,
              .down = 1,
              .right = 1};
    for (size_t k = 0; k < w->kernel_h; k++) {
        if (!quotient(p->row, w->pad_h, k, w->stride_h, &g.top))
            continue;
        for (size_t l = 0; l < w->kernel_w; l++) {
            float strip[STRIP];
            if (!quotient(p->column, w->pad_w, l, w->stride_w, &g.left))
                continue;
            lay_strip(strip, &g, first, count);
            add_group(acc, weight + k * w->kernel_w + l, area, s->channels, strip,
                      count);
        }
    }
}

static void data_phase(const ref_call *call, const share *s, const phase *p)
{
    const jsni_window *w = &call->node->op.as.conv.window;
    const size_t plane = call->in.height * call->in.width;
    const size_t points = p->rows * p->columns;
    float *dx = call->dx + (s->image * call->in.channels + s->first) * plane;
    for (size_t first = 0; first < points; first += STRIP) {
        const size_t count = points - first < STRIP ? points - first : STRIP;
        float acc[GROUP][STRIP] = {{0}};
        for (size_t o = 0; o < call->out.channels; o++)
            data_channel(call, s, p, o, first, count, acc);
        for (size_t i = 0; i < count; i++) {
            const size_t a = (first + i) / p->columns, b = (first + i) % p->columns;
            const size_t at = (p->row + a * w->stride_h) * call->in.width + p->column +
                              b * w->stride_w;
            for (size_t q = 0; q < s->channels; q++)
                dx[q * plane + at] += acc[q][i];
        }
    }
}

static void data_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const jsni_window *w = &call->node->op.as.conv.window;
    const share s = share_of(index, call->in.channels);
    for (size_t row = 0; row < w->stride_h && row < call->in.height; row++)
        for (size_t column = 0; column < w->stride_w && column < call->in.width;
             column++) {
            const phase p = {row, column,
                             (call->in.height - row + w->stride_h - 1) / w->stride_h,
                             (call->in.width - column + w->stride_w - 1) / w->stride_w};
            data_phase(call, &s, &p);
        }
}

/* acc[q][i] += dy[q*apart + i] * x[i] for four channels q: STRIP independent sums a
 * channel, so that the compiler may use vectors although the order of the additions is
 * fixed. */
static void dot_quad(float acc[QUAD][STRIP], const float *restrict dy, size_t apart,
                     const float *restrict x, size_t count)
{
    float *restrict sa = acc[0], *restrict sb = acc[1];
    float *restrict sc = acc[2], *restrict sd = acc[3];
    const float *restrict a = dy, *restrict b = dy + apart;
    const float *restrict c = dy + 2 * apart, *restrict d = dy + 3 * apart;
    for (size_t i = 0; i < count; i++) {
        const float value = x[i];
        sa[i] += a[i] * value;
        sb[i] += b[i] * value;
        sc[i] += c[i] * value;
        sd[i] += d[i] * value;
    }
}

/* The same for a share's channels, whose last quad may not be full. */
static void dot_group(float acc[GROUP][STRIP], const share *s, const float *dy,
                      size_t apart, const float *x, size_t count)
{
    size_t q = 0;
    for (; q + QUAD <= s->channels; q += QUAD)
        dot_quad(acc + q, dy + q * apart, apart, x, count);
    for (; q < s->channels; q++)
        for (size_t i = 0; i < count; i++)
            acc[q][i] += dy[q * apart + i] * x[i];
}

/* Moves the sums to `total` and starts anew. */
static void flush(float acc[GROUP][STRIP], const share *s, double total[GROUP])
{
    for (size_t q = 0; q < s->channels; q++)
        for (size_t i = 0; i < STRIP; i++) {
            total[q] += (double)acc[q][i];
            acc[q][i] = 0.0f;
        }
}

/* The gradient of tap (k, l) between input channel i and the share's output channels:
 * a few terms in float, then in double. */
static void tap_sums(const ref_call *call, const share *s, size_t i, size_t k, size_t l,
                     double total[GROUP])
{
    const size_t plane = call->out.height * call->out.width;
    const size_t inputs = call->in.height * call->in.width;
    float acc[GROUP][STRIP] = {{0}};
    size_t terms = 0;
    for (size_t n = 0; n < ref_images(call); n++) {
        const float *dy = call->dy + (n * call->out.channels + s->first) * plane;
        const grid g =
            tap_grid(call, call->x + (n * call->in.channels + i) * inputs, k, l);
        for (size_t first = 0; first < plane; first += STRIP) {
            const size_t count = plane - first < STRIP ? plane - first : STRIP;
            float strip[STRIP];
            lay_strip(strip, &g, first, count);
            dot_group(acc, s, dy + first, plane, strip, count);
            if (++terms == TERMS) {
                flush(acc, s, total);
                terms = 0;
            }
        }
    }
    flush(acc, s, total);
}

/* A piece is an input channel (in place of an image) and a group of outputs. */
static void weight_piece(void *user, size_t index, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const share s = share_of(index, call->out.channels);
    const size_t area = kernel_area(call), i = s.image;
    const size_t columns = call->node->op.as.conv.window.kernel_w;
    for (size_t t = 0; t < area; t++) {
        double total[GROUP] = {0};
        tap_sums(call, &s, i, t / columns, t % columns, total);
        for (size_t q = 0; q < s.channels; q++)
            call->dweight[((s.first + q) * call->in.channels + i) * area + t] =
                (float)total[q];
    }
}

static void bias_piece(void *user, size_t o, size_t worker)
{
    (void)worker;
    const ref_call *call = user;
    const size_t plane = call->out.height * call->out.width;
    double sum = 0.0;
    for (size_t n = 0; n < ref_images(call); n++) {
        const float *dy = call->dy + (n * call->out.channels + o) * plane;
        for (size_t c = 0; c < plane; c++)
            sum += (double)dy[c];
    }
    call->dbias[o] = (float)sum;
}

static void backward(const ref_call *call)
{
    jsni_pool_run(call->pool, call->in.channels * groups_of(call->out.channels),
                  weight_piece, (void *)call);
    if (call->dbias != NULL)
        jsni_pool_run(call->pool, call->out.channels, bias_piece, (void *)call);
    if (call->dx != NULL)
        jsni_pool_run(call->pool, ref_images(call) * groups_of(call->in.channels),
                      data_piece, (void *)call);
}

/* The table entry of the file that includes this one. */
#define REFCONV(name, isa)                                 \
    {                                                      \
        isa,                                               \
        {                                                  \
            "direct loops, " name, forward, backward, NULL \
        }                                                  \
    }

#endif /* JSNI_REF_REFCONV_BODY_H */
