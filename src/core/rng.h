/* core/rng.h - streams of random numbers keyed by what they are for.
 *
 * A stream is named by (seed, purpose, epoch, sample, view); its draws never depend on
 * threads, batch position, device or resume point. Start one wherever it is needed:
 *
 *     jsni_rng rng = jsni_rng_stream(seed, JSNI_RNG_AUGMENT, epoch, sample, view);
 *     const uint32_t dx = jsni_rng_below(&rng, 9);
 *
 * Host and device: everything here but the shuffle and the normal is marked JSNI_HD
 * and uses integer arithmetic and exact conversions only, so both give the same bits.
 */
#ifndef JSNI_CORE_RNG_H
#define JSNI_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "core/philox.h"

/* One number a purpose; appending is safe, renumbering changes every result. */
typedef enum jsni_rng_purpose {
    JSNI_RNG_ORDER = 1,       /* data order of an epoch */
    JSNI_RNG_NOISE = 2,       /* label noise */
    JSNI_RNG_AUGMENT = 3,     /* augmentation of a sample's view */
    JSNI_RNG_INIT = 4,        /* initial weights; sample = parameter number */
    JSNI_RNG_SPLIT = 5,       /* train/validation split */
    JSNI_RNG_SYNTHETIC = 6,   /* built-in data */
    JSNI_RNG_DROPOUT = 7,     /* epoch = step, sample = node, view = view */
    JSNI_RNG_CONSISTENCY = 8, /* augmented copy for the consistency metric */
    JSNI_RNG_SWEEP = 9,       /* random search */
    JSNI_RNG_TEST = 10,       /* tests and benchmarks */
    JSNI_RNG_AUDIT = 11,      /* labels to look at; sample = decisions so far */
    JSNI_RNG_METHOD = 12,     /* what a method remembers of a sample at first */
    JSNI_RNG_MIXUP = 13       /* share and partners of a batch; sample = its number */
} jsni_rng_purpose;

typedef struct jsni_rng {
    uint32_t key[2];
    uint32_t counter[4]; /* [0] is the number of the next block */
    jsni_philox_block block;
    uint32_t used; /* words of `block` handed out */
} jsni_rng;

/* `purpose` and `view` below 2^16. */
static inline JSNI_HD jsni_rng jsni_rng_stream(uint64_t seed, uint32_t purpose,
                                               uint32_t epoch, uint32_t sample,
                                               uint32_t view)
{
    jsni_rng rng;
    rng.key[0] = (uint32_t)seed;
    rng.key[1] = (uint32_t)(seed >> 32);
    rng.counter[0] = 0;
    rng.counter[1] = sample;
    rng.counter[2] = epoch;
    rng.counter[3] = purpose << 16 | view;
    rng.block.word[0] = rng.block.word[1] = rng.block.word[2] = rng.block.word[3] = 0;
    rng.used = 4;
    return rng;
}

static inline JSNI_HD uint32_t jsni_rng_u32(jsni_rng *rng)
{
    if (rng->used == 4) {
        jsni_philox_block counter;
        for (int i = 0; i < 4; i++)
            counter.word[i] = rng->counter[i];
        rng->block = jsni_philox(counter, rng->key[0], rng->key[1]);
        rng->counter[0]++;
        rng->used = 0;
    }
    return rng->block.word[rng->used++];
}

static inline JSNI_HD uint64_t jsni_rng_u64(jsni_rng *rng)
{
    const uint64_t high = jsni_rng_u32(rng);
    return high << 32 | jsni_rng_u32(rng);
}

/* Uniform on [0, 1), a multiple of 2^-53. */
static inline JSNI_HD double jsni_rng_uniform(jsni_rng *rng)
{
    return (double)(jsni_rng_u64(rng) >> 11) * (1.0 / 9007199254740992.0);
}

/* Uniform on 0 .. n-1 without bias, n >= 1 (Lemire's multiplication with rejection). */
static inline JSNI_HD uint32_t jsni_rng_below(jsni_rng *rng, uint32_t n)
{
    uint64_t product = (uint64_t)jsni_rng_u32(rng) * n;
    if ((uint32_t)product < n) {
        const uint32_t threshold = (0u - n) % n;
        while ((uint32_t)product < threshold)
            product = (uint64_t)jsni_rng_u32(rng) * n;
    }
    return (uint32_t)(product >> 32);
}

/* Host only: standard normal (Box-Muller, two uniforms a draw, no hidden state). */
double jsni_rng_normal(jsni_rng *rng);

/* Host only: Fisher-Yates. */
void jsni_rng_shuffle(jsni_rng *rng, uint32_t *items, size_t count);

#endif /* JSNI_CORE_RNG_H */
