/* nn/dropout.h - which values a dropout keeps: the same on every backend, for any
 * number of threads. */
#ifndef JSNI_NN_DROPOUT_H
#define JSNI_NN_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

/* Whether value `index` = sample * features + feature of one view is kept in training
 * step `step`. It is word `index` of the stream (seed, JSNI_RNG_DROPOUT, step, node,
 * view), compared with rate * 2^32. */
static inline JSNI_HD bool jsni_dropout_keeps(uint64_t seed, uint32_t step,
                                              uint32_t node, uint32_t view,
                                              size_t index, double rate)
{
    jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_DROPOUT, step, node, view);
    rng.counter[0] = (uint32_t)(index / 4);
    const uint32_t skip = (uint32_t)(index % 4);
    uint32_t word = jsni_rng_u32(&rng);
    for (uint32_t i = 0; i < skip; i++)
        word = jsni_rng_u32(&rng);
    return (double)word >= rate * 4294967296.0;
}

#endif /* JSNI_NN_DROPOUT_H */
