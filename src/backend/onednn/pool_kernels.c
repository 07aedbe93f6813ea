/* backend/onednn/pool_kernels.c - maximum, average and adaptive pooling. The maximum's
 * backward pass finds the winner again, so no indices are stored. */
#include "backend/onednn/kernel_impl.h"

/* The part of a window that lies inside the image: [from, to). */
typedef struct span {
    size_t from, to;
} span;

static span window_span(size_t index, size_t stride, size_t pad, size_t kernel,
                        size_t size)
{
    const size_t begin = index * stride; /* plus pad */
    span s = {begin > pad ? begin - pad : 0,
              begin + kernel > pad ? begin + kernel - pad : 0};
    if (s.to > size)
        s.to = size;
    if (s.from > s.to)
        s.from = s.to;
    return s;
}

static span adaptive_span(size_t index, size_t out, size_t in)
{
    return (span){index * in / out, ((index + 1) * in + out - 1) / out};
}

/* Adds g at the first maximum of a window, lane by lane. */
static void max_back_one(const jsni_pool_shape *p, span h, span w, const float *x,
                         vec g, float *gx)
{
    vec best = vec_set(-INFINITY), at = vec_set(-1.0f);
    for (size_t y = h.from; y < h.to; y++)
        for (size_t i = w.from; i < w.to; i++) {
            const vec v = vec_load(x + (y * p->in_w + i) * VEC);
            const vec_mask more = vec_greater(v, best);
            best = vec_select(more, v, best);
            at = vec_select(
                more, vec_set((float)((y - h.from) * (w.to - w.from) + i - w.from)),
                at);
        }
    for (size_t y = h.from; y < h.to; y++)
        for (size_t i = w.from; i < w.to; i++) {
            float *to = gx + (y * p->in_w + i) * VEC;
            const float number = (float)((y - h.from) * (w.to - w.from) + i - w.from);
            /* number == at, by two comparisons: numbers are whole */
            const vec_mask low = vec_greater(vec_set(number + 0.5f), at);
            const vec near = vec_keep(vec_greater(at, vec_set(number - 0.5f)), g);
            vec_store(to, vec_add(vec_load(to), vec_keep(low, near)));
        }
}

void KERNEL(max_pool)(const jsni_pool_shape *p, size_t images, const float *x, float *y)
{
    for (size_t k = 0; k < images * p->blocks; k++, x += p->in_h * p->in_w * VEC)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = window_span(oy, p->stride_h, p->pad_h, p->kernel_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, y += VEC) {
                const span w =
                    window_span(ox, p->stride_w, p->pad_w, p->kernel_w, p->in_w);
                vec best = vec_set(-INFINITY);
                for (size_t r = h.from; r < h.to; r++)
                    for (size_t c = w.from; c < w.to; c++)
                        best = vec_max(best, vec_load(x + (r * p->in_w + c) * VEC));
                vec_store(y, best);
            }
        }
}

void KERNEL(max_pool_back)(const jsni_pool_shape *p, size_t images, const float *x,
                           const float *gy, float *gx)
{
    const size_t step = p->in_h * p->in_w * VEC;
    for (size_t k = 0; k < images * p->blocks; k++, x += step, gx += step)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = window_span(oy, p->stride_h, p->pad_h, p->kernel_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, gy += VEC) {
                const span w =
                    window_span(ox, p->stride_w, p->pad_w, p->kernel_w, p->in_w);
                max_back_one(p, h, w, x, vec_load(gy), gx);
            }
        }
}

static void mean_one(const jsni_pool_shape *p, span h, span w, float factor,
                     const float *x, float *y)
{
    vec sum = vec_zero();
    for (size_t r = h.from; r < h.to; r++)
        for (size_t c = w.from; c < w.to; c++)
            sum = vec_add(sum, vec_load(x + (r * p->in_w + c) * VEC));
    vec_store(y, vec_mul(sum, vec_set(factor)));
}

static void mean_back_one(const jsni_pool_shape *p, span h, span w, float factor,
                          const float *gy, float *gx)
{
    const vec g = vec_mul(vec_load(gy), vec_set(factor));
    for (size_t r = h.from; r < h.to; r++)
        for (size_t c = w.from; c < w.to; c++) {
            float *to = gx + (r * p->in_w + c) * VEC;
            vec_store(to, vec_add(vec_load(to), g));
        }
}

void KERNEL(avg_pool)(const jsni_pool_shape *p, size_t images, const float *x, float *y)
{
    const float factor = 1.0f / (float)(p->kernel_h * p->kernel_w);
    for (size_t k = 0; k < images * p->blocks; k++, x += p->in_h * p->in_w * VEC)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = window_span(oy, p->stride_h, p->pad_h, p->kernel_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, y += VEC)
                mean_one(p, h,
                         window_span(ox, p->stride_w, p->pad_w, p->kernel_w, p->in_w),
                         factor, x, y);
        }
}

void KERNEL(avg_pool_back)(const jsni_pool_shape *p, size_t images, const float *gy,
                           float *gx)
{
    const float factor = 1.0f / (float)(p->kernel_h * p->kernel_w);
    for (size_t k = 0; k < images * p->blocks; k++, gx += p->in_h * p->in_w * VEC)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = window_span(oy, p->stride_h, p->pad_h, p->kernel_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, gy += VEC)
                mean_back_one(
                    p, h, window_span(ox, p->stride_w, p->pad_w, p->kernel_w, p->in_w),
                    factor, gy, gx);
        }
}

void KERNEL(adaptive_pool)(const jsni_pool_shape *p, size_t images, const float *x,
                           float *y)
{
    for (size_t k = 0; k < images * p->blocks; k++, x += p->in_h * p->in_w * VEC)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = adaptive_span(oy, p->out_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, y += VEC) {
                const span w = adaptive_span(ox, p->out_w, p->in_w);
                const size_t count = (h.to - h.from) * (w.to - w.from);
                mean_one(p, h, w, 1.0f / (float)count, x, y);
            }
        }
}

void KERNEL(adaptive_pool_back)(const jsni_pool_shape *p, size_t images,
                                const float *gy, float *gx)
{
    for (size_t k = 0; k < images * p->blocks; k++, gx += p->in_h * p->in_w * VEC)
        for (size_t oy = 0; oy < p->out_h; oy++) {
            const span h = adaptive_span(oy, p->out_h, p->in_h);
            for (size_t ox = 0; ox < p->out_w; ox++, gy += VEC) {
                const span w = adaptive_span(ox, p->out_w, p->in_w);
                const size_t count = (h.to - h.from) * (w.to - w.from);
                mean_back_one(p, h, w, 1.0f / (float)count, gy, gx);
            }
        }
}
