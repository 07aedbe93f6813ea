/* cuda_host/host_arrays.cc - the arrays of tests, which are a device's memory: of each byte,
 * which block has written it in this launch. */
#include "cuda_host/host_state.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

constexpr uint32_t BY_ATOMIC = 0xffffffff;

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
    /* The launch in which a thread called launch_wait(). */
    uint32_t waited[HOST_THREADS];
    uint32_t launch;
    bool plain, fenced;
} device;

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
    device.arrays.push_back(a);
    device.last = nullptr;
    return a.at;
}

void host_array_free(void *pointer)
{
    for (size_t i = 0; i < device.arrays.size(); i++)
        if (device.arrays[i].at == pointer) {
            free(pointer);
            device.arrays.erase(device.arrays.begin() + (ptrdiff_t)i);
            device.last = nullptr;
            return;
        }
}

void host_reset(void)
{
    for (array &a : device.arrays)
        free(a.at);
    device.arrays.clear();
    device.last = nullptr;
    host_forget_fault();
}

void host_write_again(void *pointer)
{
    for (array &a : device.arrays)
        a.again = a.again || a.at == pointer;
}

void host_arrays_launch(bool plain)
{
    for (array &a : device.arrays) {
        if (a.written)
            memset(a.writer.data(), 0, a.bytes * sizeof(uint32_t));
        a.written = false;
    }
    device.plain = plain;
    device.fenced = false;
    device.launch++;
}

void host_arrays_block(void)
{
    for (uint32_t &w : device.waited)
        w = 0;
}

void host_waited(void)
{
    device.waited[host_fiber.now] = device.launch;
}

void host_fence(void)
{
    device.fenced = true;
}

static array *find_array(const char *at)
{
    if (device.last && at >= device.last->at &&
        at < device.last->at + device.last->bytes)
        return device.last;
    for (array &a : device.arrays)
        if (at >= a.at && at < a.at + a.bytes)
            return device.last = &a;
    return nullptr;
}

/* Whether a block may touch what another one has written in the same launch. */
static bool may_touch(const array &a, uint32_t other, bool write)
{
    return write ? a.again || (device.fenced && other == BY_ATOMIC) : device.fenced;
}

static void touch(array &a, unsigned thread, const char *at, size_t bytes, bool write,
                  bool atomic)
{
    const size_t first = (size_t)(at - a.at);
    const char *verb = write ? "writes" : "reads";
    if (first + bytes > a.bytes)
        host_break("%s %zu bytes at byte %zu of an array of %zu", verb, bytes, first,
                   a.bytes);
    if (write && !device.plain && device.waited[thread] != device.launch)
        host_break("writes byte %zu of an array before launch_wait()", first);
    if (!write && !a.written)
        return;
    a.written = true;
    const uint32_t me = blockIdx.x + 1, mine = atomic ? BY_ATOMIC : me;
    for (size_t i = first; i < first + bytes; i++) {
        const uint32_t other = a.writer[i];
        if (other && other != me && other != mine && !may_touch(a, other, write))
            host_break("%s byte %zu of an array of %zu, which another block writes",
                       verb, i, a.bytes);
        if (write)
            a.writer[i] = mine;
    }
}

bool host_touch_array(unsigned thread, const char *at, size_t bytes, bool write,
                      bool atomic)
{
    array *a = find_array(at);
    if (a)
        touch(*a, thread, at, bytes, write, atomic);
    return a;
}
