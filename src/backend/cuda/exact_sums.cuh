/* backend/cuda/exact_sums.cuh - sums of floats without rounding, so that the order in which
 * blocks add to them does not matter: no partial sums, no kernel that adds these up.
 * exact_words.h says what a sum is made of.
 *
 * In memory: [views][2 sums][JSNI_EXACT_WORDS][channels], zeros at first.
 */
#ifndef JSNI_BACKEND_CUDA_EXACT_SUMS_CUH
#define JSNI_BACKEND_CUDA_EXACT_SUMS_CUH

#include <cuda_runtime.h>

#include "backend/cuda/exact_words.h"

constexpr int EXACT_WORDS = JSNI_EXACT_WORDS;

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
    const jsni_exact_parts parts = jsni_exact_split(__float_as_uint(value));
    jsni_exact_word *word = sum + parts.first * channels;
    if (parts.below)
        add_word(word, parts.below);
    if (parts.above)
        add_word(word + channels, parts.above);
}

static __device__ __forceinline__ double read_exactly(const jsni_exact_word *sum,
                                                      int channels)
{
    long long words[EXACT_WORDS];
#pragma unroll
    for (int i = 0; i < EXACT_WORDS; i++)
        words[i] = __ldcg(sum + i * channels);
    return jsni_exact_value(words);
}

#endif /* JSNI_BACKEND_CUDA_EXACT_SUMS_CUH */
