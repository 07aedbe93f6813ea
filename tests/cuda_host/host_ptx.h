/* cuda_host/host_ptx.h - the functions of src/backend/cuda/cuda_ptx.cuh for the machine of
 * host_machine.h. It has that header's guard, and is included before it. */
#ifndef JSNI_BACKEND_CUDA_CUDA_PTX_CUH
#define JSNI_BACKEND_CUDA_CUDA_PTX_CUH

#include "cuda_host/host_machine.h"

static inline void launch_next(void)
{
}

static inline void launch_wait(void)
{
    host_waited();
}

static inline uint32_t shared_address(const void *p)
{
    return (uint32_t)host_shared_number(p);
}

static inline void copy16(uint32_t to, const void *from)
{
    host_copy(to, from, 16);
}

static inline void copy16_if(uint32_t to, const void *from, bool in)
{
    host_copy(to, in ? from : NULL, 16);
}

template <int BYTES> static inline void copy_bytes(uint32_t to, const void *from)
{
    host_copy(to, from, BYTES);
}

static inline void copy_commit(void)
{
    host_copy_commit();
}

template <int N> static inline void copy_wait(void)
{
    host_copy_wait(N);
}

static inline void load_matrix(uint32_t (&r)[4], uint32_t a)
{
    host_load_matrix(r, a, false);
}

static inline void load_matrix_t(uint32_t (&r)[4], uint32_t a)
{
    host_load_matrix(r, a, true);
}

static inline void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                            uint32_t b1)
{
    host_multiply_bf16(c, a, b0, b1);
}

static inline uint32_t round_tf32(float x)
{
    const uint32_t bits = __float_as_uint(x);
    return x - x == 0.0f ? (bits + 0x1000u) & ~0x1fffu : bits;
}

static inline void multiply_tf32(float (&c)[4], const uint32_t (&a)[4],
                                 const uint32_t (&b)[2])
{
    host_multiply_tf32(c, a, b[0], b[1]);
}

static inline uint32_t pack(float l, float h)
{
    return (uint32_t)host_round_bf16(h) << 16 | host_round_bf16(l);
}

static inline uint32_t pack_relu(float l, float h)
{
    return pack(l < 0.0f ? 0.0f : l, h < 0.0f ? 0.0f : h);
}

static inline uint4 load_shared16(uint32_t a)
{
    uint4 v;
    host_shared_load(a, &v, sizeof v);
    return v;
}

static inline void load_shared8(uint32_t &x, uint32_t &y, uint32_t a)
{
    uint2 v;
    host_shared_load(a, &v, sizeof v);
    x = v.x;
    y = v.y;
}

static inline void load_shared4(uint32_t &x, uint32_t a)
{
    host_shared_load(a, &x, sizeof x);
}

static inline void store_shared16(uint32_t a, uint4 v)
{
    host_shared_store(a, &v, sizeof v);
}

#endif /* JSNI_BACKEND_CUDA_CUDA_PTX_CUH */
