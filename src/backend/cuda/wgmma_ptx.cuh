/* backend/cuda/wgmma_ptx.cuh - the instructions of the kernels on wgmma (sm_90a), a function
 * each: barriers in shared memory, bulk copies, products of a warpgroup and what keeps their
 * accumulators in place, shares of the registers. As with cuda_ptx.cuh, tests on the host put
 * functions of their own in its place (tests/cuda_host/host_wgmma.h). */
#ifndef JSNI_BACKEND_CUDA_WGMMA_PTX_CUH
#define JSNI_BACKEND_CUDA_WGMMA_PTX_CUH

#include <cuda_runtime.h>
#include <stdint.h>

constexpr int BUSY = 120; /* blocks that are enough to fill a device */

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

/* Waits for THREADS threads of the block, the consumers say, without the others. */
template <int THREADS> static __device__ __forceinline__ void meet(void)
{
    asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
}

/* An accumulator: the compiler moves no write of it across; a copy and a zero that stay
 * where they are written. */
static __device__ __forceinline__ void pin(float &x)
{
    asm volatile("" : "+f"(x)::"memory");
}

static __device__ __forceinline__ void copy_in_place(float &to, float from)
{
    asm volatile("mov.f32 %0, %1;" : "=f"(to) : "f"(from));
}

static __device__ __forceinline__ void clear_in_place(float &x)
{
    asm volatile("mov.f32 %0, 0f00000000;" : "+f"(x));
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

/* The registers that a thread of this warpgroup has from here on, COUNT of them: fewer than
 * before, or more. */
template <int COUNT> static __device__ __forceinline__ void give_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT> static __device__ __forceinline__ void take_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
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

/* d += a*b: 64 rows, 96 columns, 16 of the inner dimension. a and b are descriptors. */
static __device__ __forceinline__ void multiply96(float (&d)[48], uint64_t a,
                                                  uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n96k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, "
        "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
        "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, "
        "%37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, %48, %49, 1, 1, 1, 0, "
        "0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
          "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
          "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
          "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
          "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
        : "l"(a), "l"(b));
}

/* d = a*b (`more` false) or d + a*b: 64 pixels, 64 output channels, 16 input channels. */
static __device__ __forceinline__ void multiply64(float (&d)[32], uint64_t a,
                                                  uint64_t b, int more)
{
    asm volatile(
        "{ .reg .pred p;\n setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, "
        "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
        "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
          "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
          "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
          "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(more));
}

#endif

#endif /* JSNI_BACKEND_CUDA_WGMMA_PTX_CUH */
