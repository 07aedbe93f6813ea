/* cuda_host/host_machine.cc - fibers: who of a block's threads runs, and when they meet.
 *
 * A fiber is entered the first time by makecontext(), and from then on by _longjmp(), which
 * asks nothing of the kernel. It runs the call of its thread for one block after another.
 * Of a warp the lowest lane that can goes on; when none can, a warp drawn at random does.
 */
#undef _FORTIFY_SOURCE /* checked jumps refuse those between fibers */
#include "cuda_host/host_state.h"

#include <cuda_runtime.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

dim3 threadIdx, blockIdx, blockDim, gridDim;
host_fibers host_fiber;

struct warp_state {
    uint32_t alive, ready; /* lanes that have not ended; that can run */
    uint32_t met;          /* lanes that wait for the others */
    const char *what;      /* for which they do */
    void *brought[HOST_WARP];
    void (*all)(void **);
};

static struct {
    void (*call)(const void *);
    const void *with;
    unsigned warps, alive, at_barrier; /* of the block */
    warp_state warp[HOST_THREADS / HOST_WARP];
    jmp_buf place[HOST_THREADS], home;
    bool made[HOST_THREADS];
    unsigned seed;
    bool late; /* copies arrive when they are waited for */
    char fault[512];
} machine;

static unsigned draw(unsigned below)
{
    machine.seed ^= machine.seed << 13;
    machine.seed ^= machine.seed >> 17;
    machine.seed ^= machine.seed << 5;
    return machine.seed % below;
}

void host_order(unsigned seed)
{
    machine.seed = seed ? seed : 1;
    machine.late = seed % 2;
}

const char *host_fault(void)
{
    return machine.fault[0] ? machine.fault : nullptr;
}

void host_break(const char *format, ...)
{
    const size_t size = sizeof machine.fault;
    int used = snprintf(machine.fault, size, "thread %u of block %u ", host_fiber.now,
                        blockIdx.x);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(machine.fault + used, size - (size_t)used, format, args);
    va_end(args);
    _longjmp(machine.home, 2);
}

/* ---- one fiber and the next ---- */

static void thread_main(void);

/* Enters a fiber; nobody comes back here but by its place. */
static void enter(unsigned thread)
{
    host_fiber.now = thread;
    threadIdx = dim3(thread);
    if (machine.made[thread])
        _longjmp(machine.place[thread], 1);
    machine.made[thread] = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = host_fiber.stacks + thread * HOST_STACK;
    context.uc_stack.ss_size = HOST_STACK;
    context.uc_link = nullptr;
    makecontext(&context, thread_main, 0);
    setcontext(&context);
}

static void release_barrier(void)
{
    machine.at_barrier = 0;
    host_watch_barrier();
    for (unsigned w = 0; w < machine.warps; w++)
        machine.warp[w].ready = machine.warp[w].alive;
}

/* The next warp that can run, or home when all threads have ended. */
static void enter_next(unsigned warp)
{
    if (machine.alive == 0)
        _longjmp(machine.home, 1);
    if (machine.at_barrier == machine.alive)
        release_barrier();
    if (!machine.warp[warp].ready) {
        const unsigned first = draw(machine.warps);
        unsigned tried = 0;
        while (tried < machine.warps &&
               !machine.warp[(first + tried) % machine.warps].ready)
            tried++;
        if (tried == machine.warps)
            host_break("waits for ever: %u threads of %u are at a barrier, the others "
                       "at %s",
                       machine.at_barrier, machine.alive,
                       machine.warp[warp].what ? machine.warp[warp].what : "none");
        warp = (first + tried) % machine.warps;
    }
    enter(warp * HOST_WARP + (unsigned)__builtin_ctz(machine.warp[warp].ready));
}

/* Leaves the fiber that runs; comes back when it can go on. */
static void leave(void)
{
    const unsigned thread = host_fiber.now;
    if (_setjmp(machine.place[thread]) == 0)
        enter_next(thread / HOST_WARP);
}

/* What the lanes of a warp came for, when all of them have. */
static void meet_all(warp_state &warp)
{
    warp.all(warp.brought);
    warp.ready |= warp.met;
    warp.met = 0;
    warp.what = nullptr;
}

static void thread_main(void)
{
    for (;;) {
        machine.call(machine.with);
        host_watch_settle();
        host_copies_end();
        const unsigned thread = host_fiber.now;
        warp_state &warp = machine.warp[thread / HOST_WARP];
        const uint32_t bit = 1u << thread % HOST_WARP;
        warp.alive &= ~bit;
        warp.ready &= ~bit;
        warp.brought[thread % HOST_WARP] = nullptr;
        machine.alive--;
        if (warp.met && warp.met == warp.alive)
            meet_all(warp);
        leave();
    }
}

/* ---- meetings ---- */

void host_barrier(void)
{
    host_watch_settle();
    const unsigned thread = host_fiber.now;
    machine.warp[thread / HOST_WARP].ready &= ~(1u << thread % HOST_WARP);
    machine.at_barrier++;
    leave();
}

void host_meet(const char *what, void *mine, void (*all)(void **lanes))
{
    host_watch_settle();
    const unsigned thread = host_fiber.now, lane = thread % HOST_WARP;
    warp_state &warp = machine.warp[thread / HOST_WARP];
    if (warp.met && warp.what != what)
        host_break("is at %s, where other lanes of its warp are at %s", what,
                   warp.what);
    warp.what = what;
    warp.all = all;
    warp.brought[lane] = mine;
    warp.met |= 1u << lane;
    warp.ready &= ~(1u << lane);
    if (warp.met == warp.alive)
        meet_all(warp);
    else
        leave();
}

static void pass_warp_barrier(void **)
{
    host_watch_warp_barrier(host_fiber.now / HOST_WARP);
}

void host_warp_barrier(void)
{
    static char nothing;
    host_meet("__syncwarp", &nothing, pass_warp_barrier);
}

/* ---- launches ---- */

static void run_block(unsigned block, unsigned threads)
{
    blockIdx = dim3(block);
    machine.warps = (threads + HOST_WARP - 1) / HOST_WARP;
    machine.alive = threads;
    machine.at_barrier = 0;
    for (unsigned w = 0; w < machine.warps; w++) {
        const unsigned lanes = threads - w * HOST_WARP;
        machine.warp[w] = {};
        machine.warp[w].alive = lanes < HOST_WARP ? (1u << lanes) - 1 : ~0u;
        machine.warp[w].ready = machine.warp[w].alive;
    }
    host_watch_block();
    enter_next(draw(machine.warps));
}

static bool begin_launch(size_t shared, unsigned threads, bool plain)
{
    if (machine.fault[0])
        return false;
    if (!host_fiber.stacks)
        host_fiber.stacks =
            (char *)mmap(nullptr, HOST_THREADS * HOST_STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host_fiber.stacks == MAP_FAILED || threads > HOST_THREADS || threads == 0) {
        (void)snprintf(machine.fault, sizeof machine.fault, "a launch of %u threads",
                       threads);
        return false;
    }
    host_watch_launch(shared, plain);
    host_copies_begin(threads, machine.late);
    return true;
}

bool host_launch(void (*call)(const void *), const void *with, unsigned blocks,
                 unsigned threads, size_t shared, bool plain)
{
    if (!machine.seed)
        host_order(1);
    if (!begin_launch(shared, threads, plain))
        return false;
    static std::vector<unsigned> order;
    order.resize(blocks);
    for (unsigned b = 0; b < blocks; b++) {
        const unsigned other = draw(b + 1);
        order[b] = order[other];
        order[other] = b;
    }
    machine.call = call;
    machine.with = with;
    blockDim = dim3(threads);
    gridDim = dim3(blocks);
    host_fiber.host_stack = (const char *)__builtin_frame_address(0);
    host_fiber.running = true;
    static unsigned done; /* kept over the jumps home */
    for (done = 0; done < blocks && !machine.fault[0]; done++)
        if (_setjmp(machine.home) == 0)
            run_block(order[done], threads);
    host_fiber.running = false;
    if (machine.fault[0])
        for (bool &made : machine.made) /* they stand in the middle of a kernel */
            made = false;
    return !machine.fault[0];
}

void host_forget_fault(void)
{
    machine.fault[0] = '\0';
}
