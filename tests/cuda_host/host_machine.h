/* cuda_host/host_machine.h - a machine that runs CUDA kernels on the host, to test what they
 * compute and what they touch where there is no GPU.
 *
 * The sources are those of src/backend/cuda: include/ stands in for CUDA's headers, and
 * host_ptx.h for the instructions of cuda_ptx.cuh. Blocks, or clusters of them, run one after
 * the other in a random order. The threads of a block are fibers: one runs until it ends or
 * waits, at a barrier or for the other lanes of its warp. Asynchronous copies arrive, and
 * asynchronous products read their operands, as early or as late as they may.
 *
 * The compiler's hooks for ThreadSanitizer, without its library, show each access of a
 * kernel to host_watch.cc. That stops a kernel that
 *
 *   reads or writes outside of host_array()s and its shared memory, or misaligned
 *   reads shared memory that no thread of the block has written
 *   touches shared memory that another thread touches, with no barrier between them, where
 *   one of the two writes
 *   writes what another block writes, or reads it without a fence
 *   writes before launch_wait()
 *   touches an accumulator or an operand of wgmma before it has waited for the products
 *   hands wgmma or a bulk copy what was stored with no fence.proxy.async since
 *   reads shared memory of another block of its cluster, which may not have begun or have
 *   ended
 *
 * What it cannot: time, the order of memory within a GPU, the rounding of sums in tensor
 * cores (sums of small integers are exact everywhere), swizzled operands and tensor maps. An
 * index that leaves a static shared array for its neighbour is seen only if that makes one of
 * the faults above, or a wrong result. */
#ifndef JSNI_CUDA_HOST_HOST_MACHINE_H
#define JSNI_CUDA_HOST_HOST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for tests ---- */

/* Zeros that kernels may read and write; until host_reset(). */
void *host_array(size_t bytes);
void host_array_free(void *array); /* or NULL */
/* Several blocks write this array: the same values, else their order shows in the bits. */
void host_write_again(void *array);
/* Gives the arrays back, and forgets the fault. */
void host_reset(void);
/* The order of blocks and warps from here on; with an odd seed copies arrive late. */
void host_order(unsigned seed);
/* What the first faulty kernel did, as a sentence, or NULL. */
const char *host_fault(void);

/* ---- for the headers that stand in ---- */

typedef struct host_shape {
    unsigned blocks, threads; /* of a block */
    unsigned cluster;         /* blocks of one */
    size_t shared;
    bool plain; /* starts when all kernels before have ended: nobody waits for them */
} host_shape;

/* Runs call(with) for each thread of each block. False: there is a fault. */
bool host_launch(void (*call)(const void *), const void *with, const host_shape *shape);
void host_barrier(void);
void host_warp_barrier(void);
void host_fence(void);
/* This thread has waited for the kernels before. */
void host_waited(void);
/* The value of lane `from`. */
void host_shuffle(const void *value, void *got, size_t bytes, int from);
/* Between the two nothing else runs. */
void host_atomic_begin(void *at, void *old, size_t bytes);
void host_atomic_end(void *at, const void *now, size_t bytes);

/* An address in shared memory as 32 bits. */
size_t host_shared_number(const void *pointer);
void host_shared_load(uint32_t from, void *to, size_t bytes);
void host_shared_store(uint32_t to, const void *from, size_t bytes);
/* Asynchronous: `bytes` from global memory, or zeros where it is NULL. */
void host_copy(uint32_t to, const void *from, size_t bytes);
void host_copy_commit(void);
void host_copy_wait(unsigned groups); /* until no more than these are under way */

/* By all lanes of a warp: four 8x8 matrices of 16 bits; products. */
void host_load_matrix(uint32_t r[4], uint32_t row, bool transposed);
void host_multiply_bf16(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1);
void host_multiply_tf32(float c[4], const uint32_t a[4], uint32_t b0, uint32_t b1);
uint16_t host_round_bf16(float x);

/* The blocks of a cluster: their barrier, this one's rank among them, and where a variable of
 * shared memory lies in another's. */
void host_cluster_barrier(void);
unsigned host_cluster_rank(void);
void *host_cluster_shared(const void *variable, unsigned rank);

/* Barriers in shared memory, and copies that complete a phase of one. */
void host_mbarrier_init(uint32_t barrier, unsigned arrivals);
void host_mbarrier_arrive(uint32_t barrier);
void host_mbarrier_wait(uint32_t barrier, unsigned parity);
/* A barrier of `threads` threads of the block, without the others. */
void host_named_barrier(unsigned threads);
void host_bulk_load(uint32_t to, const void *from, uint32_t bytes, uint32_t barrier);
void host_fence_async(void);

/* By all lanes of a warp, and by the four warps of a group: asynchronous products of matrices
 * in shared memory, d[64][columns] = a[64][16] b[columns][16]^T, plus d where `more`. */
void host_products_begin(void);
void host_multiply_group(float *d, unsigned columns, uint64_t a, uint64_t b, bool more);
void host_products_commit(void);
void host_products_wait(void);
/* Registers of a thread from here on. */
void host_registers(unsigned count, bool more);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_CUDA_HOST_HOST_MACHINE_H */
