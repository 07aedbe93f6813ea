/* core/vec_plain.h - vec.h on any machine: no instruction set is named, the compiler uses what its
 * target always has. Products and sums are rounded separately. Four floats, unless the file
 * that includes it asks for another power of two by JSNI_VEC_PLAIN. */
#ifndef JSNI_CORE_VEC_PLAIN_H
#define JSNI_CORE_VEC_PLAIN_H

#include <math.h>

#ifndef JSNI_VEC_PLAIN
#define JSNI_VEC_PLAIN 4
#endif

enum { VEC = JSNI_VEC_PLAIN };
#define VEC_LEVELED(name) name##_plain

typedef float vec __attribute__((vector_size(4 * JSNI_VEC_PLAIN)));
typedef int32_t vec_bits __attribute__((vector_size(4 * JSNI_VEC_PLAIN)));
typedef vec_bits vec_mask;

VEC_INLINE vec vec_load_any(const float *p)
{
    vec a;
    memcpy(&a, p, sizeof a);
    return a;
}
VEC_INLINE void vec_store_any(float *p, vec a)
{
    memcpy(p, &a, sizeof a);
}
VEC_INLINE vec vec_load(const float *p)
{
    return vec_load_any(p);
}
VEC_INLINE void vec_store(float *p, vec a)
{
    vec_store_any(p, a);
}
VEC_INLINE vec vec_set(float a)
{
    return a - (vec){0}; /* -0 stays -0 */
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c)
{
    return a * b + c;
}
VEC_INLINE vec vec_fnma(vec a, vec b, vec c)
{
    return c - a * b;
}
VEC_INLINE vec_mask vec_less(vec a, vec b)
{
    return a < b;
}
VEC_INLINE vec_mask vec_equal(vec a, vec b)
{
    return a == b;
}
VEC_INLINE vec vec_keep(vec_mask mask, vec a)
{
    return (vec)((vec_bits)a & mask);
}
VEC_INLINE vec vec_select(vec_mask mask, vec a, vec b)
{
    return (vec)(((vec_bits)a & mask) | ((vec_bits)b & ~mask));
}
VEC_INLINE vec vec_max(vec a, vec b)
{
    return vec_select(a > b, a, b);
}
VEC_INLINE vec vec_min(vec a, vec b)
{
    return vec_select(a < b, a, b);
}
VEC_INLINE vec vec_sqrt(vec a)
{
    for (int i = 0; i < VEC; i++)
        a[i] = sqrtf(a[i]);
    return a;
}
VEC_INLINE void vec_add_double(double *to, vec a)
{
    for (int i = 0; i < VEC; i++)
        to[i] += (double)a[i];
}

VEC_INLINE vec vec_scale(vec x, vec n)
{
    return x * (vec)((__builtin_convertvector(n, vec_bits) + 127) << 23);
}
VEC_INLINE vec vec_scale_cut(vec y, vec n, vec x, vec cut)
{
    return vec_select(x < cut, (vec){0}, vec_scale(y, n));
}
VEC_INLINE vec vec_count(vec_bits n)
{
    return __builtin_convertvector(n, vec);
}

VEC_INLINE vec vec_load_part(const float *p, size_t count, float fill)
{
    float part[VEC];
    for (size_t i = 0; i < VEC; i++)
        part[i] = i < count ? p[i] : fill;
    return vec_load_any(part);
}
VEC_INLINE void vec_store_part(float *p, vec a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p[i] = a[i];
}
VEC_INLINE vec vec_keep_part(vec a, size_t count)
{
    for (size_t i = count; i < VEC; i++)
        a[i] = 0.0f;
    return a;
}
VEC_INLINE void vec_stream(float *p, vec a)
{
    vec_store_any(p, a);
}
VEC_INLINE void vec_stream_end(void)
{
}

/* Halves, then halves of them. */
VEC_INLINE float vec_sum(vec a)
{
    for (size_t half = VEC / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            a[i] += a[i + half];
    return a[0];
}
VEC_INLINE float vec_top(vec a)
{
    float top = a[0];
    for (size_t i = 1; i < VEC; i++)
        top = a[i] > top ? a[i] : top;
    return top;
}

VEC_INLINE void vec_columns_load(const float *from, size_t stride, vec *to)
{
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < VEC; r++)
            to[c][r] = from[r * stride + c];
}
VEC_INLINE void vec_columns_store(float *to, size_t stride, const vec *from)
{
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < VEC; r++)
            to[r * stride + c] = from[c][r];
}

#endif /* JSNI_CORE_VEC_PLAIN_H */
