/* cuda_host/host_watch.cc - looks at each access of a kernel, which host_hooks.cc shows it.
 *
 * Shared memory is the storage of thread_local variables of this program. For each of its
 * bytes a note says who wrote it and who read it, and when; a barrier is a tick of the
 * clock. What lies behind the last barrier of both threads is in order. */
#include "cuda_host/host_state.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <link.h>

/* Dynamic shared memory, by the names that kernels give it; a kernel has one. */
constexpr size_t MOST_SHARED = 228 * 1024;
#define DYNAMIC(type, name) \
    alignas(1024) thread_local type name[MOST_SHARED / sizeof(type)]
DYNAMIC(char, shared);
DYNAMIC(char, unaligned);
DYNAMIC(char, smem_raw);
DYNAMIC(double, jsni_loss_shared);
static char *const dynamic[] = {shared, unaligned, smem_raw, (char *)jsni_loss_shared};

/* Their 32-bit addresses: dynamic shared memory from 1 KB on, as on a device, then the rest. */
constexpr uint32_t DYNAMIC_NUMBER = 1024, FIXED_NUMBER = 1 << 20;

struct note {
    uint32_t written, read; /* when, last */
    uint32_t read_far;      /* by another block of the cluster */
    uint16_t writer, reader;
};

struct array {
    char *at;
    size_t bytes;
    bool again;                   /* see host_write_again() */
    bool written;                 /* in this launch */
    std::vector<uint32_t> writer; /* of each byte in this launch: block + 1 */
};

static struct {
    std::vector<array> arrays;
    array *last; /* the one touched before */
    char *base;  /* of the thread_local variables */
    size_t size, dynamic;
    char *dynamic_at;
    std::vector<note> notes[HOST_CLUSTER];
    uint32_t clock, block_began, cluster_barrier, read_far[HOST_CLUSTER];
    uint32_t barrier[HOST_CLUSTER], warp_barrier[HOST_THREADS / HOST_WARP];
    uint32_t
        waited[HOST_THREADS]; /* the launch in which a thread called launch_wait() */
    uint32_t launch;
    bool plain, fenced, atomic;
    /* A store, after which the bytes should be the ones before: of another thread's. */
    bool storing;
    const char *again, *again_home;
    size_t again_bytes;
    char before[16];
    uint16_t other;
} watch;

constexpr uint32_t BY_ATOMIC = 0xffffffff;

/* ---- arrays ---- */

void *host_array(size_t bytes)
{
    array a = {(char *)aligned_alloc(256, (bytes + 255) / 256 * 256 + 256),
               bytes,
               false,
               false,
               {}};
    if (!a.at)
        abort();
    memset(a.at, 0, bytes);
    a.writer.resize(bytes);
    watch.arrays.push_back(a);
    watch.last = nullptr;
    return a.at;
}

void host_array_free(void *pointer)
{
    for (size_t i = 0; i < watch.arrays.size(); i++)
        if (watch.arrays[i].at == pointer) {
            free(pointer);
            watch.arrays.erase(watch.arrays.begin() + (ptrdiff_t)i);
            watch.last = nullptr;
            return;
        }
}

void host_reset(void)
{
    for (array &a : watch.arrays)
        free(a.at);
    watch.arrays.clear();
    watch.last = nullptr;
    host_forget_fault();
}

void host_write_again(void *pointer)
{
    for (array &a : watch.arrays)
        a.again = a.again || a.at == pointer;
}

/* ---- the clock ---- */

static int find_storage(dl_phdr_info *info, size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            watch.base = (char *)info->dlpi_tls_data;
            watch.size = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the program itself is the first, and enough */
}

void host_watch_launch(const host_shape &shape)
{
    if (!watch.base)
        (void)dl_iterate_phdr(find_storage, nullptr);
    for (unsigned rank = 0; rank < shape.cluster; rank++)
        watch.notes[rank].resize(watch.size, {0, 0, 0, HOST_NOBODY, HOST_NOBODY});
    for (array &a : watch.arrays) {
        if (a.written)
            memset(a.writer.data(), 0, a.bytes * sizeof(uint32_t));
        a.written = false;
    }
    watch.dynamic = shape.shared;
    watch.dynamic_at = dynamic[0];
    watch.plain = shape.plain;
    watch.fenced = false;
    watch.launch++;
}

void host_watch_block(void)
{
    watch.again = nullptr;
    watch.storing = watch.atomic = false;
    watch.block_began = watch.cluster_barrier = ++watch.clock;
    for (uint32_t &b : watch.barrier)
        b = watch.clock;
    for (uint32_t &w : watch.waited)
        w = 0;
    for (uint32_t &w : watch.warp_barrier)
        w = watch.clock;
    for (uint32_t &r : watch.read_far)
        r = 0;
}

void host_watch_barrier(unsigned rank)
{
    watch.barrier[rank] = ++watch.clock;
}

void host_watch_cluster_barrier(void)
{
    watch.cluster_barrier = ++watch.clock;
    for (uint32_t &b : watch.barrier)
        b = watch.clock;
}

void host_watch_warp_barrier(unsigned warp)
{
    watch.warp_barrier[warp] = ++watch.clock;
}

uint32_t host_tick(void)
{
    return ++watch.clock;
}

void host_watch_block_end(unsigned rank)
{
    if (watch.read_far[rank] >= watch.cluster_barrier)
        host_break("ends its block, whose shared memory another one of its cluster "
                   "reads, with no barrier between");
}

void host_waited(void)
{
    watch.waited[host_fiber.now] = watch.launch;
}

void host_fence(void)
{
    watch.fenced = true;
}

/* ---- shared memory ---- */

static char *storage(void)
{
    return (char *)((uintptr_t)watch.base & ~(uintptr_t)1023);
}

char *host_shared_storage(size_t *bytes)
{
    *bytes = watch.size;
    return watch.base;
}

size_t host_shared_number(const void *pointer)
{
    const char *at = (const char *)pointer;
    for (char *d : dynamic)
        if (at >= d && at < d + MOST_SHARED) {
            watch.dynamic_at = d;
            return DYNAMIC_NUMBER + (size_t)(at - d);
        }
    return FIXED_NUMBER + (size_t)(at - storage());
}

char *host_shared_pointer(uint32_t number)
{
    const ptrdiff_t n = (int32_t)number;
    return n < (ptrdiff_t)FIXED_NUMBER ? watch.dynamic_at + n - DYNAMIC_NUMBER
                                       : storage() + n - FIXED_NUMBER;
}

/* Since when what `thread` does is in order with what `other` did in shared memory of the
 * block `owner`. */
static uint32_t ordered(unsigned thread, uint16_t other, unsigned owner)
{
    if (other == HOST_BULK) /* barriers of threads do not wait for copies */
        return host_known_used ? host_seen(thread, other) : watch.block_began;
    const unsigned warp = thread / HOST_WARP, rank = host_rank_of(thread);
    const bool is_thread = other < HOST_THREADS;
    const unsigned of = is_thread ? host_rank_of(other) : owner;
    uint32_t since = rank == of ? watch.barrier[rank] : watch.cluster_barrier;
    if (is_thread && other / HOST_WARP == warp && watch.warp_barrier[warp] > since)
        since = watch.warp_barrier[warp];
    if (host_known_used && is_thread) {
        const uint32_t seen = host_seen(thread, other);
        since = seen > since ? seen : since;
    }
    return since;
}

uint32_t host_ordered(unsigned thread, uint16_t other)
{
    return ordered(thread, other, host_rank_of(thread));
}

/* Its number for people: in the launch's dynamic shared memory, or among all variables. */
static size_t number_of(const char *at)
{
    for (const char *d : dynamic)
        if (at >= d && at < d + MOST_SHARED)
            return (size_t)(at - d);
    return (size_t)(at - watch.base);
}

/* Two threads may write the same to one place. The compiler's call comes before the store, so
 * the bytes are looked at when the thread goes on. */
static void write_again(const char *at, const char *home, size_t bytes, uint16_t other)
{
    if (!watch.storing || bytes > sizeof watch.before)
        host_break("writes byte %zu of shared memory, which thread %u writes, with no "
                   "barrier between",
                   number_of(home), (unsigned)other);
    watch.again = at;
    watch.again_home = home;
    watch.again_bytes = bytes;
    watch.other = other;
    memcpy(watch.before, at, bytes);
}

void host_watch_settle(void)
{
    const char *at = watch.again;
    watch.again = nullptr;
    if (at && memcmp(at, watch.before, watch.again_bytes) != 0) {
        watch.storing = false;
        write_again(at, watch.again_home, watch.again_bytes, watch.other);
    }
}

static void check_dynamic(const char *at, size_t bytes)
{
    for (const char *d : dynamic)
        if (at >= d && at < d + MOST_SHARED && at + bytes > d + watch.dynamic)
            host_break("touches byte %zu of shared memory, which has %zu",
                       (size_t)(at - d), watch.dynamic);
}

[[noreturn]] static void break_unwritten(const char *at)
{
    host_break("reads byte %zu of shared memory, which nobody has written",
               number_of(at));
}

[[noreturn]] static void break_early_read(const char *at, uint16_t writer)
{
    host_break("reads byte %zu of shared memory, which %s %u writes, with no barrier "
               "between",
               number_of(at),
               writer == HOST_BULK ? "a bulk copy besides thread" : "thread",
               writer == HOST_BULK ? host_fiber.now : (unsigned)writer);
}

static void note_read(note *n, unsigned thread, unsigned owner)
{
    if (host_rank_of(thread) != owner) {
        n->read_far = watch.read_far[owner] = watch.clock;
        return;
    }
    const bool shared_reading = n->read >= watch.barrier[owner] &&
                                n->reader != thread && n->reader != HOST_NOBODY;
    n->reader = watch.atomic     ? HOST_ATOMIC
                : shared_reading ? HOST_MANY
                                 : (uint16_t)thread;
    n->read = watch.clock;
}

/* `at`: where the bytes are; `home`: where they are when their block runs, which is `owner`. */
static void touch_shared(unsigned thread, unsigned owner, const char *at,
                         const char *home, size_t bytes, bool write)
{
    check_dynamic(home, bytes);
    if (write && host_products_used)
        host_products_overwrite(thread, home, bytes);
    note *n = &watch.notes[owner][(size_t)(home - watch.base)];
    for (size_t i = 0; i < bytes; i++, n++) {
        if (!write && n->written < watch.block_began)
            break_unwritten(home + i);
        if (n->writer != thread && n->written >= watch.block_began &&
            n->written >= ordered(thread, n->writer, owner) &&
            !(watch.atomic && n->writer == HOST_ATOMIC)) {
            if (!write)
                break_early_read(home + i, n->writer);
            write_again(at, home, bytes, n->writer);
        }
        if (write && n->read_far >= watch.cluster_barrier)
            host_break("writes byte %zu of shared memory, which another block of its "
                       "cluster reads, with no barrier between",
                       number_of(home + i));
        if (write && n->reader != thread && n->read >= watch.block_began &&
            n->read >= ordered(thread, n->reader, owner) &&
            !(watch.atomic && n->reader == HOST_ATOMIC))
            host_break("writes byte %zu of shared memory, which %s %u reads, with no "
                       "barrier between",
                       number_of(home + i),
                       n->reader == HOST_MANY ? "many a thread besides" : "thread",
                       n->reader == HOST_MANY ? thread : (unsigned)n->reader);
        if (write) {
            n->written = watch.clock;
            n->writer = watch.atomic ? HOST_ATOMIC : (uint16_t)thread;
        } else {
            note_read(n, thread, owner);
        }
    }
}

void host_touch_async(unsigned thread, const char *at, size_t bytes)
{
    check_dynamic(at, bytes);
    const unsigned owner = host_fiber.rank;
    const note *n = &watch.notes[owner][(size_t)(at - watch.base)];
    for (size_t i = 0; i < bytes; i++, n++) {
        if (n->written < watch.block_began)
            break_unwritten(at + i);
        if (n->writer != thread && n->written >= ordered(thread, n->writer, owner))
            break_early_read(at + i, n->writer);
        if (n->writer < HOST_THREADS && n->written >= host_fenced(thread, n->writer))
            host_break("hands byte %zu of shared memory to wgmma, which thread %u "
                       "writes, with no fence.proxy.async between",
                       number_of(at + i), (unsigned)n->writer);
    }
}

void host_watch_bulk(const char *to, size_t bytes)
{
    note *n = &watch.notes[host_fiber.rank][(size_t)(to - watch.base)];
    for (size_t i = 0; i < bytes; i++, n++) {
        n->written = watch.clock;
        n->writer = HOST_BULK;
    }
}

/* ---- arrays of the device ---- */

static array *find_array(const char *at)
{
    if (watch.last && at >= watch.last->at && at < watch.last->at + watch.last->bytes)
        return watch.last;
    for (array &a : watch.arrays)
        if (at >= a.at && at < a.at + a.bytes)
            return watch.last = &a;
    return nullptr;
}

/* Whether a block may touch what another one has written in the same launch. */
static bool may_touch(const array &a, uint32_t other, bool write)
{
    return write ? a.again || (watch.fenced && other == BY_ATOMIC) : watch.fenced;
}

static void touch_array(array &a, unsigned thread, const char *at, size_t bytes,
                        bool write)
{
    const size_t first = (size_t)(at - a.at);
    const char *verb = write ? "writes" : "reads";
    if (first + bytes > a.bytes)
        host_break("%s %zu bytes at byte %zu of an array of %zu", verb, bytes, first,
                   a.bytes);
    if (write && !watch.plain && watch.waited[thread] != watch.launch)
        host_break("writes byte %zu of an array before launch_wait()", first);
    if (!write && !a.written)
        return;
    a.written = true;
    const uint32_t me = blockIdx.x + 1, mine = watch.atomic ? BY_ATOMIC : me;
    for (size_t i = first; i < first + bytes; i++) {
        const uint32_t other = a.writer[i];
        if (other && other != me && other != mine && !may_touch(a, other, write))
            host_break("%s byte %zu of an array of %zu, which another block writes",
                       verb, i, a.bytes);
        if (write)
            a.writer[i] = mine;
    }
}

extern "C" char __executable_start, _end; /* of the program, by the linker */

void host_touch_by(unsigned thread, const void *pointer, size_t bytes, bool write)
{
    const char *at = (const char *)pointer;
    if ((size_t)(at - host_fiber.stacks) < HOST_THREADS * HOST_STACK) {
        if (host_products_under_way)
            host_products_touch(at, bytes);
        return;
    }
    if ((size_t)(at - watch.base) < watch.size) {
        touch_shared(thread, host_fiber.rank, at, at, bytes, write);
        return;
    }
    unsigned owner;
    const char *home = host_cluster_home(at, &owner);
    if (home) {
        touch_shared(thread, owner, at, home, bytes, write);
        return;
    }
    array *a = find_array(at);
    if (a) {
        touch_array(*a, thread, at, bytes, write);
        return;
    }
    const bool constant = at >= &__executable_start && at < &_end;
    const bool argument = (size_t)(at - host_fiber.host_stack) < 1 << 16;
    if (write || (!constant && !argument))
        host_break("%s %zu bytes that are in no array", write ? "writes" : "reads",
                   bytes);
}

void host_touch(const void *at, size_t bytes, bool write)
{
    host_touch_by(host_fiber.now, at, bytes, write);
}

void host_access(const void *at, size_t bytes, bool write)
{
    if (watch.again)
        host_watch_settle();
    watch.storing = write;
    host_touch(at, bytes, write);
    watch.storing = false;
}

void host_atomic_begin(void *at, void *old, size_t bytes)
{
    watch.atomic = true;
    host_touch(at, bytes, false);
    memcpy(old, at, bytes);
}

void host_atomic_end(void *at, const void *now, size_t bytes)
{
    host_touch(at, bytes, true);
    memcpy(at, now, bytes);
    watch.atomic = false;
}
