/* backend/onednn/norm_kernels.c - one pass over a tensor: BatchNorm, ReLU and residual
 * adds, the sums they need, and their gradients. */
#include "backend/onednn/kernel_impl.h"

void KERNEL(combine)(jsni_extent extent, const float *a, const jsni_load *load_a,
                     const float *b, const jsni_load *load_b, bool relu, float *out)
{
    const vec floor = vec_set(relu ? 0.0f : -INFINITY);
    for (size_t k = 0; k < extent.images * extent.blocks; k++) {
        const size_t at = k * extent.pixels * VEC, end = at + extent.pixels * VEC;
        const loader one = loader_of(load_a, k % extent.blocks);
        if (b == NULL) {
            for (size_t i = at; i < end; i += VEC)
                vec_store(out + i, vec_max(floor, loader_get6(&one, a + i)));
            continue;
        }
        const loader two = loader_of(load_b, k % extent.blocks);
        for (size_t i = at; i < end; i += VEC)
            vec_store(out + i, vec_max(floor, vec_add(loader_get6(&one, a + i),
                                                      loader_get6(&two, b + i))));
    }
}

/* Pixels that are summed in float before the sum goes on in double: short enough that a
 * sum of values around their origin loses no more than a single one does. */
enum { RUN = 64, ORIGIN_PIXELS = 16 };

/* Some value near the middle of a channel. */
static vec origin_of(const float *x, size_t pixels)
{
    const size_t count = pixels < ORIGIN_PIXELS ? pixels : ORIGIN_PIXELS;
    vec sum = vec_zero();
    for (size_t p = 0; p < count; p++)
        sum = vec_add(sum, vec_load(x + p * VEC));
    return vec_mul(sum, vec_set(1.0f / (float)count));
}

void KERNEL(sums)(jsni_extent extent, const float *x, const jsni_sums *sums, bool first)
{
    const size_t pixels = extent.pixels;
    for (size_t b = 0; b < extent.blocks && first; b++)
        vec_store(sums->origin + b * VEC, origin_of(x + b * pixels * VEC, pixels));
    for (size_t k = 0; k < extent.images * extent.blocks; k++, x += pixels * VEC) {
        const size_t c = k % extent.blocks * VEC;
        const vec origin = vec_load(sums->origin + c);
        for (size_t from = 0; from < pixels; from += RUN) {
            const size_t to = from + RUN < pixels ? from + RUN : pixels;
            vec s[2] = {vec_zero(), vec_zero()}, q[2] = {vec_zero(), vec_zero()};
            for (size_t p = from; p < to; p++) {
                const vec d = vec_sub(vec_load(x + p * VEC), origin);
                s[p & 1] = vec_add(s[p & 1], d);
                q[p & 1] = vec_fma(d, d, q[p & 1]);
            }
            vec_add_double(sums->first + c, vec_add(s[0], s[1]));
            vec_add_double(sums->second + c, vec_add(q[0], q[1]));
        }
    }
}

/* What the ReLU of a load lets pass of the gradient at x. */
VEC_INLINE vec pass(const loader *l, vec centred, const jsni_load *load, vec g)
{
    if (!load->relu)
        return g;
    const vec y = vec_fma(centred, l->scale, l->shift);
    if (load->six)
        g = vec_keep(vec_greater(l->top, y), g);
    return vec_keep(vec_greater(y, vec_zero()), g);
}

void KERNEL(back_sums)(jsni_extent extent, const float *x, const jsni_load *load,
                       const float *g, const jsni_sums *sums)
{
    const size_t step = extent.pixels * VEC;
    for (size_t k = 0; k < extent.images * extent.blocks; k++, x += step, g += step) {
        const size_t c = k % extent.blocks * VEC;
        const loader l = loader_of(load, k % extent.blocks);
        for (size_t from = 0; from < extent.pixels; from += RUN) {
            const size_t to = from + RUN < extent.pixels ? from + RUN : extent.pixels;
            vec s[2] = {vec_zero(), vec_zero()}, q[2] = {vec_zero(), vec_zero()};
            for (size_t p = from; p < to; p++) {
                const vec d = vec_sub(vec_load(x + p * VEC), l.mean);
                const vec t = pass(&l, d, load, vec_load(g + p * VEC));
                s[p & 1] = vec_add(s[p & 1], t);
                q[p & 1] = vec_fma(t, d, q[p & 1]);
            }
            vec_add_double(sums->first + c, vec_add(s[0], s[1]));
            vec_add_double(sums->second + c, vec_add(q[0], q[1]));
        }
    }
}

void KERNEL(back)(jsni_extent extent, const float *x, const jsni_load *load,
                  const jsni_norm_back *back, const float *g, const float *add,
                  float *out)
{
    for (size_t k = 0; k < extent.images * extent.blocks; k++) {
        const size_t at = k * extent.pixels * VEC, end = at + extent.pixels * VEC;
        const size_t c = k % extent.blocks * VEC;
        const loader l = loader_of(load, k % extent.blocks);
        const vec slope = back != NULL ? vec_load(back->slope + c) : vec_zero();
        const vec offset = back != NULL ? vec_load(back->offset + c) : vec_zero();
        for (size_t i = at; i < end; i += VEC) {
            const vec d = vec_sub(vec_load(x + i), l.mean);
            const vec t = pass(&l, d, load, vec_load(g + i));
            vec r = vec_fma(t, l.scale, vec_fma(d, slope, offset));
            if (add != NULL)
                r = vec_add(r, vec_load(add + i));
            vec_store(out + i, r);
        }
    }
}

void KERNEL(mask)(jsni_extent extent, const float *y, const float *g, float *out)
{
    const size_t count = extent.images * extent.blocks * extent.pixels * VEC;
    for (size_t i = 0; i < count; i += VEC)
        vec_store(out + i,
                  vec_keep(vec_greater(vec_load(y + i), vec_zero()), vec_load(g + i)));
}

void KERNEL(channel_sums)(jsni_extent extent, const float *g, double *to)
{
    for (size_t k = 0; k < extent.images * extent.blocks;
         k++, g += extent.pixels * VEC) {
        for (size_t from = 0; from < extent.pixels; from += RUN) {
            const size_t end = from + RUN < extent.pixels ? from + RUN : extent.pixels;
            vec s[2] = {vec_zero(), vec_zero()};
            for (size_t p = from; p < end; p++)
                s[p & 1] = vec_add(s[p & 1], vec_load(g + p * VEC));
            vec_add_double(to + k % extent.blocks * VEC, vec_add(s[0], s[1]));
        }
    }
}

void KERNEL(add_bias)(jsni_extent extent, const float *bias, float *x)
{
    for (size_t k = 0; k < extent.images * extent.blocks;
         k++, x += extent.pixels * VEC) {
        const vec b = vec_load(bias + k % extent.blocks * VEC);
        for (size_t p = 0; p < extent.pixels; p++)
            vec_store(x + p * VEC, vec_add(vec_load(x + p * VEC), b));
    }
}
