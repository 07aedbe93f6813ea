/* backend/onednn/vec_avx512.h - the vector of the kernels with AVX-512: 16 floats, the
 * block of the layout nChw16c. Together with vec_avx2.h and vec_plain.h, which define
 * the same names, this is all that the kernels know of an instruction set. */
#ifndef JSNI_BACKEND_ONEDNN_VEC_AVX512_H
#define JSNI_BACKEND_ONEDNN_VEC_AVX512_H

#include <immintrin.h>

enum {
    VEC = 16,         /* floats a vector = channels a block */
    TILE_ROWS = 8,    /* rows x (TILE_COLS vectors) of a product in registers: */
    TILE_COLS = 2,    /* 16 accumulators, 2 weights, a broadcast of 32 registers */
    GRADIENT_ROWS = 8 /* the same for the weight gradient; divides VEC */
};

typedef __m512 vec;
typedef __mmask16 vec_mask;

#define VEC_INLINE static inline __attribute__((always_inline))

/* Into the second-level cache. */
VEC_INLINE void vec_fetch(const float *p)
{
    __builtin_prefetch(p, 0, 2);
}
VEC_INLINE vec vec_load(const float *p)
{
    return _mm512_load_ps(p);
}
VEC_INLINE void vec_store(float *p, vec a)
{
    _mm512_store_ps(p, a);
}
VEC_INLINE vec vec_set(float a)
{
    return _mm512_set1_ps(a);
}
VEC_INLINE vec vec_zero(void)
{
    return _mm512_setzero_ps();
}
VEC_INLINE vec vec_add(vec a, vec b)
{
    return _mm512_add_ps(a, b);
}
VEC_INLINE vec vec_sub(vec a, vec b)
{
    return _mm512_sub_ps(a, b);
}
VEC_INLINE vec vec_mul(vec a, vec b)
{
    return _mm512_mul_ps(a, b);
}
/* a*b + c */
VEC_INLINE vec vec_fma(vec a, vec b, vec c)
{
    return _mm512_fmadd_ps(a, b, c);
}
/* c - a*b */
VEC_INLINE vec vec_fnma(vec a, vec b, vec c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
/* The larger or smaller one; b when either is NaN, so a NaN in b goes on. */
VEC_INLINE vec vec_max(vec a, vec b)
{
    return _mm512_max_ps(a, b);
}
VEC_INLINE vec vec_min(vec a, vec b)
{
    return _mm512_min_ps(a, b);
}
VEC_INLINE vec_mask vec_greater(vec a, vec b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
/* a where the mask is set, else 0 */
VEC_INLINE vec vec_keep(vec_mask mask, vec a)
{
    return _mm512_maskz_mov_ps(mask, a);
}
/* a where the mask is set, else b */
VEC_INLINE vec vec_select(vec_mask mask, vec a, vec b)
{
    return _mm512_mask_blend_ps(mask, b, a);
}
/* to[0..VEC) += a */
VEC_INLINE void vec_add_double(double *to, vec a)
{
    const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(a));
    const __m512d high = _mm512_cvtps_pd(
        _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1)));
    _mm512_store_pd(to, _mm512_add_pd(_mm512_load_pd(to), low));
    _mm512_store_pd(to + 8, _mm512_add_pd(_mm512_load_pd(to + 8), high));
}

#endif /* JSNI_BACKEND_ONEDNN_VEC_AVX512_H */
