/* backend/cuda/exact_words.h - the arithmetic of exact_sums.cuh, as C for the device and for
 * tests of the host: the parts of a float, and the value of a sum.
 *
 * A float is 24 bits at one of 254 places. A sum has 9 words of 64 bits, each counting in
 * units 2^32 times those of the word before:
 *
 *     word     0         1         2               8
 *     unit   2^-149    2^-117    2^-85    ...    2^107
 *
 * A float lies in one or two neighbouring words, with fewer than 2^32 units of each, so no
 * word is ever full. What is not finite adds to the last word what no finite floats can, and
 * the sum is NaN.
 */
#ifndef JSNI_BACKEND_CUDA_EXACT_WORDS_H
#define JSNI_BACKEND_CUDA_EXACT_WORDS_H

#include <math.h>
#include <stdint.h>

#include "core/hd.h"

/* A part of an exact sum; and how many parts each has. */
typedef long long jsni_exact_word;
enum { JSNI_EXACT_WORDS = 9 };

/* A launch adds fewer than 2^20 floats to a sum, since places in tensors fit an int. That is
 * less than 2^41 to the last word, and less than 2^63 where none of them is finite. */
#define JSNI_EXACT_NOT_FINITE (1ll << 43)

/* What a float adds to word `first` and to the one behind. */
typedef struct jsni_exact_parts {
    int first;
    jsni_exact_word below, above;
} jsni_exact_parts;

static JSNI_HD inline jsni_exact_parts jsni_exact_split(uint32_t bits)
{
    const int exponent = (int)(bits >> 23 & 255);
    jsni_exact_parts parts = {JSNI_EXACT_WORDS - 2, 0, JSNI_EXACT_NOT_FINITE};
    if (exponent == 255)
        return parts;
    const uint32_t digits = (bits & 0x7fffff) | (exponent ? 1u << 23 : 0);
    const int place = exponent ? exponent - 1 : 0; /* of the last digit, above 2^-149 */
    const uint64_t units = (uint64_t)digits << (place & 31);
    const jsni_exact_word below = (jsni_exact_word)(units & 0xffffffff);
    const jsni_exact_word above = (jsni_exact_word)(units >> 32);
    parts.first = place >> 5;
    parts.below = bits >> 31 ? -below : below;
    parts.above = bits >> 31 ? -above : above;
    return parts;
}

/* Rounded from word to word: within two units in the last place of the sum. */
static JSNI_HD inline double jsni_exact_value(const jsni_exact_word *words)
{
    double value = 0.0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = JSNI_EXACT_WORDS; i-- > 0;)
        value = fma(value, 0x1p32, (double)words[i]);
    value *= 0x1p-149;
    return words[JSNI_EXACT_WORDS - 1] >= JSNI_EXACT_NOT_FINITE / 2 ? nan("") : value;
}

#endif /* JSNI_BACKEND_CUDA_EXACT_WORDS_H */
