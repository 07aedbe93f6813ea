/* cuda_host/host_copy.cc - asynchronous copies, and shared memory by its 32-bit addresses.
 *
 * A copy may arrive when it is started, or not before its thread waits for its group. Early
 * ones overwrite what others may still read, late ones are missing where somebody does not
 * wait: the machine does all of a launch in one of the two ways. */
#include "cuda_host/host_state.h"

#include <cstring>
#include <deque>

struct copy {
    uint32_t to;
    const void *from;
    size_t bytes;
};
using group = std::vector<copy>;

static struct {
    bool late;
    std::deque<group> under_way[HOST_THREADS]; /* the last one is open */
} copies;

void host_copies_begin(unsigned threads, bool late)
{
    copies.late = late;
    for (unsigned t = 0; t < threads; t++)
        copies.under_way[t].assign(1, group());
}

static void arrive(const copy &c)
{
    char *to = host_shared_pointer(c.to);
    host_touch(to, c.bytes, true);
    if (c.from) {
        host_touch(c.from, c.bytes, false);
        memcpy(to, c.from, c.bytes);
    } else {
        memset(to, 0, c.bytes);
    }
}

void host_copy(uint32_t to, const void *from, size_t bytes)
{
    if (to % bytes || (uintptr_t)from % bytes)
        host_break("copies %zu bytes from or to an address they do not divide", bytes);
    const copy c = {to, from, bytes};
    if (copies.late)
        copies.under_way[host_fiber.now].back().push_back(c);
    else
        arrive(c);
}

void host_copy_commit(void)
{
    if (copies.late)
        copies.under_way[host_fiber.now].emplace_back();
}

void host_copy_wait(unsigned groups)
{
    std::deque<group> &mine = copies.under_way[host_fiber.now];
    while (mine.size() > groups + 1) {
        for (const copy &c : mine.front())
            arrive(c);
        mine.pop_front();
    }
}

void host_copies_end(void)
{
    copies.under_way[host_fiber.now].assign(1, group());
}

void host_shared_load(uint32_t from, void *to, size_t bytes)
{
    if (from % bytes)
        host_break("loads %zu bytes of shared memory, misaligned", bytes);
    const char *at = host_shared_pointer(from);
    host_touch(at, bytes, false);
    memcpy(to, at, bytes);
}

void host_shared_store(uint32_t to, const void *from, size_t bytes)
{
    if (to % bytes)
        host_break("stores %zu bytes of shared memory, misaligned", bytes);
    char *at = host_shared_pointer(to);
    host_touch(at, bytes, true);
    memcpy(at, from, bytes);
}
