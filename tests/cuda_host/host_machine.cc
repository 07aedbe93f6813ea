/* cuda_host/host_machine.cc - fibers: who of a block's threads runs, and when they meet.
 *
 * A fiber is entered the first time by makecontext(), and from then on by _longjmp(), which
 * asks nothing of the kernel. It runs the call of its thread for one block after another.
 * Of a warp the lowest lane that can goes on; when none can, a warp drawn at random does. The
 * blocks of a cluster run together: one goes on until all its threads wait.
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
    unsigned threads, warps;                               /* of a block */
    unsigned cluster, alive[HOST_CLUSTER];                 /* blocks; of each */
    unsigned at_barrier[HOST_CLUSTER], at_cluster_barrier; /* threads */
    unsigned asleep, first_block;
    warp_state warp[HOST_THREADS / HOST_WARP]; /* of all blocks */
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
    int used = snprintf(machine.fault, size, "thread %u of block %u ", threadIdx.x,
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
    const unsigned rank = thread / machine.threads;
    host_fiber.now = thread;
    if (rank != host_fiber.rank)
        host_cluster_enter(rank);
    threadIdx = dim3(thread % machine.threads);
    blockIdx = dim3(machine.first_block + rank);
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

static unsigned alive_threads(void)
{
    unsigned alive = 0;
    for (unsigned rank = 0; rank < machine.cluster; rank++)
        alive += machine.alive[rank];
    return alive;
}

static void release_block(unsigned rank)
{
    for (unsigned w = rank * machine.warps; w < (rank + 1) * machine.warps; w++)
        machine.warp[w].ready = machine.warp[w].alive;
}

/* Barriers that all have reached. */
static void release_barriers(void)
{
    if (machine.at_cluster_barrier && machine.at_cluster_barrier == alive_threads()) {
        machine.at_cluster_barrier = 0;
        host_watch_cluster_barrier();
        host_known_meet(0, machine.threads * machine.cluster);
        for (unsigned rank = 0; rank < machine.cluster; rank++)
            release_block(rank);
    }
    for (unsigned rank = 0; rank < machine.cluster; rank++)
        if (machine.at_barrier[rank] &&
            machine.at_barrier[rank] == machine.alive[rank]) {
            machine.at_barrier[rank] = 0;
            host_watch_barrier(rank);
            host_known_meet(rank * machine.threads, machine.threads);
            release_block(rank);
        }
}

[[noreturn]] static void break_waiting(const warp_state &warp)
{
    unsigned at_barrier = machine.at_cluster_barrier;
    for (unsigned rank = 0; rank < machine.cluster; rank++)
        at_barrier += machine.at_barrier[rank];
    host_break("waits for ever: %u threads of %u are at a barrier, %u wait for one in "
               "shared memory, the others at %s",
               at_barrier, alive_threads(), machine.asleep,
               warp.what ? warp.what : "none");
}

/* A warp of a block that can run, drawn at random; or none: the number of all. */
static unsigned draw_warp(unsigned rank)
{
    const unsigned first = draw(machine.warps), base = rank * machine.warps;
    for (unsigned tried = 0; tried < machine.warps; tried++) {
        const unsigned warp = base + (first + tried) % machine.warps;
        if (machine.warp[warp].ready)
            return warp;
    }
    return machine.cluster * machine.warps;
}

/* The next warp that can run, or home when all threads have ended. */
static void enter_next(unsigned warp)
{
    if (alive_threads() == 0)
        _longjmp(machine.home, 1);
    release_barriers();
    const unsigned last = warp, none = machine.cluster * machine.warps;
    if (!machine.warp[warp].ready) {
        const unsigned rank = warp / machine.warps;
        warp = none;
        for (unsigned i = 0; i < machine.cluster && warp == none; i++)
            warp = draw_warp((rank + i) % machine.cluster);
        if (warp == none)
            break_waiting(machine.warp[last]);
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
        const unsigned thread = host_fiber.now, rank = host_fiber.rank;
        warp_state &warp = machine.warp[thread / HOST_WARP];
        const uint32_t bit = 1u << thread % HOST_WARP;
        warp.alive &= ~bit;
        warp.ready &= ~bit;
        warp.brought[thread % HOST_WARP] = nullptr;
        if (--machine.alive[rank] == 0)
            host_block_end(rank);
        if (warp.met && warp.met == warp.alive)
            meet_all(warp);
        leave();
    }
}

/* ---- meetings ---- */

static void rest(unsigned thread)
{
    machine.warp[thread / HOST_WARP].ready &= ~(1u << thread % HOST_WARP);
}

void host_barrier(void)
{
    host_watch_settle();
    rest(host_fiber.now);
    machine.at_barrier[host_fiber.rank]++;
    leave();
}

void host_cluster_barrier(void)
{
    host_watch_settle();
    rest(host_fiber.now);
    machine.at_cluster_barrier++;
    leave();
}

void host_sleep(void)
{
    host_watch_settle();
    rest(host_fiber.now);
    machine.asleep++;
    leave();
}

void host_wake(unsigned thread)
{
    machine.asleep--;
    machine.warp[thread / HOST_WARP].ready |= 1u << thread % HOST_WARP;
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
    const unsigned warp = host_fiber.now / HOST_WARP, first = warp * HOST_WARP;
    const unsigned left = machine.threads * machine.cluster - first;
    host_watch_warp_barrier(warp);
    host_known_meet(first, left < HOST_WARP ? left : HOST_WARP);
}

void host_warp_barrier(void)
{
    static char nothing;
    host_meet("__syncwarp", &nothing, pass_warp_barrier);
}

unsigned host_threads_alive(unsigned rank)
{
    return machine.alive[rank];
}

unsigned host_rank_of(unsigned thread)
{
    return thread / machine.threads;
}

void host_block_end(unsigned rank)
{
    host_watch_block_end(rank);
    host_products_end(rank);
    if (alive_threads() == 0)
        host_mbarriers_end();
}

/* ---- launches ---- */

static void run_cluster(unsigned first_block)
{
    machine.first_block = first_block;
    machine.at_cluster_barrier = machine.asleep = 0;
    for (unsigned rank = 0; rank < machine.cluster; rank++) {
        machine.alive[rank] = machine.threads;
        machine.at_barrier[rank] = 0;
        for (unsigned w = 0; w < machine.warps; w++) {
            const unsigned lanes = machine.threads - w * HOST_WARP;
            warp_state &warp = machine.warp[rank * machine.warps + w];
            warp = {};
            warp.alive = lanes < HOST_WARP ? (1u << lanes) - 1 : ~0u;
            warp.ready = warp.alive;
        }
    }
    host_watch_block();
    host_known_block(machine.threads * machine.cluster);
    host_mbarriers_block(machine.late);
    host_products_block(machine.threads, machine.late);
    enter_next(draw(machine.cluster) * machine.warps + draw(machine.warps));
}

static bool begin_launch(const host_shape &shape)
{
    const unsigned threads = shape.threads * shape.cluster;
    if (machine.fault[0])
        return false;
    if (!host_fiber.stacks)
        host_fiber.stacks =
            (char *)mmap(nullptr, HOST_THREADS * HOST_STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host_fiber.stacks == MAP_FAILED || threads > HOST_THREADS || threads == 0 ||
        shape.cluster > HOST_CLUSTER || shape.blocks % shape.cluster ||
        (shape.cluster > 1 && shape.threads % HOST_WARP)) {
        (void)snprintf(machine.fault, sizeof machine.fault,
                       "a launch of %u blocks, clusters of %u, of %u threads",
                       shape.blocks, shape.cluster, shape.threads);
        return false;
    }
    host_watch_launch(shape);
    host_copies_begin(threads, machine.late);
    return true;
}

bool host_launch(void (*call)(const void *), const void *with, const host_shape *shape)
{
    if (!machine.seed)
        host_order(1);
    if (!begin_launch(*shape))
        return false;
    static std::vector<unsigned> order; /* of clusters */
    order.resize(shape->blocks / shape->cluster);
    for (unsigned b = 0; b < order.size(); b++) {
        const unsigned other = draw(b + 1);
        order[b] = order[other];
        order[other] = b;
    }
    machine.call = call;
    machine.with = with;
    machine.threads = shape->threads;
    machine.warps = (shape->threads + HOST_WARP - 1) / HOST_WARP;
    machine.cluster = shape->cluster;
    blockDim = dim3(shape->threads);
    gridDim = dim3(shape->blocks);
    host_fiber.host_stack = (const char *)__builtin_frame_address(0);
    host_fiber.running = true;
    static unsigned done; /* kept over the jumps home */
    for (done = 0; done < order.size() && !machine.fault[0]; done++)
        if (_setjmp(machine.home) == 0)
            run_cluster(order[done] * machine.cluster);
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
