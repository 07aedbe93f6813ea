/* backend/cuda/conv_device.cuh - the small device pieces that the convolution kernels
 * share: asynchronous copies, matrix fragments, bf16 pairs, the BatchNorm transforms
 * applied while a tile is loaded, and the early start of a dependent kernel. */
#ifndef JSNI_BACKEND_CUDA_CONV_DEVICE_CUH
#define JSNI_BACKEND_CUDA_CONV_DEVICE_CUH

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;

/* Programmatic dependent launch: the next kernel may start its set-up while this one
 * ends. Whatever an earlier kernel wrote is touched only behind launch_wait(). */
static __device__ __forceinline__ void launch_next(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static __device__ __forceinline__ void launch_wait(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void copy16(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                 : "memory");
}

/* 16 bytes, or zeros where `in` is false; then nothing is read. Kept in L1, too: the taps
 * of a window read the same pixels again. */
static __device__ __forceinline__ void copy16_if(uint32_t to, const void *from, bool in)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(in ? 16 : 0)
                 : "memory");
}

static __device__ __forceinline__ void copy_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> static __device__ __forceinline__ void copy_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* Four 8x8 matrices of bf16 from shared memory, as they lie and transposed. */
static __device__ __forceinline__ void load_matrix(uint32_t (&r)[4], uint32_t a)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a)
                 : "memory");
}

static __device__ __forceinline__ void load_matrix_t(uint32_t (&r)[4], uint32_t a)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a)
                 : "memory");
}

static __device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4],
                                                uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* The two bf16 of a word, as float; two floats rounded into a word; with ReLU. */
static __device__ __forceinline__ float low(uint32_t u)
{
    return __uint_as_float(u << 16);
}

static __device__ __forceinline__ float high(uint32_t u)
{
    return __uint_as_float(u & 0xffff0000u);
}

static __device__ __forceinline__ uint32_t pack(float l, float h)
{
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(h), "f"(l));
    return r;
}

static __device__ __forceinline__ uint32_t pack_relu(float l, float h)
{
    uint32_t r;
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(h), "f"(l));
    return r;
}

static __device__ __forceinline__ uint4 load_shared16(uint32_t a)
{
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(a)
                 : "memory");
    return v;
}

static __device__ __forceinline__ void store_shared16(uint32_t a, uint4 v)
{
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
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
