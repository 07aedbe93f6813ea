/* cuda_host/host_state.h - what the parts of the machine of host_machine.h share. */
#ifndef JSNI_CUDA_HOST_HOST_STATE_H
#define JSNI_CUDA_HOST_HOST_STATE_H

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "cuda_host/host_machine.h"

constexpr unsigned HOST_WARP = 32, HOST_THREADS = 1024;
constexpr size_t HOST_STACK = 96 * 1024;

/* Fibers: their stacks, and who runs. */
struct host_fibers {
    char *stacks;           /* [HOST_THREADS][HOST_STACK] */
    bool running;           /* a kernel is */
    unsigned now;           /* the thread of the block that runs */
    const char *host_stack; /* of the caller, whose arguments kernels read */
};
extern host_fibers host_fiber;

/* A kernel broke a rule: keeps the sentence and leaves the launch. */
[[noreturn]] void host_break(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The lanes of a warp meet: `all` gets what each of them brought, NULL for those that have
 * ended, when the last one comes. Lanes bring the same `what`. */
void host_meet(const char *what, void *mine, void (*all)(void **lanes));

/* ---- host_watch.cc ---- */

/* A thread touches memory. */
void host_touch(const void *at, size_t bytes, bool write);
/* The same for another thread of the block. */
void host_touch_by(unsigned thread, const void *at, size_t bytes, bool write);
/* Of a launch, of a block, of the threads of a block or of one warp. */
void host_watch_launch(size_t shared, bool plain);
void host_watch_block(void);
void host_watch_barrier(void);
void host_watch_warp_barrier(unsigned warp);
/* A thread has done what it was last seen to begin; where it stops, too. */
void host_watch_settle(void);
/* Where a 32-bit address of shared memory points. */
char *host_shared_pointer(uint32_t number);

/* ---- host_copy.cc ---- */

void host_copies_begin(unsigned threads, bool late);
/* What a thread that ends has under way. */
void host_copies_end(void);

/* For host_reset(). */
void host_forget_fault(void);

#endif /* JSNI_CUDA_HOST_HOST_STATE_H */
