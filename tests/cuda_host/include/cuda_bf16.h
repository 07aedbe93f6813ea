/* cuda_host/include/cuda_bf16.h - stands in for CUDA's header of this name: the type, and
 * rounding to nearest, ties to even; not a number becomes 0x7fff. */
#ifndef JSNI_CUDA_HOST_CUDA_BF16_H
#define JSNI_CUDA_HOST_CUDA_BF16_H

#include <cuda_runtime.h>

struct __nv_bfloat16 {
    uint16_t bits;
};

static inline __nv_bfloat16 __float2bfloat16(float x)
{
    return {host_round_bf16(x)};
}

static inline float __bfloat162float(__nv_bfloat16 x)
{
    return __uint_as_float((unsigned)x.bits << 16);
}

static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x)
{
    return x.bits;
}

#endif /* JSNI_CUDA_HOST_CUDA_BF16_H */
