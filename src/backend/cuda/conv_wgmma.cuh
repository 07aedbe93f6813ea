/* backend/cuda/conv_wgmma.cuh - what the kernels on wgmma share (sm_90a): the instructions of
 * wgmma_ptx.cuh, and descriptors of operands.
 *
 * Operands lie without swizzling as "core matrices": 8 rows of 16 bytes, one behind the
 * other. A descriptor says where the first lies, and how far it is to the next one along
 * the inner dimension (`inner`) and along the rows (`rows`). */
#ifndef JSNI_BACKEND_CUDA_CONV_WGMMA_CUH
#define JSNI_BACKEND_CUDA_CONV_WGMMA_CUH

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/wgmma_ptx.cuh"

static __device__ __forceinline__ uint64_t descriptor(uint32_t at, uint32_t inner,
                                                      uint32_t rows)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(inner >> 4) << 16 |
           (uint64_t)(rows >> 4) << 32;
}

#endif /* JSNI_BACKEND_CUDA_CONV_WGMMA_CUH */
