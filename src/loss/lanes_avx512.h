/* loss/lanes_avx512.h - sixteen floats with AVX-512. */
#ifndef JSNI_LOSS_LANES_AVX512_H
#define JSNI_LOSS_LANES_AVX512_H

#include <immintrin.h>

/* Not __m512 itself, which may alias everything: addresses and sums that a loop reads would
 * be read again after each store. */
typedef float jsni_real __attribute__((vector_size(64)));
typedef int32_t jsni_bits __attribute__((vector_size(64)));

enum { JSNI_LANES = 16 };
#define JSNI_LEVELED(name) name##_avx512

static inline jsni_real jsni_fill(float s)
{
    return _mm512_set1_ps(s);
}

static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x, jsni_real y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}

static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return _mm512_max_ps(a, b);
}

/* x * 2^n. */
static inline jsni_real jsni_scale(jsni_real x, jsni_real n)
{
    return _mm512_scalef_ps(x, n);
}

/* The same where x >= cut or x is not a number, elsewhere 0. */
static inline jsni_real jsni_scale_cut(jsni_real y, jsni_real n, jsni_real x,
                                       jsni_real cut)
{
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, cut, _CMP_NLT_UQ), y, n);
}

static inline jsni_real jsni_count(jsni_bits n)
{
    return _mm512_cvtepi32_ps((__m512i)n);
}

static inline jsni_real jsni_load(const float *from)
{
    return _mm512_loadu_ps(from);
}

static inline void jsni_store(float *to, jsni_real x)
{
    _mm512_storeu_ps(to, x);
}

static inline __mmask16 jsni_part_mask(size_t count)
{
    return (__mmask16)((1u << count) - 1u);
}

/* The first `count` < JSNI_LANES floats, the other lanes `fill`. */
static inline jsni_real jsni_load_part(const float *from, size_t count, float fill)
{
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), jsni_part_mask(count), from);
}

static inline void jsni_store_part(float *to, jsni_real x, size_t count)
{
    _mm512_mask_storeu_ps(to, jsni_part_mask(count), x);
}

/* The lanes from `count` on become 0. */
static inline jsni_real jsni_keep(jsni_real x, size_t count)
{
    return _mm512_maskz_mov_ps(jsni_part_mask(count), x);
}

static inline void jsni_stream(float *to, jsni_real x)
{
    _mm512_stream_ps(to, x);
}

static inline void jsni_stream_end(void)
{
    _mm_sfence();
}

static inline float jsni_lane_sum(jsni_real x)
{
    return _mm512_reduce_add_ps(x);
}

static inline float jsni_lane_max(jsni_real x)
{
    return _mm512_reduce_max_ps(x);
}

/* Transposes 4x4 blocks within the 128-bit quarters. */
static inline void jsni_quads(jsni_real *x)
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

/* Four columns of JSNI_LANES rows that lie `stride` apart, to and from groups. */
static inline void jsni_columns_load(const float *from, size_t stride, jsni_real *to)
{
    for (size_t r = 0; r < 4; r++) {
        const float *at = from + r * stride;
        __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(at));
        x = _mm512_insertf32x4(x, _mm_loadu_ps(at + 4 * stride), 1);
        x = _mm512_insertf32x4(x, _mm_loadu_ps(at + 8 * stride), 2);
        to[r] = _mm512_insertf32x4(x, _mm_loadu_ps(at + 12 * stride), 3);
    }
    jsni_quads(to);
}

static inline void jsni_columns_store(float *to, size_t stride, const jsni_real *from)
{
    jsni_real x[4] = {from[0], from[1], from[2], from[3]};
    jsni_quads(x);
    for (size_t r = 0; r < 4; r++) {
        float *at = to + r * stride;
        _mm_storeu_ps(at, _mm512_castps512_ps128(x[r]));
        _mm_storeu_ps(at + 4 * stride, _mm512_extractf32x4_ps(x[r], 1));
        _mm_storeu_ps(at + 8 * stride, _mm512_extractf32x4_ps(x[r], 2));
        _mm_storeu_ps(at + 12 * stride, _mm512_extractf32x4_ps(x[r], 3));
    }
}

#endif /* JSNI_LOSS_LANES_AVX512_H */
