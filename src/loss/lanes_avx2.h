/* loss/lanes_avx2.h - eight floats with AVX2 and FMA. */
#ifndef JSNI_LOSS_LANES_AVX2_H
#define JSNI_LOSS_LANES_AVX2_H

#include <immintrin.h>

/* Not __m256 itself, which may alias everything: addresses and sums that a loop reads would
 * be read again after each store. */
typedef float jsni_real __attribute__((vector_size(32)));
typedef int32_t jsni_bits __attribute__((vector_size(32)));

enum { JSNI_LANES = 8 };
#define JSNI_LEVELED(name) name##_avx2

static inline jsni_real jsni_fill(float s)
{
    return _mm256_set1_ps(s);
}

static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x, jsni_real y)
{
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return _mm256_max_ps(a, b);
}

/* x * 2^n for integral n in [-126, 127]. */
static inline jsni_real jsni_scale(jsni_real x, jsni_real n)
{
    const __m256i exponent =
        _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return x * _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

/* The same where x >= cut or x is not a number, elsewhere 0. */
static inline jsni_real jsni_scale_cut(jsni_real y, jsni_real n, jsni_real x,
                                       jsni_real cut)
{
    return _mm256_andnot_ps(_mm256_cmp_ps(x, cut, _CMP_LT_OQ), jsni_scale(y, n));
}

static inline jsni_real jsni_count(jsni_bits n)
{
    return _mm256_cvtepi32_ps((__m256i)n);
}

static inline jsni_real jsni_load(const float *from)
{
    return _mm256_loadu_ps(from);
}

static inline void jsni_store(float *to, jsni_real x)
{
    _mm256_storeu_ps(to, x);
}

static inline __m256i jsni_part_mask(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The first `count` < JSNI_LANES floats, the other lanes `fill`. */
static inline jsni_real jsni_load_part(const float *from, size_t count, float fill)
{
    const __m256i mask = jsni_part_mask(count);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(from, mask),
                            _mm256_castsi256_ps(mask));
}

static inline void jsni_store_part(float *to, jsni_real x, size_t count)
{
    _mm256_maskstore_ps(to, jsni_part_mask(count), x);
}

/* The lanes from `count` on become 0. */
static inline jsni_real jsni_keep(jsni_real x, size_t count)
{
    return _mm256_and_ps(x, _mm256_castsi256_ps(jsni_part_mask(count)));
}

static inline void jsni_stream(float *to, jsni_real x)
{
    _mm256_stream_ps(to, x);
}

static inline void jsni_stream_end(void)
{
    _mm_sfence();
}

static inline float jsni_lane_sum(jsni_real x)
{
    __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_add_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}

static inline float jsni_lane_max(jsni_real x)
{
    __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    y = _mm_max_ps(y, _mm_movehl_ps(y, y));
    return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}

/* Transposes 4x4 blocks within the 128-bit halves. */
static inline void jsni_quads(jsni_real *x)
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

/* Four columns of JSNI_LANES rows that lie `stride` apart, to and from groups. */
static inline void jsni_columns_load(const float *from, size_t stride, jsni_real *to)
{
    for (size_t r = 0; r < 4; r++)
        to[r] = _mm256_insertf128_ps(
            _mm256_castps128_ps256(_mm_loadu_ps(from + r * stride)),
            _mm_loadu_ps(from + (r + 4) * stride), 1);
    jsni_quads(to);
}

static inline void jsni_columns_store(float *to, size_t stride, const jsni_real *from)
{
    jsni_real x[4] = {from[0], from[1], from[2], from[3]};
    jsni_quads(x);
    for (size_t r = 0; r < 4; r++) {
        _mm_storeu_ps(to + r * stride, _mm256_castps256_ps128(x[r]));
        _mm_storeu_ps(to + (r + 4) * stride, _mm256_extractf128_ps(x[r], 1));
    }
}

#endif /* JSNI_LOSS_LANES_AVX2_H */
