/* cuda_host/host_state.h - what the parts of the machine of host_machine.h share. */
#ifndef JSNI_CUDA_HOST_HOST_STATE_H
#define JSNI_CUDA_HOST_HOST_STATE_H

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "cuda_host/host_machine.h"

constexpr unsigned HOST_WARP = 32, HOST_THREADS = 1024;
constexpr unsigned HOST_CLUSTER = 8; /* blocks */
constexpr size_t HOST_STACK = 96 * 1024;
/* Who wrote or read, besides threads: nobody, several, atomics, a bulk copy. */
constexpr uint16_t HOST_NOBODY = 0xffff, HOST_MANY = 0xfffe, HOST_ATOMIC = 0xfffd,
                   HOST_BULK = 0xfffc;

/* Fibers: their stacks, and who runs. */
struct host_fibers {
    char *stacks;           /* [HOST_THREADS][HOST_STACK] */
    bool running;           /* a kernel is */
    unsigned now;           /* the thread of the cluster that runs */
    unsigned rank;          /* its block, whose shared memory is in its place */
    const char *host_stack; /* of the caller, whose arguments kernels read */
};
extern host_fibers host_fiber;

/* A kernel broke a rule: keeps the sentence and leaves the launch. */
[[noreturn]] void host_break(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The lanes of a warp meet: `all` gets what each of them brought, NULL for those that have
 * ended, when the last one comes. Lanes bring the same `what`. */
void host_meet(const char *what, void *mine, void (*all)(void **lanes));
/* Breaks where a lane has ended. */
void host_need_all(void **lanes, const char *what);

/* This thread waits until another one wakes it. */
void host_sleep(void);
void host_wake(unsigned thread);
unsigned host_threads_alive(unsigned rank);
unsigned host_rank_of(unsigned thread);
/* The last thread of a block has ended. */
void host_block_end(unsigned rank);

/* ---- host_watch.cc ---- */

/* A thread touches memory. */
void host_touch(const void *at, size_t bytes, bool write);
/* The same of a load or a store, which comes behind the call. */
void host_access(const void *at, size_t bytes, bool write);
/* The same for another thread of the block. */
void host_touch_by(unsigned thread, const void *at, size_t bytes, bool write);
/* Of a launch, of a block, of the threads of a block or of one warp. */
void host_watch_launch(const host_shape &shape);
void host_watch_block(void);
void host_watch_barrier(unsigned rank);
void host_watch_cluster_barrier(void);
void host_watch_block_end(unsigned rank);
void host_watch_warp_barrier(unsigned warp);
/* A thread has done what it was last seen to begin; where it stops, too. */
void host_watch_settle(void);
/* Where a 32-bit address of shared memory points. */
char *host_shared_pointer(uint32_t number);
/* Time goes on; what `thread` does now is in order with what `other` did before. */
uint32_t host_tick(void);
uint32_t host_ordered(unsigned thread, uint16_t other);
/* Shared memory is read by wgmma for `thread`, or was written by a bulk copy that it began. */
void host_touch_async(unsigned thread, const char *at, size_t bytes);
void host_watch_bulk(const char *to, size_t bytes);
/* The storage of all shared variables. */
char *host_shared_storage(size_t *bytes);

/* ---- host_cluster.cc ---- */

/* The shared memory of the block `rank` comes into its place. */
void host_cluster_enter(unsigned rank);
/* Whose shared memory `pointer` is in, where it is not in its place: the address there. */
const char *host_cluster_home(const char *pointer, unsigned *rank);

/* ---- host_known.cc ---- */

struct host_knowledge {
    std::vector<uint32_t> seen, fenced; /* by thread */
};
extern bool host_known_used;
void host_known_block(unsigned threads);
void host_known_begin(void);
host_knowledge host_known_nothing(void);
uint32_t host_seen(unsigned thread, uint16_t other);
uint32_t host_fenced(unsigned thread, uint16_t other);
void host_known_hear(unsigned thread, const host_knowledge &from);
void host_known_tell(unsigned thread, host_knowledge &to);
void host_known_bulk(host_knowledge &to); /* a bulk copy has arrived */
/* These threads have met at a barrier. */
void host_known_meet(unsigned first, unsigned count);

/* ---- host_mbarrier.cc ---- */

void host_mbarriers_block(bool late);
void host_mbarriers_end(void);

/* ---- host_products.cc ---- */

void host_products_block(unsigned threads, bool late);
void host_products_end(unsigned rank);
/* Products of this block have read shared memory: a thread writes there. */
extern bool host_products_used;
void host_products_overwrite(unsigned thread, const char *at, size_t bytes);
/* Products are under way: this thread touches its stack, where their accumulators are. */
extern unsigned host_products_under_way;
void host_products_touch(const char *at, size_t bytes);

/* ---- host_copy.cc ---- */

void host_copies_begin(unsigned threads, bool late);
/* What a thread that ends has under way. */
void host_copies_end(void);

/* For host_reset(). */
void host_forget_fault(void);

#endif /* JSNI_CUDA_HOST_HOST_STATE_H */
