/* backend/cuda/cuda_ptx.cuh - the instructions that CUDA C++ has no words for, a function
 * each: the early start of a dependent kernel, asynchronous copies, matrix fragments and
 * products, rounding of pairs. Nothing else is in here, so that tests on the host can put
 * functions of their own in its place (tests/cuda_host/host_ptx.h). The kernels for compute
 * capability 9.0 alone have theirs in wgmma_ptx.cuh. */
#ifndef JSNI_BACKEND_CUDA_CUDA_PTX_CUH
#define JSNI_BACKEND_CUDA_CUDA_PTX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

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

/* BYTES: 4, 8 or 16. */
template <int BYTES>
static __device__ __forceinline__ void copy_bytes(uint32_t to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from),
                 "n"(BYTES)
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

static __device__ __forceinline__ uint32_t round_tf32(float x)
{
    uint32_t r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

static __device__ __forceinline__ void
multiply_tf32(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Two floats rounded into a word; with ReLU. */
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

static __device__ __forceinline__ void load_shared8(uint32_t &x, uint32_t &y,
                                                    uint32_t a)
{
    asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];"
                 : "=r"(x), "=r"(y)
                 : "r"(a)
                 : "memory");
}

static __device__ __forceinline__ void load_shared4(uint32_t &x, uint32_t a)
{
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(a) : "memory");
}

static __device__ __forceinline__ void store_shared16(uint32_t a, uint4 v)
{
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}

#endif /* JSNI_BACKEND_CUDA_CUDA_PTX_CUH */
