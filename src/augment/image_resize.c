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
    jsni_buffer_release(&room->weights);
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

static void fill_window(jsni_windows *w, size_t i, size_t in, double start,
                        double scale, double support, double (*kernel)(double),
                        double *real)
{
    const double narrow = 1.0 / (scale > 1.0 ? scale : 1.0);
    const double centre = start + ((double)i + 0.5) * scale;
    const double low = centre - support + 0.5, high = centre + support + 0.5;
    const size_t first = low > 0.0 ? (size_t)low : 0;
    const size_t end = high < (double)in ? (size_t)high : in;
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

/* For the `length` pixels from `start` on of a row of `in`. */
static jsn_status make_windows(jsni_buffer *room, size_t in, double start,
                               double length, size_t out, jsn_filter filter,
                               jsni_windows *w)
{
    const double scale = length / (double)out;
    const double radius = filter == JSN_FILTER_BICUBIC ? 2.0 : 1.0;
    const double support = radius * (scale > 1.0 ? scale : 1.0);
    w->taps = 2 * (size_t)ceil(support) + 1;
    w->most = 0;
    const size_t head = w->taps * sizeof(double);
    JSNI_TRY(jsni_buffer_reserve(room, head + out * (2 + w->taps) * sizeof(int32_t)));
    double *real = (double *)(void *)room->data;
    w->first = (uint32_t *)(void *)(room->data + head);
    w->count = w->first + out;
    w->weight = (int32_t *)(void *)(w->count + out);
    for (size_t i = 0; i < out; i++)
        fill_window(w, i, in, start, scale, support,
                    filter == JSN_FILTER_BICUBIC ? cubic : triangle, real);
    return JSN_OK;
}

static jsn_status pass_across(jsni_resize_room *room, const jsni_resize_from *from,
                              jsn_filter filter, uint8_t *out, size_t out_width)
{
    jsni_windows w;
    JSNI_TRY(make_windows(&room->weights, from->width, from->left, from->across,
                          out_width, filter, &w));
    JSNI_TRY(jsni_buffer_reserve(&room->group, jsni_across_room(from->width, &w)));
    jsni_across pass = {.in = from->data,
                        .stride = from->stride,
                        .width = from->width,
                        .rows = from->height,
                        .windows = &w,
                        .out_width = out_width,
                        .room = room->group.data};
    pass.out = out;
    jsni_pixelkernel_best()->across(&pass);
    return JSN_OK;
}

static jsn_status pass_down(jsni_resize_room *room, const jsni_resize_from *from,
                            jsn_filter filter, uint8_t *out, size_t out_height)
{
    const jsni_pixelkernel *kernel = jsni_pixelkernel_best();
    jsni_windows w;
    JSNI_TRY(make_windows(&room->weights, from->height, from->top, from->down,
                          out_height, filter, &w));
    for (size_t y = 0; y < out_height; y++)
        kernel->down(from->data + w.first[y] * from->stride, from->stride,
                     w.weight + y * w.taps, w.count[y], out + y * from->width * C,
                     from->width * C);
    return JSN_OK;
}

jsn_status jsni_resize_part(jsni_resize_room *room, const jsni_resize_from *from,
                            jsn_filter filter, uint8_t *out, size_t out_width,
                            size_t out_height)
{
    /* A row that begins and ends with whole pixels, as many as wanted, stays. */
    const bool same_x = from->left == 0.0 && from->across == (double)from->width &&
                        from->width == out_width;
    const bool same_y = from->top == 0.0 && from->down == (double)from->height &&
                        from->height == out_height;
    if (same_x && same_y) {
        for (size_t y = 0; y < out_height; y++)
            memcpy(out + y * out_width * C, from->data + y * from->stride,
                   out_width * C);
        return JSN_OK;
    }
    if (same_x)
        return pass_down(room, from, filter, out, out_height);
    if (same_y)
        return pass_across(room, from, filter, out, out_width);
    JSNI_TRY(jsni_buffer_reserve(&room->rows, from->height * out_width * C));
    JSNI_TRY(pass_across(room, from, filter, room->rows.data, out_width));
    jsni_resize_from between = *from;
    between.data = room->rows.data;
    between.stride = out_width * C;
    between.width = out_width;
    return pass_down(room, &between, filter, out, out_height);
}

/* in: [in_height] rows of in_width pixels, `stride` bytes apart; out: contiguous. */
static jsn_status resize(jsni_resize_room *room, const uint8_t *in, size_t stride,
                         size_t in_width, size_t in_height, jsn_filter filter,
                         uint8_t *out, size_t out_width, size_t out_height)
{
    const jsni_resize_from from = {in,  stride, in_width,         in_height,
                                   0.0, 0.0,    (double)in_width, (double)in_height};
    return jsni_resize_part(room, &from, filter, out, out_width, out_height);
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
