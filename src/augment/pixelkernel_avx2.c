/* augment/pixelkernel_avx2.c - the pixel loops for x86 with AVX2. Compilers do not find by
 * themselves how to take three channels apart, nor that sums stay in registers, so the
 * loops of ColorJitter and of resizing are written by hand. They do the steps of
 * pixelkernel_base.c with the same roundings. Where a step is another one, it has the same
 * result for every input, and tests/augment/test_augment_kernel.c goes through all of them.
 *
 * Eight pixels, or four of each of two rows, are 12 bytes in each half of a vector; one
 * channel of them is eight 32-bit numbers. */
#include <immintrin.h>

#include "augment/pixelkernel_body.h"

#define INLINE static inline __attribute__((always_inline))

enum { EIGHT = 8, ROOM = 32 };

INLINE __m256i load_halves(const uint8_t *low, const uint8_t *high)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)(const void *)low);
    const __m128i second = _mm_loadu_si128((const __m128i *)(const void *)high);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

/* Reads 4 bytes more than it uses, as store_eight() writes 4 more. */
INLINE __m256i load_eight(const uint8_t *from)
{
    return load_halves(from, from + 12);
}

INLINE void store_eight(uint8_t *to, __m256i x)
{
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(x));
    _mm_storeu_si128((__m128i *)(void *)(to + 12), _mm256_extracti128_si256(x, 1));
}

/* out = work(in, ...) by eights; what is too near to the end goes through room of its own. */
#define EACH_EIGHT(in, out, pixels, work, ...)                                         \
    do {                                                                               \
        size_t at = 0;                                                                 \
        for (; at + EIGHT + 2 <= (pixels); at += EIGHT)                                \
            store_eight((out) + at * C, work(load_eight((in) + at * C), __VA_ARGS__)); \
        for (; at < (pixels); at += EIGHT) {                                           \
            const size_t left = (pixels)-at < EIGHT ? (pixels)-at : EIGHT;             \
            uint8_t room[ROOM] = {0};                                                  \
            memcpy(room, (in) + at * C, left * C);                                     \
            store_eight(room, work(load_eight(room), __VA_ARGS__));                    \
            memcpy((out) + at * C, room, left * C);                                    \
        }                                                                              \
    } while (0)

/* The same 16 bytes of `which` for both halves; 128: a zero. */
#define SHUFFLE(x, ...) \
    _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__)))
#define Z (-128)

INLINE __m256i red(__m256i x)
{
    return SHUFFLE(x, 0, Z, Z, Z, 3, Z, Z, Z, 6, Z, Z, Z, 9, Z, Z, Z);
}

INLINE __m256i green(__m256i x)
{
    return SHUFFLE(x, 1, Z, Z, Z, 4, Z, Z, Z, 7, Z, Z, Z, 10, Z, Z, Z);
}

INLINE __m256i blue(__m256i x)
{
    return SHUFFLE(x, 2, Z, Z, Z, 5, Z, Z, Z, 8, Z, Z, Z, 11, Z, Z, Z);
}

/* [r g b -] four times in each half, without the gaps. */
INLINE __m256i close_gaps(__m256i x)
{
    return SHUFFLE(x, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, Z, Z, Z, Z);
}

/* jsni_gray(). Products of 16 bits are added in pairs; 38470 has 17 bits with its sign, so
 * green comes twice with half of it. */
INLINE __m256i gray_eight(__m256i x)
{
    enum { R = 19595, HALF_G = 19235, B = 7471 };
    const __m256i rg = SHUFFLE(x, 0, Z, 1, Z, 3, Z, 4, Z, 6, Z, 7, Z, 9, Z, 10, Z);
    const __m256i gb = SHUFFLE(x, 1, Z, 2, Z, 4, Z, 5, Z, 7, Z, 8, Z, 10, Z, 11, Z);
    const __m256i sum =
        _mm256_add_epi32(_mm256_madd_epi16(rg, _mm256_set1_epi32(R | HALF_G << 16)),
                         _mm256_madd_epi16(gb, _mm256_set1_epi32(HALF_G | B << 16)));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(0x8000)), 16);
}

/* jsni_blend() before it is clipped. */
INLINE __m256i blend_eight(__m256i base, __m256 base_real, __m256i byte, __m256 factor)
{
    const __m256 away = _mm256_cvtepi32_ps(_mm256_sub_epi32(byte, base));
    return _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(factor, away), base_real));
}

/* Four vectors of numbers, clipped to bytes, one after another. */
INLINE __m256i to_bytes(__m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i mixed =
        _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return _mm256_permutevar8x32_epi32(mixed,
                                       _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

INLINE __m256i load_bytes(const uint8_t *from)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static uint32_t gray_sum_avx2(const uint8_t *in, size_t pixels)
{
    __m256i sum = _mm256_setzero_si256();
    size_t at = 0;
    for (; at + EIGHT + 2 <= pixels; at += EIGHT)
        sum = _mm256_add_epi32(sum, gray_eight(load_eight(in + at * C)));
    uint32_t part[EIGHT];
    _mm256_storeu_si256((__m256i *)(void *)part, sum);
    uint32_t all = gray_sum(in + at * C, pixels - at);
    for (size_t i = 0; i < EIGHT; i++)
        all += part[i];
    return all;
}

static void blend_avx2(const uint8_t *in, uint8_t *out, size_t bytes, int base,
                       float factor)
{
    const __m256i b = _mm256_set1_epi32(base);
    const __m256 real = _mm256_cvtepi32_ps(b), f = _mm256_set1_ps(factor);
    size_t at = 0;
    for (; at + ROOM <= bytes; at += ROOM) {
        __m256i x[4];
        for (size_t i = 0; i < 4; i++)
            x[i] = blend_eight(b, real, load_bytes(in + at + i * EIGHT), f);
        _mm256_storeu_si256((__m256i *)(void *)(out + at),
                            to_bytes(x[0], x[1], x[2], x[3]));
    }
    blend(in + at, out + at, bytes - at, base, factor);
}

INLINE __m256i color_eight(__m256i x, __m256 factor)
{
    const __m256i gray = gray_eight(x);
    const __m256 real = _mm256_cvtepi32_ps(gray);
    const __m256i r = blend_eight(gray, real, red(x), factor);
    const __m256i g = blend_eight(gray, real, green(x), factor);
    const __m256i b = blend_eight(gray, real, blue(x), factor);
    const __m256i planes =
        _mm256_packus_epi16(_mm256_packs_epi32(r, g), _mm256_packs_epi32(b, b));
    return SHUFFLE(planes, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, Z, Z, Z, Z);
}

static void color_avx2(const uint8_t *in, uint8_t *out, size_t pixels, float factor)
{
    const __m256 f = _mm256_set1_ps(factor);
    EACH_EIGHT(in, out, pixels, color_eight, f);
}

INLINE __m256i choose(__m256i mask, __m256i yes, __m256i no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

/* x / by with the rounding of a division, for what is divided here: 1 / by as the sum of two
 * floats takes a third of its time. */
INLINE __m256 divided(__m256 x, double by)
{
    const float most = (float)(1.0 / by), rest = (float)(1.0 / by - (double)most);
    return _mm256_fmadd_ps(x, _mm256_set1_ps(most),
                           _mm256_mul_ps(x, _mm256_set1_ps(rest)));
}

/* The hue byte. One of the two quotients is 1, since one of the channels is the lowest;
 * with it added to the base, which is exact, one rounding to float is left, as in the
 * definition. A hue that is no integer is at least 1/1530 away from one, and those that
 * are one come out right: the test has them all. */
INLINE __m256i hue_byte(__m256i r, __m256i g, __m256i b, __m256i high, __m256i low)
{
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i is_r = _mm256_cmpeq_epi32(r, high),
                  is_g = _mm256_cmpeq_epi32(g, high);
    const __m256i plus = choose(is_r, b, choose(is_g, r, g));
    const __m256i minus = choose(is_r, g, choose(is_g, b, r));
    const __m256i base = _mm256_andnot_si256(
        is_r, choose(is_g, _mm256_set1_epi32(2), _mm256_set1_epi32(4)));
    const __m256i less =
        _mm256_cmpeq_epi32(minus, low); /* the quotient 1 is taken off */
    const __m256i other = _mm256_sub_epi32(high, choose(less, plus, minus));
    const __m256i span = _mm256_sub_epi32(high, low);
    const __m256 part = _mm256_div_ps(_mm256_cvtepi32_ps(other),
                                      _mm256_cvtepi32_ps(_mm256_max_epi32(span, one)));
    const __m256 sign = _mm256_castsi256_ps(
        _mm256_andnot_si256(less, _mm256_set1_epi32((int)0x80000000)));
    const __m256 whole =
        _mm256_cvtepi32_ps(_mm256_add_epi32(base, _mm256_or_si256(less, one)));
    const __m256 h = _mm256_add_ps(whole, _mm256_xor_ps(part, sign));
    const __m256 turn = divided(h, 6.0);
    const __m256 below = _mm256_cmp_ps(turn, _mm256_setzero_ps(), _CMP_LT_OQ);
    const __m256 rest = _mm256_add_ps(turn, _mm256_and_ps(below, _mm256_set1_ps(1.0f)));
    const __m256i byte =
        _mm256_cvttps_epi32(_mm256_mul_ps(rest, _mm256_set1_ps(255.0f)));
    return _mm256_andnot_si256(_mm256_cmpeq_epi32(high, low), byte);
}

/* v * (1 - w), rounded; w is s * f for odd sextants, else s * (1 - f). The definition takes
 * double. With a little less than 1/2 the one rounding of this sum gives its byte for every
 * hue, saturation and value. */
INLINE __m256i shaded(__m256i v, __m256 s, __m256 f, __m256i sextant)
{
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(sextant, 31));
    const __m256 w = _mm256_mul_ps(s, _mm256_blendv_ps(_mm256_sub_ps(one, f), f, odd));
    return _mm256_cvttps_epi32(_mm256_fmadd_ps(
        _mm256_cvtepi32_ps(v), _mm256_sub_ps(one, w), _mm256_set1_ps(0.499993f)));
}

/* v * (255 - s) / 255, rounded; never half way between two bytes, so integers do. */
INLINE __m256i palest(__m256i v, __m256i s)
{
    const __m256i x = _mm256_add_epi32(
        _mm256_mullo_epi16(v, _mm256_sub_epi32(_mm256_set1_epi32(255), s)),
        _mm256_set1_epi32(128));
    return _mm256_srli_epi32(_mm256_add_epi32(x, _mm256_srli_epi32(x, 8)), 8);
}

/* Places of red, green and blue among value (0), shaded (1) and palest (2), a sextant;
 * the sixth is the first again. */
#define PLACES(r, g, b) ((r) | (g) << 8 | (b) << 16)

INLINE __m256i to_rgb(__m256i h, __m256i s, __m256i v)
{
    const __m256 real = divided(_mm256_cvtepi32_ps(h), 255.0 / 6.0);
    const __m256i sextant = _mm256_cvttps_epi32(real);
    const __m256 f = _mm256_sub_ps(real, _mm256_cvtepi32_ps(sextant));
    const __m256 share = divided(_mm256_cvtepi32_ps(s), 255.0);
    const __m256i x = shaded(v, share, f, sextant), p = palest(v, s);
    const __m256i three = _mm256_or_si256(
        v, _mm256_or_si256(_mm256_slli_epi32(x, 8), _mm256_slli_epi32(p, 16)));
    const __m256i places = _mm256_permutevar8x32_epi32(
        _mm256_setr_epi32(PLACES(0, 1, 2), PLACES(1, 0, 2), PLACES(2, 0, 1),
                          PLACES(2, 1, 0), PLACES(1, 2, 0), PLACES(0, 2, 1),
                          PLACES(0, 1, 2), 0),
        sextant);
    const __m256i pixel = _mm256_broadcastsi128_si256(_mm_setr_epi32(
        PLACES(0, 0, 0), PLACES(4, 4, 4), PLACES(8, 8, 8), PLACES(12, 12, 12)));
    return close_gaps(_mm256_shuffle_epi8(three, _mm256_add_epi32(places, pixel)));
}

INLINE __m256i hue_eight(__m256i x, __m256i shift)
{
    const __m256i r = red(x), g = green(x), b = blue(x);
    const __m256i high = _mm256_max_epi32(_mm256_max_epi32(r, g), b);
    const __m256i low = _mm256_min_epi32(_mm256_min_epi32(r, g), b);
    const __m256 span = _mm256_cvtepi32_ps(_mm256_sub_epi32(high, low));
    const __m256 s = _mm256_div_ps(
        span, _mm256_cvtepi32_ps(_mm256_max_epi32(high, _mm256_set1_epi32(1))));
    const __m256i h = _mm256_and_si256(
        _mm256_add_epi32(hue_byte(r, g, b, high, low), shift), _mm256_set1_epi32(255));
    return to_rgb(h, _mm256_cvttps_epi32(_mm256_mul_ps(s, _mm256_set1_ps(255.0f))),
                  high);
}

static void hue_avx2(const uint8_t *in, uint8_t *out, size_t pixels, uint8_t shift)
{
    const __m256i turn = _mm256_set1_epi32(shift);
    EACH_EIGHT(in, out, pixels, hue_eight, turn);
}

static void mirror_avx2(const uint8_t *in, uint8_t *out, size_t pixels)
{
    size_t at =
        pixels < 2 ? pixels : 2; /* of the output; loads read beyond the eight */
    mirror(in + (pixels - at) * C, out, at);
    for (; at + EIGHT + 2 <= pixels; at += EIGHT) {
        const __m256i x = load_eight(in + (pixels - at - EIGHT) * C);
        const __m256i turned =
            SHUFFLE(x, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2, Z, Z, Z, Z);
        store_eight(out + at * C, _mm256_permute4x64_epi64(turned, 0x4e));
    }
    mirror(in, out + at * C, pixels - at);
}

/* Pixel `k` of the four in each half, times its weight. */
#define TAP(x, k, weight)                                                              \
    _mm256_mullo_epi32(SHUFFLE(x, 3 * (k), Z, Z, Z, 3 * (k) + 1, Z, Z, Z, 3 * (k) + 2, \
                               Z, Z, Z, Z, Z, Z, Z),                                   \
                       _mm256_set1_epi32(weight))

/* An output pixel of two rows. `taps` is a constant where this is called from. */
INLINE __m256i weighted(const uint8_t *row, const uint8_t *next, const int32_t *weight,
                        size_t taps)
{
    __m256i sum = _mm256_set1_epi32(1 << (DIGITS - 1));
    for (size_t k = 0; k < taps; k += 4) {
        const __m256i x = load_halves(row + k * C, next + k * C);
        sum = _mm256_add_epi32(sum, TAP(x, 0, weight[k]));
        if (k + 1 < taps)
            sum = _mm256_add_epi32(sum, TAP(x, 1, weight[k + 1]));
        if (k + 2 < taps)
            sum = _mm256_add_epi32(sum, TAP(x, 2, weight[k + 2]));
        if (k + 3 < taps)
            sum = _mm256_add_epi32(sum, TAP(x, 3, weight[k + 3]));
    }
    return _mm256_srai_epi32(sum, DIGITS);
}

/* Four output pixels of two rows, from column x on; those beyond the last are the last. */
INLINE __m256i weighted_four(const uint8_t *row, const uint8_t *next,
                             const jsni_windows *w, size_t x, size_t last, size_t taps)
{
    __m256i pixel[4];
    for (size_t i = 0; i < 4; i++) {
        const size_t at = x + i < last ? x + i : last;
        pixel[i] = weighted(row + w->first[at] * C, next + w->first[at] * C,
                            w->weight + at * w->taps, taps);
    }
    return close_gaps(_mm256_packus_epi16(_mm256_packs_epi32(pixel[0], pixel[1]),
                                          _mm256_packs_epi32(pixel[2], pixel[3])));
}

INLINE void across_two(const uint8_t *row, const uint8_t *next, const jsni_windows *w,
                       uint8_t *out, uint8_t *out_next, size_t width, size_t taps)
{
    enum { FOUR = 4 * C };
    for (size_t x = 0; x < width; x += 4) {
        const __m256i x4 = weighted_four(row, next, w, x, width - 1, taps);
        const __m128i low = _mm256_castsi256_si128(x4);
        const __m128i high = _mm256_extracti128_si256(x4, 1);
        if (x + 4 <= width) {
            memcpy(out + x * C, &low, FOUR);
            memcpy(out_next + x * C, &high, FOUR);
        } else {
            memcpy(out + x * C, &low, (width - x) * C);
            memcpy(out_next + x * C, &high, (width - x) * C);
        }
    }
}

/* Two rows at a time, copied to where reading beyond their ends meets zeros. The usual
 * numbers of taps are compiled by themselves. An odd last row is its own partner. */
static void across_avx2(const jsni_across *a)
{
    const jsni_windows *w = a->windows;
    const size_t bytes = a->width * C, padded = bytes + w->taps * C + ROOM;
    uint8_t *row = a->room, *next = a->room + padded;
    memset(a->room, 0, 2 * padded);
    for (size_t y = 0; y < a->rows; y += 2) {
        const size_t partner = y + 1 < a->rows ? y + 1 : y;
        uint8_t *out = a->out + y * a->out_width * C;
        uint8_t *out_next = a->out + partner * a->out_width * C;
        memcpy(row, a->in + y * a->stride, bytes);
        memcpy(next, a->in + partner * a->stride, bytes);
        switch (w->most) {
        case 1:
        case 2:
            across_two(row, next, w, out, out_next, a->out_width, 2);
            break;
        case 3:
            across_two(row, next, w, out, out_next, a->out_width, 3);
            break;
        case 4:
            across_two(row, next, w, out, out_next, a->out_width, 4);
            break;
        default:
            across_two(row, next, w, out, out_next, a->out_width, w->most);
        }
    }
}

static void down_avx2(const uint8_t *in, size_t stride, const int32_t *weight,
                      size_t count, uint8_t *out, size_t bytes)
{
    size_t at = 0;
    for (; at + ROOM <= bytes; at += ROOM) {
        __m256i sum[4];
        for (size_t i = 0; i < 4; i++)
            sum[i] = _mm256_set1_epi32(1 << (DIGITS - 1));
        for (size_t k = 0; k < count; k++) {
            const uint8_t *from = in + k * stride + at;
            const __m256i w = _mm256_set1_epi32(weight[k]);
            for (size_t i = 0; i < 4; i++)
                sum[i] = _mm256_add_epi32(
                    sum[i], _mm256_mullo_epi32(load_bytes(from + i * EIGHT), w));
        }
        for (size_t i = 0; i < 4; i++)
            sum[i] = _mm256_srai_epi32(sum[i], DIGITS);
        _mm256_storeu_si256((__m256i *)(void *)(out + at),
                            to_bytes(sum[0], sum[1], sum[2], sum[3]));
    }
    down(in + at, stride, weight, count, out + at, bytes - at);
}

const jsni_pixelkernel jsni_pixelkernel_avx2 = {
    .name = "avx2",
    .isa = JSNI_ISA_AVX2,
    .ranges = ranges,
    .gray_sum = gray_sum_avx2,
    .blend = blend_avx2,
    .color = color_avx2,
    .sharpen = sharpen,
    .hue = hue_avx2,
    .mirror = mirror_avx2,
    .across = across_avx2,
    .down = down_avx2,
};
