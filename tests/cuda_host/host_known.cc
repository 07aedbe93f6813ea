/* cuda_host/host_known.cc - what each thread knows of the others, for kernels whose threads
 * order themselves by barriers in shared memory, one by one.
 *
 * For each pair of threads a time: what the other did before lies in order before what this
 * one does now. And one more: of that, what the other stored before this time is visible to
 * wgmma and bulk copies, too: who stores must fence (fence.proxy.async), a fence of somebody
 * who has waited for it does not count here. Bulk copies count as one thread more. Kernels that
 * use nothing of this do without: host_watch.cc has the times of their barriers. */
#include "cuda_host/host_state.h"

#include <algorithm>

bool host_known_used;

static struct {
    unsigned threads; /* of the cluster */
    std::vector<host_knowledge> of;
} known;

void host_known_block(unsigned threads)
{
    known.threads = threads;
    host_known_used = false;
}

host_knowledge host_known_nothing(void)
{
    const size_t count = known.threads + 1;
    return {std::vector<uint32_t>(count, 0), std::vector<uint32_t>(count, 0)};
}

/* The first use in a block: what is known by barriers so far. */
void host_known_begin(void)
{
    if (host_known_used)
        return;
    known.of.assign(known.threads, host_known_nothing());
    for (unsigned t = 0; t < known.threads; t++)
        for (unsigned other = 0; other < known.threads; other++)
            known.of[t].seen[other] = host_ordered(t, (uint16_t)other);
    host_known_used = true;
}

static size_t index_of(uint16_t other)
{
    return other == HOST_BULK ? known.threads : other;
}

uint32_t host_seen(unsigned thread, uint16_t other)
{
    return known.of[thread].seen[index_of(other)];
}

uint32_t host_fenced(unsigned thread, uint16_t other)
{
    return known.of[thread].fenced[index_of(other)];
}

static void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from)
{
    for (size_t i = 0; i < to.size(); i++)
        to[i] = std::max(to[i], from[i]);
}

void host_known_hear(unsigned thread, const host_knowledge &from)
{
    join(known.of[thread].seen, from.seen);
    join(known.of[thread].fenced, from.fenced);
}

void host_known_tell(unsigned thread, host_knowledge &to)
{
    join(to.seen, known.of[thread].seen);
    join(to.fenced, known.of[thread].fenced);
    to.seen[thread] = host_tick();
}

void host_known_bulk(host_knowledge &to)
{
    to.seen[known.threads] = host_tick();
}

void host_known_meet(unsigned first, unsigned count)
{
    if (!host_known_used)
        return;
    host_knowledge all = host_known_nothing();
    for (unsigned t = first; t < first + count; t++)
        host_known_tell(t, all);
    for (unsigned t = first; t < first + count; t++)
        known.of[t] = all;
}

void host_fence_async(void)
{
    host_known_begin();
    const unsigned me = host_fiber.now;
    known.of[me].fenced[me] = host_tick();
}
