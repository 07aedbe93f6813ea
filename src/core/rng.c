/* core/rng.c - see core/rng.h. */
#include "core/rng.h"

#include <math.h>

double jsni_rng_normal(jsni_rng *rng)
{
    /* 1 - u lies in (0, 1], so the logarithm is finite. */
    const double radius = sqrt(-2.0 * log1p(-jsni_rng_uniform(rng)));
    const double pi = 3.14159265358979323846;
    return radius * cos(2.0 * pi * jsni_rng_uniform(rng));
}

void jsni_rng_shuffle(jsni_rng *rng, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const uint32_t j = jsni_rng_below(rng, (uint32_t)i);
        const uint32_t held = items[i - 1];
        items[i - 1] = items[j];
        items[j] = held;
    }
}
