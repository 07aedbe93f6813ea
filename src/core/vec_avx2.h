/* core/vec_avx2.h - vec.h with AVX2 and FMA: 8 floats. */
#ifndef JSNI_CORE_VEC_AVX2_H
#define JSNI_CORE_VEC_AVX2_H

#include <immintrin.h>

enum { VEC = 8 };
#define VEC_LEVELED(name) name##_avx2

typedef float vec __attribute__((vector_size(32)));
typedef int32_t vec_bits __attribute__((vector_size(32)));
typedef vec vec_mask;

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
VEC_INLINE vec vec_sqrt(vec a)
{
    return _mm256_sqrt_ps(a);
}
VEC_INLINE vec_mask vec_less(vec a, vec b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
VEC_INLINE vec_mask vec_equal(vec a, vec b)
{
    return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
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

/* x * 2^n for integral n in [-126, 127]. */
VEC_INLINE vec vec_scale(vec x, vec n)
{
    const __m256i exponent =
        _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return x * _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

/* The same where x >= cut or x is not a number, elsewhere 0. */
VEC_INLINE vec vec_scale_cut(vec y, vec n, vec x, vec cut)
{
    return _mm256_andnot_ps(_mm256_cmp_ps(x, cut, _CMP_LT_OQ), vec_scale(y, n));
}

VEC_INLINE vec vec_count(vec_bits n)
{
    return _mm256_cvtepi32_ps((__m256i)n);
}

VEC_INLINE vec vec_load_any(const float *from)
{
    return _mm256_loadu_ps(from);
}

VEC_INLINE void vec_store_any(float *to, vec x)
{
    _mm256_storeu_ps(to, x);
}

VEC_INLINE __m256i vec_part_mask(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The first `count` < VEC floats, the other lanes `fill`. */
VEC_INLINE vec vec_load_part(const float *from, size_t count, float fill)
{
    const __m256i mask = vec_part_mask(count);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(from, mask),
                            _mm256_castsi256_ps(mask));
}

VEC_INLINE void vec_store_part(float *to, vec x, size_t count)
{
    _mm256_maskstore_ps(to, vec_part_mask(count), x);
}

/* The lanes from `count` on become 0. */
VEC_INLINE vec vec_keep_part(vec x, size_t count)
{
    return _mm256_and_ps(x, _mm256_castsi256_ps(vec_part_mask(count)));
}

VEC_INLINE void vec_stream(float *to, vec x)
{
    _mm256_stream_ps(to, x);
}

VEC_INLINE void vec_stream_end(void)
{
    _mm_sfence();
}

VEC_INLINE float vec_sum(vec x)
{
    __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_add_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

VEC_INLINE float vec_top(vec x)
{
    __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_max_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

/* Transposes 4x4 blocks within the 128-bit halves. */
VEC_INLINE void vec_quads(vec *x)
{
    const __m256 a = _mm256_unpacklo_ps(x[0], x[1]);
    const __m256 b = _mm256_unpackhi_ps(x[0], x[1]);
    const __m256 c = _mm256_unpacklo_ps(x[2], x[3]);
    const __m256 d = _mm256_unpackhi_ps(x[2], x[3]);
    x[0] = _mm256_shuffle_ps(a, c, 0x44);
    x[1] = _mm256_shuffle_ps(a, c, 0xee);
    x[2] = _mm256_shuffle_ps(b, d, 0x44);
    x[3] = _mm256_shuffle_ps(b, d, 0xee);
}

/* Four columns of VEC rows that lie `stride` apart, to and from groups. */
VEC_INLINE void vec_columns_load(const float *from, size_t stride, vec *to)
{
    for (size_t r = 0; r < 4; r++)
        to[r] = _mm256_insertf128_ps(
            _mm256_castps128_ps256(_mm_loadu_ps(from + r * stride)),
            _mm_loadu_ps(from + (r + 4) * stride), 1);
    vec_quads(to);
}

VEC_INLINE void vec_columns_store(float *to, size_t stride, const vec *from)
{
    vec x[4] = {from[0], from[1], from[2], from[3]};
    vec_quads(x);
    for (size_t r = 0; r < 4; r++) {
        _mm_storeu_ps(to + r * stride, _mm256_castps256_ps128(x[r]));
        _mm_storeu_ps(to + (r + 4) * stride, _mm256_extractf128_ps(x[r], 1));
    }
}

/* Eight columns: half as many stores. */
#define VEC_COLUMNS_8

VEC_INLINE void vec_columns_load_8(const float *from, size_t stride, vec *to)
{
    for (size_t r = 0; r < 4; r++) {
        const vec low = _mm256_loadu_ps(from + r * stride);
        const vec high = _mm256_loadu_ps(from + (r + 4) * stride);
        to[r] = _mm256_permute2f128_ps(low, high, 0x20);
        to[r + 4] = _mm256_permute2f128_ps(low, high, 0x31);
    }
    vec_quads(to);
    vec_quads(to + 4);
}

VEC_INLINE void vec_columns_store_8(float *to, size_t stride, const vec *from)
{
    vec x[4] = {from[0], from[1], from[2], from[3]};
    vec y[4] = {from[4], from[5], from[6], from[7]};
    vec_quads(x);
    vec_quads(y);
    for (size_t r = 0; r < 4; r++) {
        _mm256_storeu_ps(to + r * stride, _mm256_permute2f128_ps(x[r], y[r], 0x20));
        _mm256_storeu_ps(to + (r + 4) * stride,
                         _mm256_permute2f128_ps(x[r], y[r], 0x31));
    }
}

#endif /* JSNI_CORE_VEC_AVX2_H */
