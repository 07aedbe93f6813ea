/* cuda_host/wrong_async.cc - see wrong_async.h. */
#include "cuda_host/wrong_async.h"

#include <cooperative_groups.h>

#include "backend/cuda/conv_wgmma.cuh"
#include "backend/cuda/cuda_launch.cuh"

namespace cg = cooperative_groups;

constexpr int GROUP = 128, CHUNK = 16, RING = 2;
constexpr int THREADS = 3 * GROUP; /* the last ones only give registers */
constexpr int SLAB = ASYNC_TILE * CHUNK,
              MATRIX = 2 * SLAB; /* [2 chunks][64][16 bytes] */
constexpr int AT_RING = MATRIX, AT_BARRIERS = AT_RING + RING * MATRIX;
constexpr int BARRIERS = 2 * RING + 1, BYTES = AT_BARRIERS + BARRIERS * 8;

struct async_block {
    uint32_t b, ring, barriers;
    async_way way;
    uint32_t slot(int round) const
    {
        return ring + round % RING * MATRIX;
    }
    uint32_t full(int round) const
    {
        return barriers + round % RING * 8;
    }
    uint32_t empty(int round) const
    {
        return full(round) + RING * 8;
    }
    uint32_t loaded() const
    {
        return barriers + 2 * RING * 8;
    }
};

static __device__ void prepare(const async_block &k, const void *b)
{
    if (threadIdx.x != 0)
        return;
    for (int i = 0; i < RING; i++) {
        barrier_init(k.full(i), GROUP / 32);
        barrier_init(k.empty(i), GROUP / 32);
    }
    barrier_init(k.loaded(), 1);
    if (k.way != BULK_NO_FENCE)
        fence_async();
    bulk_load(k.b, (const char *)b + (k.way == BULK_BEHIND ? CHUNK : 0), MATRIX,
              k.loaded());
}

static __device__ void produce(const async_block &k, const void *a)
{
    const int i = threadIdx.x % GROUP, row = i / 2, chunk = i % 2;
    give_registers<96>();
    for (int round = 0; round < ASYNC_ROUNDS; round++) {
        if (round >= RING && k.way != NO_EMPTY_WAIT)
            barrier_wait(k.empty(round), (round / RING - 1) & 1);
        const uint4 v = ((const uint4 *)a)[(round * ASYNC_TILE + row) * 2 + chunk];
        store_shared16(k.slot(round) + chunk * SLAB + row * CHUNK, v);
        if (k.way == OVERWRITTEN && i == 0 && round == 1)
            store_shared16(k.barriers, v);
        if (k.way != NO_FENCE && k.way != LATE_FENCE)
            fence_async();
        __syncwarp();
        if (i % 32 == 0 && !(k.way == NO_ARRIVAL && i == 96))
            barrier_arrive(k.full(round));
        if (k.way == LATE_FENCE)
            fence_async();
    }
}

static __device__ uint64_t describe(const async_block &k, int round)
{
    const int slot = k.way == OTHER_SLOT && threadIdx.x / 32 == 2 ? 0 : round;
    const uint64_t d = descriptor(k.slot(slot) + (k.way == WRONG_START ? CHUNK : 0),
                                  k.way == WRONG_OFFSET ? 2 * SLAB : SLAB, 8 * CHUNK);
    return k.way == SWIZZLED ? d | 1ull << 62 : d;
}

static __device__ void consume(const async_block &k, float *c)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float d[32];
    take_registers<256>();
    if (k.way != NO_BULK_WAIT)
        barrier_wait(k.loaded(), 0);
    for (int round = 0; round < ASYNC_ROUNDS; round++) {
        if (k.way != NO_FULL_WAIT)
            barrier_wait(k.full(round),
                         (round / RING & 1) ^ (k.way == WRONG_PHASE ? 1 : 0));
        if (k.way != NO_BEGIN)
            products_begin();
        multiply64(d, describe(k, round), descriptor(k.b, SLAB, 8 * CHUNK), round > 0);
        if (k.way != NO_COMMIT)
            products_commit();
        if (k.way == EARLY_RELEASE && lane == 0)
            barrier_arrive(k.empty(round));
        if (k.way == EARLY_READ && d[lane] == 1.0f)
            c[0] = 0.0f;
        if (k.way == EARLY_WRITE)
            d[lane] = 0.0f;
        if (k.way != NO_PRODUCTS_WAIT)
            products_wait();
        if (k.way != EARLY_RELEASE && lane == 0)
            barrier_arrive(k.empty(round));
    }
    for (int i = 0; i < 32; i++)
        c[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * ASYNC_TILE + i / 4 * 8 +
          lane % 4 * 2 + i % 2] = d[i];
}

static __global__ void __launch_bounds__(THREADS)
    multiply_async(const void *a, const void *b, float *c, async_way way)
{
    extern __shared__ __align__(128) char shared[];
    const uint32_t at = shared_address(shared);
    const async_block k = {at, at + AT_RING, at + AT_BARRIERS, way};
    prepare(k, b);
    launch_wait();
    if (way != NO_BLOCK_BARRIER)
        __syncthreads();
    if (threadIdx.x < GROUP)
        consume(k, c);
    else if (threadIdx.x < 2 * GROUP)
        produce(k, a);
    else if (way != TOO_MANY_REGISTERS)
        give_registers<96>();
}

cudaError_t wrong_async(const void *a, const void *b, float *c, async_way way)
{
    return jsni_launch(multiply_async, 1, THREADS, BYTES, 1, nullptr, a, b, c, way);
}

/* ---- clusters ---- */

constexpr int CLUSTER_THREADS = 64;

static __global__ void add_cluster(const float *x, float *y, cluster_way way)
{
    __shared__ float mine[CLUSTER_THREADS];
    const int tid = threadIdx.x, i = blockIdx.x * CLUSTER_THREADS + tid;
    cg::cluster_group cluster = cg::this_cluster();
    launch_wait();
    mine[tid] = x[i];
    if (way == BLOCK_SYNC)
        __syncthreads();
    else if (way != NO_FIRST_SYNC)
        cluster.sync();
    float sum = 0.0f;
    for (int rank = 0; rank < 2; rank++)
        sum +=
            cluster.map_shared_rank(mine, way == NO_SUCH_RANK && rank ? 2 : rank)[tid];
    y[i] = sum;
    if (way == WRITES_ON)
        mine[tid] = sum;
    if (way == ONE_LEAVES && cluster.block_rank() == 0 && tid >= 32)
        return;
    if (way != NO_LAST_SYNC)
        cluster.sync();
}

cudaError_t wrong_cluster(const float *x, float *y, int clusters, cluster_way way)
{
    return jsni_launch(add_cluster, clusters * 2, CLUSTER_THREADS, 0, 2, nullptr, x, y,
                       way);
}
