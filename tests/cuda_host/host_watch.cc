/* cuda_host/host_watch.cc - looks at each access of a kernel. The sources are compiled with
 * -fsanitize=thread, which puts a call before every access to memory, and linked without
 * that sanitizer's library: the calls end here.
 *
 * Shared memory is the storage of thread_local variables of this program. For each of its
 * bytes a note says who wrote it and who read it, and when; a barrier is a tick of the
 * clock. What lies behind the last barrier of both threads is in order. */
#include "cuda_host/host_state.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <link.h>

/* Dynamic shared memory, by the names that kernels give it. */
constexpr size_t MOST_SHARED = 228 * 1024;
#define DYNAMIC(type, name) \
    alignas(1024) thread_local type name[MOST_SHARED / sizeof(type)]
DYNAMIC(char, shared);
DYNAMIC(char, unaligned);
DYNAMIC(char, smem_raw);
DYNAMIC(double, jsni_loss_shared);
static char *const dynamic[] = {shared, unaligned, smem_raw, (char *)jsni_loss_shared};

constexpr uint16_t NOBODY = 0xffff, MANY = 0xfffe, ATOMIC = 0xfffd;

struct note {
    uint32_t written, read; /* when, last */
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
    std::vector<note> notes;
    uint32_t clock, block_began;
    uint32_t barrier, warp_barrier[HOST_THREADS / HOST_WARP];
    uint32_t
        waited[HOST_THREADS]; /* the launch in which a thread called launch_wait() */
    uint32_t launch;
    bool plain, fenced, atomic;
    /* A store, after which the bytes should be the ones before: of another thread's. */
    bool storing;
    const char *again;
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

void host_watch_launch(size_t shared_bytes, bool plain)
{
    if (!watch.base) {
        (void)dl_iterate_phdr(find_storage, nullptr);
        watch.notes.resize(watch.size, {0, 0, NOBODY, NOBODY});
    }
    for (array &a : watch.arrays) {
        if (a.written)
            memset(a.writer.data(), 0, a.bytes * sizeof(uint32_t));
        a.written = false;
    }
    watch.dynamic = shared_bytes;
    watch.plain = plain;
    watch.fenced = false;
    watch.launch++;
}

void host_watch_block(void)
{
    watch.again = nullptr;
    watch.storing = watch.atomic = false;
    watch.barrier = watch.block_began = ++watch.clock;
    for (uint32_t &w : watch.waited)
        w = 0;
    for (uint32_t &w : watch.warp_barrier)
        w = watch.clock;
}

void host_watch_barrier(void)
{
    watch.barrier = ++watch.clock;
}

void host_watch_warp_barrier(unsigned warp)
{
    watch.warp_barrier[warp] = ++watch.clock;
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

size_t host_shared_number(const void *pointer)
{
    return (size_t)((uintptr_t)pointer - ((uintptr_t)watch.base & ~(uintptr_t)1023));
}

char *host_shared_pointer(uint32_t number)
{
    return (char *)((uintptr_t)watch.base & ~(uintptr_t)1023) + (int32_t)number;
}

/* Since when what `thread` does is in order with what `other` did. */
static uint32_t ordered(unsigned thread, uint16_t other)
{
    const unsigned warp = thread / HOST_WARP;
    if (other < HOST_THREADS && other / HOST_WARP == warp &&
        watch.warp_barrier[warp] > watch.barrier)
        return watch.warp_barrier[warp];
    return watch.barrier;
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
static void write_again(const char *at, size_t bytes, uint16_t other)
{
    if (!watch.storing || bytes > sizeof watch.before)
        host_break("writes byte %zu of shared memory, which thread %u writes, with no "
                   "barrier between",
                   number_of(at), (unsigned)other);
    watch.again = at;
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
        write_again(at, watch.again_bytes, watch.other);
    }
}

static void touch_shared(unsigned thread, const char *at, size_t bytes, bool write)
{
    for (const char *d : dynamic)
        if (at >= d && at < d + MOST_SHARED && at + bytes > d + watch.dynamic)
            host_break("touches byte %zu of shared memory, which has %zu",
                       (size_t)(at - d), watch.dynamic);
    note *n = &watch.notes[(size_t)(at - watch.base)];
    for (size_t i = 0; i < bytes; i++, n++) {
        if (!write && n->written < watch.block_began)
            host_break("reads byte %zu of shared memory, which nobody has written",
                       number_of(at + i));
        if (n->writer != thread && n->written >= ordered(thread, n->writer) &&
            !(watch.atomic && n->writer == ATOMIC)) {
            if (!write)
                host_break("reads byte %zu of shared memory, which thread %u writes, "
                           "with no barrier between",
                           number_of(at + i), (unsigned)n->writer);
            write_again(at, bytes, n->writer);
        }
        if (write && n->reader != thread && n->read >= ordered(thread, n->reader) &&
            !(watch.atomic && n->reader == ATOMIC))
            host_break("writes byte %zu of shared memory, which %s %u reads, with no "
                       "barrier between",
                       number_of(at + i),
                       n->reader == MANY ? "many a thread besides" : "thread",
                       n->reader == MANY ? thread : (unsigned)n->reader);
        if (write) {
            n->written = watch.clock;
            n->writer = watch.atomic ? ATOMIC : (uint16_t)thread;
        } else {
            const bool shared_reading =
                n->read >= watch.barrier && n->reader != thread && n->reader != NOBODY;
            n->reader = watch.atomic     ? ATOMIC
                        : shared_reading ? MANY
                                         : (uint16_t)thread;
            n->read = watch.clock;
        }
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
    if ((size_t)(at - host_fiber.stacks) < HOST_THREADS * HOST_STACK)
        return;
    if ((size_t)(at - watch.base) < watch.size) {
        touch_shared(thread, at, bytes, write);
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

/* ---- the compiler's calls ---- */

static void hooked(const void *at, size_t bytes, bool write, bool aligned)
{
    if (!host_fiber.running)
        return;
    if (aligned && (uintptr_t)at % bytes)
        host_break("touches %zu bytes at an address they do not divide", bytes);
    if (watch.again)
        host_watch_settle();
    watch.storing = write;
    host_touch(at, bytes, write);
    watch.storing = false;
}

#define HOOKS(bytes)                             \
    void __tsan_read##bytes(void *at)            \
    {                                            \
        hooked(at, bytes, false, true);          \
    }                                            \
    void __tsan_write##bytes(void *at)           \
    {                                            \
        hooked(at, bytes, true, true);           \
    }                                            \
    void __tsan_unaligned_read##bytes(void *at)  \
    {                                            \
        hooked(at, bytes, false, false);         \
    }                                            \
    void __tsan_unaligned_write##bytes(void *at) \
    {                                            \
        hooked(at, bytes, true, false);          \
    }

extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void *at, size_t bytes)
{
    hooked(at, bytes, false, false);
}
void __tsan_write_range(void *at, size_t bytes)
{
    hooked(at, bytes, true, false);
}
void __tsan_init(void)
{
}
void __tsan_func_entry(void *)
{
}
void __tsan_func_exit(void)
{
}
}
