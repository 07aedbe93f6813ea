/* augment/image_resize.c - see image_resize.h.
 *
 * Two passes, columns first, rounded to bytes in between. A filter as wide as the
 * shrinking factor gives each output position a window of weights, which are normalised
 * in double and rounded to 22 binary digits.
 */
#include "augment/image_resize.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "augment/pixelkernel.h"
#include "core/alloc.h"
#include "core/fail.h"

enum { C = 3, DIGITS = JSNI_RESIZE_DIGITS };

jsn_status jsni_buffer_reserve(jsni_buffer *buffer, size_t size)
{
    if (buffer->data != NULL && size <= buffer->size)
        return JSN_OK;
    jsni_free(buffer->data);
    *buffer = (jsni_buffer){0};
    JSNI_TRY_ALLOC(buffer->data = jsni_alloc(size, 1));
    buffer->size = size;
    return JSN_OK;
}

void jsni_buffer_release(jsni_buffer *buffer)
{
    jsni_free(buffer->data);
    *buffer = (jsni_buffer){0};
}

void jsni_resize_room_release(jsni_resize_room *room)
{
    jsni_buffer_release(&room->rows);
    jsni_buffer_release(&room->group);
    jsni_buffer_release(&room->columns);
    jsni_buffer_release(&room->lines);
}

static double triangle(double x)
{
    const double a = fabs(x);
    return a < 1.0 ? 1.0 - a : 0.0;
}

/* Keys' cubic with a = -1/2. */
static double cubic(double x)
{
    const double a = -0.5, t = fabs(x);
    if (t < 1.0)
        return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
    if (t < 2.0)
        return (((t - 5.0) * t + 8.0) * t - 4.0) * a;
    return 0.0;
}

/* A row or a column: `length` pixels from `start` on, of `in`, become `out`, of which those
 * from `first` on, `count` of them, are made. */
typedef struct axis {
    size_t in;
    double start, length;
    size_t out, first, count;
} axis;

static axis across_of(const jsni_resize_from *from, const jsni_resize_to *to)
{
    return (axis){from->width, from->left, from->across,
                  to->width,   to->left,   to->across};
}

static axis down_of(const jsni_resize_from *from, const jsni_resize_to *to)
{
    return (axis){from->height, from->top, from->down, to->height, to->top, to->down};
}

/* Begins and ends with whole pixels, as many as wanted. */
static bool stays(const axis *a)
{
    return a->start == 0.0 && a->length == (double)a->in && a->in == a->out;
}

static void fill_window(jsni_windows *w, size_t i, const axis *a, double scale,
                        double support, double (*kernel)(double), double *real)
{
    const double narrow = 1.0 / (scale > 1.0 ? scale : 1.0);
    const double centre = a->start + ((double)(a->first + i) + 0.5) * scale;
    const double low = centre - support + 0.5, high = centre + support + 0.5;
    const size_t first = low > 0.0 ? (size_t)low : 0;
    const size_t end = high < (double)a->in ? (size_t)high : a->in;
    const size_t count = end - first;
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        real[k] = kernel(((double)(k + first) - centre + 0.5) * narrow);
        sum += real[k];
    }
    for (size_t k = 0; k < count; k++) {
        const double v = (sum != 0.0 ? real[k] / sum : real[k]) * (1 << DIGITS);
        w->weight[i * w->taps + k] = (int32_t)(v < 0.0 ? v - 0.5 : v + 0.5);
    }
    for (size_t k = count; k < w->taps; k++)
        w->weight[i * w->taps + k] = 0;
    w->first[i] = (uint32_t)first;
    w->count[i] = (uint32_t)count;
    w->most = count > w->most ? count : w->most;
}

static jsn_status make_windows(jsni_buffer *room, const axis *a, jsn_filter filter,
                               jsni_windows *w)
{
    const double scale = a->length / (double)a->out;
    const double radius = filter == JSN_FILTER_BICUBIC ? 2.0 : 1.0;
    const double support = radius * (scale > 1.0 ? scale : 1.0);
    w->taps = 2 * (size_t)ceil(support) + 1;
    w->most = 0;
    const size_t head = w->taps * sizeof(double), out = a->count;
    JSNI_TRY(jsni_buffer_reserve(room, head + out * (2 + w->taps) * sizeof(int32_t)));
    double *real = (double *)(void *)room->data;
    w->first = (uint32_t *)(void *)(room->data + head);
    w->count = w->first + out;
    w->weight = (int32_t *)(void *)(w->count + out);
    for (size_t i = 0; i < out; i++)
        fill_window(w, i, a, scale, support,
                    filter == JSN_FILTER_BICUBIC ? cubic : triangle, real);
    return JSN_OK;
}

/* All rows of `from`. */
static jsn_status pass_across(jsni_resize_room *room, const jsni_resize_from *from,
                              const axis *a, jsn_filter filter, uint8_t *out)
{
    jsni_windows w;
    JSNI_TRY(make_windows(&room->columns, a, filter, &w));
    JSNI_TRY(jsni_buffer_reserve(&room->group, jsni_across_room(from->width, &w)));
    jsni_across pass = {.in = from->data,
                        .stride = from->stride,
                        .width = from->width,
                        .rows = from->height,
                        .windows = &w,
                        .out_width = a->count,
                        .room = room->group.data};
    pass.out = out;
    jsni_pixelkernel_best()->across(&pass);
    return JSN_OK;
}

/* All columns of rows that begin with row `origin` of the image. */
static void pass_down(const jsni_resize_from *from, const jsni_windows *w,
                      size_t origin, size_t rows, uint8_t *out)
{
    const jsni_pixelkernel *kernel = jsni_pixelkernel_best();
    for (size_t y = 0; y < rows; y++)
        kernel->down(from->data + (w->first[y] - origin) * from->stride, from->stride,
                     w->weight + y * w->taps, w->count[y], out + y * from->width * C,
                     from->width * C);
}

/* Rows [first, first + count) of the image alone, and of them the columns from `left` on. */
static jsni_resize_from cut_rows(const jsni_resize_from *from, size_t first,
                                 size_t count, size_t left)
{
    jsni_resize_from part = *from;
    part.data += first * from->stride + left * C;
    part.height = count;
    return part;
}

/* Neither direction changes: a copy. */
static void copy_part(const jsni_resize_from *from, const jsni_resize_to *to,
                      uint8_t *out)
{
    for (size_t y = 0; y < to->down; y++)
        memcpy(out + y * to->across * C,
               from->data + (y + to->top) * from->stride + to->left * C,
               to->across * C);
}

jsn_status jsni_resize_part(jsni_resize_room *room, const jsni_resize_from *from,
                            jsn_filter filter, const jsni_resize_to *to, uint8_t *out)
{
    const axis across = across_of(from, to), down = down_of(from, to);
    jsni_windows w;
    if (stays(&down)) {
        const jsni_resize_from rows = cut_rows(from, to->top, to->down, 0);
        if (!stays(&across))
            return pass_across(room, &rows, &across, filter, out);
        copy_part(from, to, out);
        return JSN_OK;
    }
    JSNI_TRY(make_windows(&room->lines, &down, filter, &w));
    const size_t last = to->down - 1, first = w.first[0];
    const size_t count = w.first[last] + w.count[last] - first;
    if (stays(&across)) {
        jsni_resize_from columns = cut_rows(from, first, count, to->left);
        columns.width = to->across;
        pass_down(&columns, &w, first, to->down, out);
        return JSN_OK;
    }
    const jsni_resize_from rows = cut_rows(from, first, count, 0);
    JSNI_TRY(jsni_buffer_reserve(&room->rows, count * to->across * C));
    JSNI_TRY(pass_across(room, &rows, &across, filter, room->rows.data));
    const jsni_resize_from between = {
        .data = room->rows.data, .stride = to->across * C, .width = to->across};
    pass_down(&between, &w, first, to->down, out);
    return JSN_OK;
}

/* in: [in_height] rows of in_width pixels, `stride` bytes apart; out: contiguous. */
static jsn_status resize(jsni_resize_room *room, const uint8_t *in, size_t stride,
                         size_t in_width, size_t in_height, jsn_filter filter,
                         uint8_t *out, size_t out_width, size_t out_height)
{
    const jsni_resize_from from = {in,  stride, in_width,         in_height,
                                   0.0, 0.0,    (double)in_width, (double)in_height};
    const jsni_resize_to to = {out_width, out_height, 0, 0, out_width, out_height};
    return jsni_resize_part(room, &from, filter, &to, out);
}

jsn_status jsn_image_resize(const jsn_image *in, const jsn_augment_box *box,
                            jsn_filter filter, jsn_image *out)
{
    if (in == NULL || out == NULL || in->data == NULL || out->data == NULL ||
        in->width == 0 || in->height == 0 || out->width == 0 || out->height == 0)
        return jsni_fail(JSN_ERR_ARGUMENT, "resize: NULL or empty image");
    const jsn_augment_box all = {0, (uint32_t)in->height, 0, (uint32_t)in->width};
    const jsn_augment_box *b = box == NULL ? &all : box;
    if (b->y0 >= b->y1 || b->x0 >= b->x1 || b->y1 > in->height || b->x1 > in->width)
        return jsni_fail(JSN_ERR_RANGE,
                         "resize: box rows [%u,%u), columns [%u,%u) of a %zux%zu image",
                         b->y0, b->y1, b->x0, b->x1, in->width, in->height);
    jsni_resize_room room = {0};
    const jsn_status status = resize(&room, in->data + (b->y0 * in->width + b->x0) * C,
                                     in->width * C, b->x1 - b->x0, b->y1 - b->y0,
                                     filter, out->data, out->width, out->height);
    jsni_resize_room_release(&room);
    return status;
}
