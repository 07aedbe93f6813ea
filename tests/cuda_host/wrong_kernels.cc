/* cuda_host/wrong_kernels.cc - see wrong_kernels.h. */
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "cuda_host/wrong_kernels.h"

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"

constexpr int BLOCK = 256;

/* Puts a thread's float into shared memory, by itself or by a copy. */
static __device__ void bring(float *shared, const float *from, wrong_way way)
{
    const int tid = threadIdx.x;
    const bool copies = way >= COPY_NOT_AWAITED && way <= COPY_TOO_EARLY;
    if (!copies) {
        if (way != NOT_WRITTEN || tid != 7)
            shared[tid] = from[tid + (way == ONE_BEHIND ? 1 : 0)];
    } else if (tid < BLOCK / 4) {
        copy16(shared_address(shared + 4 * tid), from + 4 * tid);
    }
    copy_commit();
    if (way != COPY_NOT_AWAITED)
        copy_wait<0>();
}

static __global__ void __launch_bounds__(BLOCK)
    reverse(const float *from, float *to, wrong_way way)
{
    extern __shared__ __align__(16) float shared[];
    __shared__ float fixed[BLOCK], both;
    const int tid = threadIdx.x, place = way == SAME_PLACE ? 0 : blockIdx.x * BLOCK;
    if (way != NO_WAIT)
        launch_wait();
    if (tid < 2 && (way == BOTH_WRITE || way == BOTH_WRITE_SAME))
        both = way == BOTH_WRITE ? (float)tid : 1.0f;
    bring(shared, from + blockIdx.x * BLOCK, way);
    if (way == SHARED_BEHIND && tid == 3)
        shared[BLOCK] = 0.0f;
    if (way == HALF_A_WARP && tid % 32 < 16)
        shared[tid] += __shfl_xor_sync(~0u, 0.0f, 1);
    if (way != NO_BARRIER && way != COPY_NO_BARRIER &&
        !(way == BARRIER_BY_HALF && tid >= BLOCK / 2))
        __syncthreads();
    fixed[tid] =
        shared[BLOCK - 1 - tid] + (way == BOTH_WRITE_SAME ? both - 1.0f : 0.0f);
    if (way == COPY_TOO_EARLY)
        copy16(shared_address(shared + tid % 64 * 4), from);
    if (way == MISALIGNED && tid % 4 == 1)
        *(float4 *)&to[place + tid] = *(const float4 *)&from[place + tid];
    to[place + tid - (way == ONE_BEFORE ? 1 : 0)] = fixed[tid];
}

cudaError_t wrong_reverse(const float *from, float *to, int blocks, wrong_way way)
{
    return jsni_launch(reverse, blocks, BLOCK, BLOCK * 4, 1, nullptr, from, to, way);
}

static __global__ void count(unsigned *counters, bool atomic)
{
    __shared__ unsigned own[64];
    launch_wait();
    if (threadIdx.x < 64)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (atomic)
        atomicAdd(&own[threadIdx.x % 64], 1u);
    else
        own[threadIdx.x % 64]++;
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&counters[threadIdx.x], own[threadIdx.x]);
}

cudaError_t wrong_count(unsigned *counters, int blocks, bool atomic)
{
    return jsni_launch(count, blocks, BLOCK, 0, 1, nullptr, counters, atomic);
}

static __global__ void sum(const float *x, float *y)
{
    launch_wait();
    float s = x[threadIdx.x];
    for (int apart = 16; apart > 0; apart /= 2)
        s += __shfl_xor_sync(~0u, s, apart);
    y[threadIdx.x] = s + __shfl_up_sync(~0u, x[threadIdx.x], 1);
}

cudaError_t wrong_sum(const float *x, float *y)
{
    return jsni_launch(sum, 1, 32, 0, 1, nullptr, x, y);
}

/* c[16][8] = a[16][16] b[8][16]^T, by ldmatrix of a and of b; transposed: a is [k][m]. */
static __global__ void product(const bf16 *a, const bf16 *b, float *c, bool transposed)
{
    __shared__ __align__(16) bf16 at[16][16], bt[16][16];
    const int lane = threadIdx.x, row = lane % 16, half = lane / 16 * 8;
    launch_wait();
    copy16(shared_address(&at[row][half]), a + row * 16 + half);
    copy16_if(shared_address(&bt[row][half]), b + row * 16 + half, row < 8);
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    uint32_t fa[4], fb[4];
    float sums[4] = {};
    if (transposed) { /* matrices 1 and 2 change places */
        load_matrix_t(fa,
                      shared_address(&at[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]));
    } else {
        load_matrix(fa, shared_address(&at[row][half]));
    }
    load_matrix(fb, shared_address(&bt[row][half]));
    multiply(sums, fa, fb[0], fb[2]);
    for (int i = 0; i < 4; i++)
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
}

cudaError_t wrong_product(const void *a, const void *b, float *c, bool transposed)
{
    return jsni_launch(product, 1, 32, 0, 1, nullptr, (const bf16 *)a, (const bf16 *)b,
                       c, transposed);
}
