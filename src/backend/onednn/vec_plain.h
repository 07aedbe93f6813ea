/* backend/onednn/vec_plain.h - vec_avx512.h's names in plain C for any processor: 8
 * floats, products and sums rounded separately. */
#ifndef JSNI_BACKEND_ONEDNN_VEC_PLAIN_H
#define JSNI_BACKEND_ONEDNN_VEC_PLAIN_H

#include <stdbool.h>

enum { VEC = 8, TILE_ROWS = 2, TILE_COLS = 2, GRADIENT_ROWS = 2 };

typedef struct vec {
    float at[VEC];
} vec;
typedef struct vec_mask {
    bool at[VEC];
} vec_mask;

#define VEC_INLINE static inline
#define VEC_EACH(expression)      \
    vec r;                        \
    for (int i = 0; i < VEC; i++) \
        r.at[i] = (expression);   \
    return r

/* Into the second-level cache. */
VEC_INLINE void vec_fetch(const float *p)
{
    __builtin_prefetch(p, 0, 2);
}
VEC_INLINE vec vec_load(const float *p)
{
    VEC_EACH(p[i]);
}
VEC_INLINE void vec_store(float *p, vec a)
{
    for (int i = 0; i < VEC; i++)
        p[i] = a.at[i];
}
VEC_INLINE vec vec_set(float a)
{
    VEC_EACH(a);
}
VEC_INLINE vec vec_zero(void)
{
    VEC_EACH(0.0f);
}
VEC_INLINE vec vec_add(vec a, vec b)
{
    VEC_EACH(a.at[i] + b.at[i]);
}
VEC_INLINE vec vec_sub(vec a, vec b)
{
    VEC_EACH(a.at[i] - b.at[i]);
}
VEC_INLINE vec vec_mul(vec a, vec b)
{
    VEC_EACH(a.at[i] * b.at[i]);
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c)
{
    VEC_EACH(a.at[i] * b.at[i] + c.at[i]);
}
VEC_INLINE vec vec_fnma(vec a, vec b, vec c)
{
    VEC_EACH(c.at[i] - a.at[i] * b.at[i]);
}
VEC_INLINE vec vec_max(vec a, vec b)
{
    VEC_EACH(a.at[i] > b.at[i] ? a.at[i] : b.at[i]);
}
VEC_INLINE vec vec_min(vec a, vec b)
{
    VEC_EACH(a.at[i] < b.at[i] ? a.at[i] : b.at[i]);
}
VEC_INLINE vec_mask vec_greater(vec a, vec b)
{
    vec_mask r;
    for (int i = 0; i < VEC; i++)
        r.at[i] = a.at[i] > b.at[i];
    return r;
}
VEC_INLINE vec vec_keep(vec_mask mask, vec a)
{
    VEC_EACH(mask.at[i] ? a.at[i] : 0.0f);
}
VEC_INLINE vec vec_select(vec_mask mask, vec a, vec b)
{
    VEC_EACH(mask.at[i] ? a.at[i] : b.at[i]);
}
VEC_INLINE void vec_add_double(double *to, vec a)
{
    for (int i = 0; i < VEC; i++)
        to[i] += (double)a.at[i];
}

#undef VEC_EACH

#endif /* JSNI_BACKEND_ONEDNN_VEC_PLAIN_H */
