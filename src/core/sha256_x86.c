/* core/sha256_x86.c - SHA-256 by the instructions that x86 has for it, six times as fast; see
 * core/sha256.h. Compiled everywhere; other machines never call it. */
#include "core/sha256.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#define SHA __attribute__((target("sha,sse4.1,ssse3")))

/* The state as the instructions want it: a, b, e, f and c, d, g, h, highest first. */
typedef struct halves {
    __m128i abef, cdgh;
} halves;

SHA static halves load_state(const uint32_t state[8])
{
    const __m128i abcd = _mm_loadu_si128((const __m128i *)(const void *)state);
    const __m128i efgh = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1b);
    return (halves){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

SHA static void store_state(halves h, uint32_t state[8])
{
    const __m128i feba = _mm_shuffle_epi32(h.abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(h.cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Four rounds, from the four words that they take. */
SHA static inline halves four_rounds(halves h, __m128i words, size_t round)
{
    const __m128i k =
        _mm_loadu_si128((const __m128i *)(const void *)(jsni_sha256_constants + round));
    const __m128i sum = _mm_add_epi32(words, k);
    h.cdgh = _mm_sha256rnds2_epu32(h.cdgh, h.abef, sum);
    h.abef = _mm_sha256rnds2_epu32(h.abef, h.cdgh, _mm_shuffle_epi32(sum, 0x0e));
    return h;
}

/* The four words behind w[0] ... w[3], four each. */
SHA static inline __m128i next_words(const __m128i w[4])
{
    const __m128i part =
        _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));
    return _mm_sha256msg2_epu32(part, w[3]);
}

SHA static halves take_block(halves h, const uint8_t *block)
{
    const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const halves before = h;
    __m128i w[4];
    for (size_t i = 0; i < 4; i++) {
        const void *at = block + 16 * i;
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at), turn);
    }
    for (size_t round = 0; round < 48; round += 16)
        for (size_t i = 0; i < 4; i++) {
            const __m128i in_order[4] = {w[i], w[(i + 1) % 4], w[(i + 2) % 4],
                                         w[(i + 3) % 4]};
            h = four_rounds(h, w[i], round + 4 * i);
            w[i] = next_words(in_order);
        }
    for (size_t i = 0; i < 4; i++)
        h = four_rounds(h, w[i], 48 + 4 * i);
    h.abef = _mm_add_epi32(h.abef, before.abef);
    h.cdgh = _mm_add_epi32(h.cdgh, before.cdgh);
    return h;
}

SHA void jsni_sha256_x86(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    halves h = load_state(state);
    for (size_t i = 0; i < count; i++)
        h = take_block(h, blocks + 64 * i);
    store_state(h, state);
}

#else

void jsni_sha256_x86(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    jsni_sha256_plain(state, blocks, count);
}

#endif
