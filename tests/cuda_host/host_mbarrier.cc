/* cuda_host/host_mbarrier.cc - barriers in shared memory ("mbarrier"), and the bulk copies
 * that complete a phase of one. Such a barrier counts arrivals and bytes; who waits for a
 * phase knows what those knew that arrived in it. */
#include "cuda_host/host_state.h"

#include <cstring>
#include <unordered_map>

struct bulk_copy {
    uint32_t to;
    const void *from;
    uint32_t bytes;
};

struct mbarrier {
    unsigned arrivals, missing; /* of a phase */
    uint32_t bytes;             /* that are under way */
    unsigned phase;
    unsigned maker;
    uint32_t made; /* when */
    host_knowledge coming, come;
    std::vector<unsigned> asleep;
    std::vector<bulk_copy> copies; /* that arrive late */
};

/* What a barrier's 8 bytes hold: whoever overwrites them breaks it. */
static const char mark[9] = "mbarrier";

static struct {
    bool late;
    std::unordered_map<uint32_t, mbarrier> all;
} barriers;

/* The barrier that some threads of a block share. */
static struct {
    unsigned threads, met;
    host_knowledge coming, come;
    std::vector<unsigned> asleep;
} named[HOST_CLUSTER];

void host_mbarriers_block(bool late)
{
    for (auto &b : named)
        b = {};
    barriers.late = late;
    barriers.all.clear();
}

void host_mbarriers_end(void)
{
    for (const auto &b : barriers.all)
        if (!b.second.copies.empty())
            host_break("ends its block while a bulk copy is under way");
}

void host_mbarrier_init(uint32_t number, unsigned arrivals)
{
    if (number % 8)
        host_break("makes a barrier at an address that 8 does not divide");
    host_known_begin();
    char *at = host_shared_pointer(number);
    host_touch(at, 8, true);
    memcpy(at, mark, 8);
    mbarrier b = {};
    b.arrivals = b.missing = arrivals;
    b.maker = host_fiber.now;
    b.made = host_tick();
    b.coming = b.come = host_known_nothing();
    barriers.all[number] = b;
}

static mbarrier &find(uint32_t number)
{
    const auto found = barriers.all.find(number);
    const char *at = host_shared_pointer(number);
    if (found == barriers.all.end() || memcmp(at, mark, 8) != 0)
        host_break("takes address %u of shared memory for a barrier", number);
    const mbarrier &b = found->second;
    const unsigned me = host_fiber.now;
    if (b.maker != me && b.made >= host_ordered(me, (uint16_t)b.maker))
        host_break("uses a barrier that thread %u makes, with no barrier between",
                   b.maker);
    return found->second;
}

/* The next phase, when nothing is missing of this one. */
static void turn(mbarrier &b)
{
    if (b.missing || b.bytes)
        return;
    b.phase++;
    b.missing = b.arrivals;
    b.come = b.coming;
    b.coming = host_known_nothing();
    for (const unsigned thread : b.asleep)
        host_wake(thread);
    b.asleep.clear();
}

void host_mbarrier_arrive(uint32_t number)
{
    mbarrier &b = find(number);
    if (b.missing == 0)
        host_break("arrives at a barrier once too often in a phase");
    host_known_tell(host_fiber.now, b.coming);
    b.missing--;
    turn(b);
}

static void arrive(mbarrier &b, const bulk_copy &c)
{
    char *to = host_shared_pointer(c.to);
    memcpy(to, c.from, c.bytes);
    host_watch_bulk(to, c.bytes);
    host_known_bulk(b.coming);
    b.bytes -= c.bytes;
}

void host_mbarrier_wait(uint32_t number, unsigned parity)
{
    mbarrier &b = find(number);
    while ((b.phase & 1) == parity) {
        for (const bulk_copy &c : b.copies)
            arrive(b, c);
        b.copies.clear();
        turn(b);
        if ((b.phase & 1) != parity)
            break;
        b.asleep.push_back(host_fiber.now);
        host_sleep();
    }
    host_known_hear(host_fiber.now, b.come);
}

void host_named_barrier(unsigned threads)
{
    auto &b = named[host_fiber.rank];
    const unsigned me = host_fiber.now;
    host_known_begin();
    if (b.met == 0) {
        b.threads = threads;
        b.coming = host_known_nothing();
    }
    if (threads != b.threads || threads % HOST_WARP)
        host_break("meets %u threads at a barrier of %u", threads, b.threads);
    host_known_tell(me, b.coming);
    if (++b.met < threads) {
        b.asleep.push_back(me);
        host_sleep();
    } else {
        b.come = b.coming;
        b.met = 0;
        for (const unsigned thread : b.asleep)
            host_wake(thread);
        b.asleep.clear();
    }
    host_known_hear(me, b.come);
}

void host_bulk_load(uint32_t to, const void *from, uint32_t bytes, uint32_t number)
{
    mbarrier &b = find(number);
    const unsigned me = host_fiber.now;
    if (to % 16 || (uintptr_t)from % 16 || bytes % 16)
        host_break(
            "starts a bulk copy of %u bytes whose place or size 16 does not divide",
            bytes);
    if (b.made >= host_fenced(me, (uint16_t)b.maker))
        host_break(
            "hands a barrier to a bulk copy with no fence.proxy.async since it was "
            "made");
    host_touch(from, bytes, false);
    host_touch(host_shared_pointer(to), bytes, true);
    host_watch_bulk(host_shared_pointer(to), bytes);
    const bulk_copy copy = {to, from, bytes};
    b.bytes += bytes;
    if (barriers.late)
        b.copies.push_back(copy);
    else
        arrive(b, copy);
    host_mbarrier_arrive(number);
}
