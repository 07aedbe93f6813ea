/* backend/cuda/conv_wgmma.cuh - what the kernels on wgmma share (sm_90a): barriers in
 * shared memory, bulk copies, descriptors of operands, and the steps of a product.
 *
 * Operands lie without swizzling as "core matrices": 8 rows of 16 bytes, one behind the
 * other. A descriptor says where the first lies, and how far it is to the next one along
 * the inner dimension (`inner`) and along the rows (`rows`). */
#ifndef JSNI_BACKEND_CUDA_CONV_WGMMA_CUH
#define JSNI_BACKEND_CUDA_CONV_WGMMA_CUH

#include "backend/cuda/conv_device.cuh"

static __device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(barrier)
        : "memory");
}

static __device__ __forceinline__ void barrier_wait(uint32_t barrier, int phase)
{
    asm volatile("{ .reg .pred p;\n W: mbarrier.try_wait.parity.shared::cta.b64 p, "
                 "[%0], %1;\n @!p bra W; }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

/* What ordinary stores wrote to shared memory becomes visible to wgmma and bulk copies. */
static __device__ __forceinline__ void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#if __CUDA_ARCH_FEAT_SM90_ALL
/* One thread: `bytes` (a multiple of 16) that complete one phase of the barrier, which
 * expects one arrival. */
static __device__ __forceinline__ void bulk_load(uint32_t to, const void *from,
                                                 uint32_t bytes, uint32_t barrier)
{
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; "
        "}" ::"r"(barrier),
        "r"(bytes)
        : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void products_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void products_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void products_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
#endif

static __device__ __forceinline__ uint64_t descriptor(uint32_t at, uint32_t inner,
                                                      uint32_t rows)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(inner >> 4) << 16 |
           (uint64_t)(rows >> 4) << 32;
}

#endif /* JSNI_BACKEND_CUDA_CONV_WGMMA_CUH */
