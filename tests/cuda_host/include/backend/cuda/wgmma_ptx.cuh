/* cuda_host/include/backend/cuda/wgmma_ptx.cuh - stands in for the header of this name in
 * src/: the instructions of compute capability 9.0 for the machine of host_machine.h. */
#ifndef JSNI_CUDA_HOST_WGMMA_PTX_CUH
#define JSNI_CUDA_HOST_WGMMA_PTX_CUH

#include <cuda_runtime.h>

/* Few, so that a few images make the kernels take two or four of them a block. */
constexpr int BUSY = 4;

static inline void barrier_init(uint32_t barrier, int arrivals)
{
    host_mbarrier_init(barrier, (unsigned)arrivals);
}

static inline void barrier_arrive(uint32_t barrier)
{
    host_mbarrier_arrive(barrier);
}

static inline void barrier_wait(uint32_t barrier, int phase)
{
    host_mbarrier_wait(barrier, (unsigned)phase);
}

static inline void fence_async(void)
{
    host_fence_async();
}

template <int THREADS> static inline void meet(void)
{
    host_named_barrier(THREADS);
}

static inline void pin(float &)
{
}

static inline void copy_in_place(float &to, float from)
{
    to = from;
}

static inline void clear_in_place(float &x)
{
    x = 0.0f;
}

static inline void bulk_load(uint32_t to, const void *from, uint32_t bytes,
                             uint32_t barrier)
{
    host_bulk_load(to, from, bytes, barrier);
}

template <int COUNT> static inline void give_registers(void)
{
    host_registers(COUNT, false);
}

template <int COUNT> static inline void take_registers(void)
{
    host_registers(COUNT, true);
}

static inline void products_begin(void)
{
    host_products_begin();
}

static inline void products_commit(void)
{
    host_products_commit();
}

static inline void products_wait(void)
{
    host_products_wait();
}

static inline void multiply96(float (&d)[48], uint64_t a, uint64_t b)
{
    host_multiply_group(d, 96, a, b, true);
}

static inline void multiply64(float (&d)[32], uint64_t a, uint64_t b, int more)
{
    host_multiply_group(d, 64, a, b, more != 0);
}

#endif /* JSNI_CUDA_HOST_WGMMA_PTX_CUH */
