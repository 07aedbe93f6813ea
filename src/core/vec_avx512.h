/* core/vec_avx512.h - vec.h with AVX-512: 16 floats. */
#ifndef JSNI_CORE_VEC_AVX512_H
#define JSNI_CORE_VEC_AVX512_H

#include <immintrin.h>

enum { VEC = 16 };
#define VEC_LEVELED(name) name##_avx512

typedef float vec __attribute__((vector_size(64)));
typedef int32_t vec_bits __attribute__((vector_size(64)));
typedef __mmask16 vec_mask;

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
VEC_INLINE vec vec_sqrt(vec a)
{
    return _mm512_sqrt_ps(a);
}
VEC_INLINE vec_mask vec_less(vec a, vec b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
VEC_INLINE vec_mask vec_equal(vec a, vec b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
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

/* x * 2^n. */
VEC_INLINE vec vec_scale(vec x, vec n)
{
    return _mm512_scalef_ps(x, n);
}

/* The same where x >= cut or x is not a number, elsewhere 0. */
VEC_INLINE vec vec_scale_cut(vec y, vec n, vec x, vec cut)
{
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, cut, _CMP_NLT_UQ), y, n);
}

VEC_INLINE vec vec_count(vec_bits n)
{
    return _mm512_cvtepi32_ps((__m512i)n);
}

VEC_INLINE vec vec_load_any(const float *from)
{
    return _mm512_loadu_ps(from);
}

VEC_INLINE void vec_store_any(float *to, vec x)
{
    _mm512_storeu_ps(to, x);
}

VEC_INLINE __mmask16 vec_part_mask(size_t count)
{
    return (__mmask16)((1u << count) - 1u);
}

/* The first `count` < VEC floats, the other lanes `fill`. */
VEC_INLINE vec vec_load_part(const float *from, size_t count, float fill)
{
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), vec_part_mask(count), from);
}

VEC_INLINE void vec_store_part(float *to, vec x, size_t count)
{
    _mm512_mask_storeu_ps(to, vec_part_mask(count), x);
}

/* The lanes from `count` on become 0. */
VEC_INLINE vec vec_keep_part(vec x, size_t count)
{
    return _mm512_maskz_mov_ps(vec_part_mask(count), x);
}

VEC_INLINE void vec_stream(float *to, vec x)
{
    _mm512_stream_ps(to, x);
}

VEC_INLINE void vec_stream_end(void)
{
    _mm_sfence();
}

VEC_INLINE float vec_sum(vec x)
{
    return _mm512_reduce_add_ps(x);
}

VEC_INLINE float vec_top(vec x)
{
    return _mm512_reduce_max_ps(x);
}

/* Transposes 4x4 blocks within the 128-bit quarters. */
VEC_INLINE void vec_quads(vec *x)
{
    const __m512 a = _mm512_unpacklo_ps(x[0], x[1]);
    const __m512 b = _mm512_unpackhi_ps(x[0], x[1]);
    const __m512 c = _mm512_unpacklo_ps(x[2], x[3]);
    const __m512 d = _mm512_unpackhi_ps(x[2], x[3]);
    x[0] = _mm512_shuffle_ps(a, c, 0x44);
    x[1] = _mm512_shuffle_ps(a, c, 0xee);
    x[2] = _mm512_shuffle_ps(b, d, 0x44);
    x[3] = _mm512_shuffle_ps(b, d, 0xee);
}

/* Four columns of VEC rows that lie `stride` apart, to and from groups. The addresses are
 * formed from four bases; without the empty assembly gcc keeps sixteen, which do not fit its
 * registers. */
VEC_INLINE void vec_columns_load(const float *from, size_t stride, vec *to)
{
    const float *a = from, *b = a + 4 * stride, *c = b + 4 * stride,
                *d = c + 4 * stride;
    __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    vec x[4];
    for (size_t r = 0; r < 4; r++) {
        __m512 y = _mm512_castps128_ps512(_mm_loadu_ps(a + r * stride));
        y = _mm512_insertf32x4(y, _mm_loadu_ps(b + r * stride), 1);
        y = _mm512_insertf32x4(y, _mm_loadu_ps(c + r * stride), 2);
        x[r] = _mm512_insertf32x4(y, _mm_loadu_ps(d + r * stride), 3);
    }
    vec_quads(x);
    for (size_t r = 0; r < 4; r++)
        to[r] = x[r];
}

VEC_INLINE void vec_columns_store(float *to, size_t stride, const vec *from)
{
    float *a = to, *b = a + 4 * stride, *c = b + 4 * stride, *d = c + 4 * stride;
    __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    vec x[4] = {from[0], from[1], from[2], from[3]};
    vec_quads(x);
    for (size_t r = 0; r < 4; r++) {
        _mm_storeu_ps(a + r * stride, _mm512_castps512_ps128(x[r]));
        _mm_storeu_ps(b + r * stride, _mm512_extractf32x4_ps(x[r], 1));
        _mm_storeu_ps(c + r * stride, _mm512_extractf32x4_ps(x[r], 2));
        _mm_storeu_ps(d + r * stride, _mm512_extractf32x4_ps(x[r], 3));
    }
}

/* Eight columns: half as many loads and stores. */
#define VEC_COLUMNS_8

VEC_INLINE void vec_columns_load_8(const float *from, size_t stride, vec *to)
{
    const float *a = from, *b = a + 4 * stride, *c = b + 4 * stride,
                *d = c + 4 * stride;
    __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    vec x[4], y[4];
    for (size_t r = 0; r < 4; r++) {
        __m512 low = _mm512_castps256_ps512(_mm256_loadu_ps(a + r * stride));
        low = _mm512_insertf32x8(low, _mm256_loadu_ps(b + r * stride), 1);
        __m512 high = _mm512_castps256_ps512(_mm256_loadu_ps(c + r * stride));
        high = _mm512_insertf32x8(high, _mm256_loadu_ps(d + r * stride), 1);
        x[r] = _mm512_shuffle_f32x4(low, high, 0x88);
        y[r] = _mm512_shuffle_f32x4(low, high, 0xdd);
    }
    vec_quads(x);
    vec_quads(y);
    for (size_t r = 0; r < 4; r++) {
        to[r] = x[r];
        to[r + 4] = y[r];
    }
}

VEC_INLINE void vec_columns_store_8(float *to, size_t stride, const vec *from)
{
    float *a = to, *b = a + 4 * stride, *c = b + 4 * stride, *d = c + 4 * stride;
    __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i last = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    vec x[4] = {from[0], from[1], from[2], from[3]};
    vec y[4] = {from[4], from[5], from[6], from[7]};
    vec_quads(x);
    vec_quads(y);
    for (size_t r = 0; r < 4; r++) {
        const __m512d left = _mm512_castps_pd(x[r]), right = _mm512_castps_pd(y[r]);
        const __m512 low = _mm512_castpd_ps(_mm512_permutex2var_pd(left, first, right));
        const __m512 high = _mm512_castpd_ps(_mm512_permutex2var_pd(left, last, right));
        _mm256_storeu_ps(a + r * stride, _mm512_castps512_ps256(low));
        _mm256_storeu_ps(b + r * stride, _mm512_extractf32x8_ps(low, 1));
        _mm256_storeu_ps(c + r * stride, _mm512_castps512_ps256(high));
        _mm256_storeu_ps(d + r * stride, _mm512_extractf32x8_ps(high, 1));
    }
}

#endif /* JSNI_CORE_VEC_AVX512_H */
