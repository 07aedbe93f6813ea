/* cuda_host/wrong_async.h - small kernels of what compute capability 9.0 has, right and wrong,
 * for the machine's own test. */
#ifndef JSNI_CUDA_HOST_WRONG_ASYNC_H
#define JSNI_CUDA_HOST_WRONG_ASYNC_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASYNC_ROUNDS = 6, ASYNC_TILE = 64, ASYNC_DEPTH = 16 };

/* c[64][64] = the sum over rounds of a[round][64][16] b[64][16]^T: four warps bring a through
 * a ring in shared memory, four multiply. What is wrong, if anything: */
typedef enum async_way {
    ASYNC_RIGHT,
    NO_FULL_WAIT,  /* multiplies what is not there yet */
    NO_EMPTY_WAIT, /* overwrites what is multiplied */
    WRONG_PHASE,   /* waits for the phase before */
    NO_FENCE,      /* between stores and products */
    LATE_FENCE,    /* behind the arrival */
    WRONG_OFFSET,  /* of a descriptor: to the next 8 of the inner dimension */
    WRONG_START,   /* of a descriptor: a row further */
    SWIZZLED,      /* a descriptor that says so */
    NO_BEGIN,      /* no wgmma.fence */
    NO_COMMIT,     /* before wait_group */
    NO_PRODUCTS_WAIT,
    EARLY_RELEASE,    /* of a slot, before wait_group */
    EARLY_READ,       /* of accumulators */
    EARLY_WRITE,      /* of accumulators */
    NO_ARRIVAL,       /* of one warp */
    OTHER_SLOT,       /* one warp multiplies another slot */
    NO_BULK_WAIT,     /* for b */
    BULK_NO_FENCE,    /* for the barrier of the copy of b */
    BULK_BEHIND,      /* the copy reads behind b */
    NO_BLOCK_BARRIER, /* barriers are used before they are made */
    OVERWRITTEN,      /* a barrier, by data */
    TOO_MANY_REGISTERS
} async_way;
cudaError_t wrong_async(const void *a, const void *b, float *c, async_way way);

/* y[i] of two blocks of a cluster: the sum of x of both. What is wrong, if anything: */
typedef enum cluster_way {
    CLUSTER_RIGHT,
    NO_FIRST_SYNC, /* the other one may not have written */
    BLOCK_SYNC,    /* a barrier of each block instead */
    NO_LAST_SYNC,  /* the other one may have ended */
    WRITES_ON,     /* into what the other one reads */
    NO_SUCH_RANK,  /* a third block */
    ONE_LEAVES     /* before the other's last barrier: that is right */
} cluster_way;
cudaError_t wrong_cluster(const float *x, float *y, int clusters, cluster_way way);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_CUDA_HOST_WRONG_ASYNC_H */
