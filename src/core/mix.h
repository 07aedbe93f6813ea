/* core/mix.h - the mixture of two numbers, rounded in the same way by host and
 * device. */
#ifndef JSNI_CORE_MIX_H
#define JSNI_CORE_MIX_H

#include "core/hd.h"

/* In a walk along the cycles of a permutation: the cycle ends here. */
#define JSNI_MIXUP_LAST 0x80000000u

/* share a + (1 - share) b. */
static inline JSNI_HD float jsni_mix(float a, float b, float share)
{
#ifdef __CUDA_ARCH__
    return __fadd_rn(b, __fmul_rn(share, __fsub_rn(a, b))); /* never fused */
#else
    return b + share * (a - b);
#endif
}

#endif /* JSNI_CORE_MIX_H */
