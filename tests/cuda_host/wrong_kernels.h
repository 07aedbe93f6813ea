/* cuda_host/wrong_kernels.h - small kernels, right and wrong, for the machine's own test. */
#ifndef JSNI_CUDA_HOST_WRONG_KERNELS_H
#define JSNI_CUDA_HOST_WRONG_KERNELS_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reverse each block of 256 floats through shared memory. What is wrong, if anything: */
typedef enum wrong_way {
    RIGHT,
    NO_BARRIER,      /* between writing and reading */
    BARRIER_BY_HALF, /* which half of the threads never reaches */
    ONE_BEHIND,      /* reads from behind the array */
    ONE_BEFORE,      /* writes before the array */
    NOT_WRITTEN,     /* reads shared memory that nobody wrote */
    SHARED_BEHIND,   /* dynamic shared memory that the launch has not */
    SAME_PLACE,      /* all blocks write the first results */
    NO_WAIT,         /* writes before launch_wait() */
    MISALIGNED,      /* 16 bytes from an address that 4 divides */
    COPY_NOT_AWAITED,
    COPY_NO_BARRIER, /* of other threads, awaited by each alone */
    COPY_TOO_EARLY,  /* into what others still read */
    BOTH_WRITE,      /* two threads, different numbers, to one place */
    BOTH_WRITE_SAME, /* the same number: that is right */
    HALF_A_WARP      /* shuffles, the other half waits at a barrier */
} wrong_way;
cudaError_t wrong_reverse(const float *from, float *to, int blocks, wrong_way way);

/* Adds 1 to 64 counters from every thread, by atomics or not. */
cudaError_t wrong_count(unsigned *counters, int blocks, bool atomic);

/* y[32] = the sum over the lanes of x, y[m][n] = products of fragments: see the test. */
cudaError_t wrong_sum(const float *x, float *y);
cudaError_t wrong_product(const void *a, const void *b, float *c, bool transposed);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_CUDA_HOST_WRONG_KERNELS_H */
