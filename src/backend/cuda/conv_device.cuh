/* backend/cuda/conv_device.cuh - the small device pieces that the convolution kernels
 * share: the instructions of cuda_ptx.cuh, bf16 pairs, and the BatchNorm transforms applied
 * while a tile is loaded. */
#ifndef JSNI_BACKEND_CUDA_CONV_DEVICE_CUH
#define JSNI_BACKEND_CUDA_CONV_DEVICE_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "backend/cuda/cuda_ptx.cuh"

typedef __nv_bfloat16 bf16;

/* A product by mma.sync in bf16: MMA_M x MMA_N results over MMA_K of the inner dimension.
 * Lane l has four of them:
 *
 *                           column 2 * (l % 4)   and the next
 *     row l / 4                   [0]                [1]
 *     row l / 4 + MMA_M / 2       [2]                [3]
 */
constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;

static __device__ __forceinline__ int result_row(int lane)
{
    return lane >> 2;
}

static __device__ __forceinline__ int result_column(int lane)
{
    return (lane & 3) * 2;
}

/* The two bf16 of a word, as float. */
static __device__ __forceinline__ float low(uint32_t u)
{
    return __uint_as_float(u << 16);
}

static __device__ __forceinline__ float high(uint32_t u)
{
    return __uint_as_float(u & 0xffff0000u);
}

/* Byte offset of 16-byte chunk `chunk` inside padded pixel `px`, exchanged so that the
 * same chunk of 8 neighbouring pixels lies in 8 different groups of banks. */
template <int WIDTH>
static __device__ __forceinline__ uint32_t swizzle(int px, int chunk)
{
    return (uint32_t)(WIDTH == 32 ? (chunk ^ ((px >> 1) & 3)) : (chunk ^ (px & 7))) *
           16;
}

/* relu(a*x+b) on 8 channels; a and b point at the coefficients of the first. */
static __device__ __forceinline__ uint4 norm_relu8(uint4 v, const float *a,
                                                   const float *b)
{
    const float4 a0 = *(const float4 *)a, a1 = *(const float4 *)(a + 4);
    const float4 b0 = *(const float4 *)b, b1 = *(const float4 *)(b + 4);
    v.x = pack_relu(fmaf(a0.x, low(v.x), b0.x), fmaf(a0.y, high(v.x), b0.y));
    v.y = pack_relu(fmaf(a0.z, low(v.y), b0.z), fmaf(a0.w, high(v.y), b0.w));
    v.z = pack_relu(fmaf(a1.x, low(v.z), b1.x), fmaf(a1.y, high(v.z), b1.y));
    v.w = pack_relu(fmaf(a1.z, low(v.w), b1.z), fmaf(a1.w, high(v.w), b1.w));
    return v;
}

/* a*g + b*x + d (+ s) on 8 channels: BatchNorm backward with its sums folded into the
 * coefficients, and the gradient s of a skip connection. */
template <bool SKIP>
static __device__ __forceinline__ uint4 norm_back8(uint4 g, uint4 x, uint4 s,
                                                   const float *a, const float *b,
                                                   const float *d)
{
    uint32_t *p = (uint32_t *)&g;
    const uint32_t *q = (const uint32_t *)&x, *k = (const uint32_t *)&s;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 fa = ((const float2 *)a)[i], fb = ((const float2 *)b)[i];
        const float2 fd = ((const float2 *)d)[i];
        float v0 = fmaf(fa.x, low(p[i]), fmaf(fb.x, low(q[i]), fd.x));
        float v1 = fmaf(fa.y, high(p[i]), fmaf(fb.y, high(q[i]), fd.y));
        if (SKIP) {
            v0 += low(k[i]);
            v1 += high(k[i]);
        }
        p[i] = pack(v0, v1);
    }
    return g;
}

#endif /* JSNI_BACKEND_CUDA_CONV_DEVICE_CUH */
