/* backend/onednn/vec_avx2.h - vec_avx512.h's names with AVX2 and FMA: 8 floats, the
 * block of the layout nChw8c. */
#ifndef JSNI_BACKEND_ONEDNN_VEC_AVX2_H
#define JSNI_BACKEND_ONEDNN_VEC_AVX2_H

#include <immintrin.h>

enum {
    VEC = 8,
    TILE_ROWS = 6, /* 12 accumulators, 2 weights, a broadcast of 16 registers */
    TILE_COLS = 2,
    GRADIENT_ROWS = 4
};

typedef __m256 vec;
typedef __m256 vec_mask;

#define VEC_INLINE static inline __attribute__((always_inline))

/* Into the second-level cache. */
VEC_INLINE void vec_fetch(const float *p)
{
    __builtin_prefetch(p, 0, 2);
}
VEC_INLINE vec vec_load(const float *p)
{
    return _mm256_load_ps(p);
}
VEC_INLINE void vec_store(float *p, vec a)
{
    _mm256_store_ps(p, a);
}
VEC_INLINE vec vec_set(float a)
{
    return _mm256_set1_ps(a);
}
VEC_INLINE vec vec_zero(void)
{
    return _mm256_setzero_ps();
}
VEC_INLINE vec vec_add(vec a, vec b)
{
    return _mm256_add_ps(a, b);
}
VEC_INLINE vec vec_sub(vec a, vec b)
{
    return _mm256_sub_ps(a, b);
}
VEC_INLINE vec vec_mul(vec a, vec b)
{
    return _mm256_mul_ps(a, b);
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_ps(a, b, c);
}
VEC_INLINE vec vec_fnma(vec a, vec b, vec c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
VEC_INLINE vec vec_max(vec a, vec b)
{
    return _mm256_max_ps(a, b);
}
VEC_INLINE vec vec_min(vec a, vec b)
{
    return _mm256_min_ps(a, b);
}
VEC_INLINE vec_mask vec_greater(vec a, vec b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
VEC_INLINE vec vec_keep(vec_mask mask, vec a)
{
    return _mm256_and_ps(mask, a);
}
VEC_INLINE vec vec_select(vec_mask mask, vec a, vec b)
{
    return _mm256_blendv_ps(b, a, mask);
}
VEC_INLINE void vec_add_double(double *to, vec a)
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
    _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), low));
    _mm256_store_pd(to + 4, _mm256_add_pd(_mm256_load_pd(to + 4), high));
}

#endif /* JSNI_BACKEND_ONEDNN_VEC_AVX2_H */
