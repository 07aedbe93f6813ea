/* backend/cuda/exact_sums.cuh - sums of floats without rounding, so that the order in which
 * blocks add to them does not matter: no partial sums, no kernel that adds these up.
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
 *
 * In memory: [views][2 sums][JSNI_EXACT_WORDS][channels], zeros at first.
 */
#ifndef JSNI_BACKEND_CUDA_EXACT_SUMS_CUH
#define JSNI_BACKEND_CUDA_EXACT_SUMS_CUH

#include <cuda_runtime.h>

#include "backend/cuda/norm_kernels.h"

constexpr int EXACT_WORDS = JSNI_EXACT_WORDS;
/* A launch adds fewer than 2^16 floats to a sum, less than 2^40 to its last word. */
constexpr long long NOT_FINITE = 1ll << 46;

/* Where sum 0 or 1 of a channel begins; its words are `channels` apart. */
static __device__ __forceinline__ jsni_exact_word *
exact_sum(jsni_exact_word *sums, int channels, int view, int sum, int channel)
{
    return sums + (view * 2 + sum) * EXACT_WORDS * channels + channel;
}

static __device__ __forceinline__ void add_word(jsni_exact_word *to, long long value)
{
    (void)atomicAdd((unsigned long long *)to, (unsigned long long)value);
}

static __device__ __forceinline__ void add_exactly(jsni_exact_word *sum, int channels,
                                                   float value)
{
    const uint32_t bits = __float_as_uint(value);
    const int exponent = bits >> 23 & 255;
    if (exponent == 255) {
        add_word(sum + (EXACT_WORDS - 1) * channels, NOT_FINITE);
        return;
    }
    const uint32_t digits = (bits & 0x7fffff) | (exponent ? 1u << 23 : 0);
    const int place = exponent ? exponent - 1 : 0; /* of the last digit, above 2^-149 */
    const unsigned long long units = (unsigned long long)digits << (place & 31);
    const long long below = (long long)(units & 0xffffffff);
    const long long above = (long long)(units >> 32);
    const bool negative = bits >> 31;
    jsni_exact_word *word = sum + (place >> 5) * channels;
    if (below)
        add_word(word, negative ? -below : below);
    if (above)
        add_word(word + channels, negative ? -above : above);
}

static __device__ __forceinline__ double read_exactly(const jsni_exact_word *sum,
                                                      int channels)
{
    long long words[EXACT_WORDS];
#pragma unroll
    for (int i = 0; i < EXACT_WORDS; i++)
        words[i] = __ldcg(sum + i * channels);
    const long long last = words[EXACT_WORDS - 1];
    double value = 0.0;
#pragma unroll
    for (int i = EXACT_WORDS; i-- > 0;)
        value = fma(value, 0x1p32, (double)words[i]);
    value *= 0x1p-149;
    return last >= NOT_FINITE / 2 ? nan("") : value;
}

#endif /* JSNI_BACKEND_CUDA_EXACT_SUMS_CUH */
