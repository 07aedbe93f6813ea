/* cuda_host/host_cluster.cc - the shared memory of the blocks of a cluster. A shared variable
 * has one address in this program, and the block that runs has its own there. The others'
 * are copies: where one of them is entered, the two change places. */
#include "cuda_host/host_state.h"

#include <cstdlib>
#include <cstring>

static char *away[HOST_CLUSTER]; /* copies */

static char *copy_of(unsigned rank, size_t bytes)
{
    if (!away[rank])
        away[rank] = (char *)calloc(1, bytes);
    if (!away[rank])
        abort();
    return away[rank];
}

void host_cluster_enter(unsigned rank)
{
    size_t bytes;
    char *here = host_shared_storage(&bytes);
    memcpy(copy_of(host_fiber.rank, bytes), here, bytes);
    memcpy(here, copy_of(rank, bytes), bytes);
    host_fiber.rank = rank;
}

unsigned host_cluster_rank(void)
{
    return host_fiber.rank;
}

void *host_cluster_shared(const void *variable, unsigned rank)
{
    size_t bytes;
    const char *here = host_shared_storage(&bytes), *at = (const char *)variable;
    if ((size_t)(at - here) >= bytes || rank >= HOST_CLUSTER)
        host_break("asks for what is not shared memory of its cluster");
    return rank == host_fiber.rank ? (void *)variable
                                   : copy_of(rank, bytes) + (at - here);
}

const char *host_cluster_home(const char *pointer, unsigned *rank)
{
    size_t bytes;
    const char *here = host_shared_storage(&bytes);
    for (unsigned r = 0; r < HOST_CLUSTER; r++)
        if (away[r] && (size_t)(pointer - away[r]) < bytes) {
            if (!host_threads_alive(r))
                host_break("reads shared memory of a block that is not in its cluster, "
                           "or has ended");
            *rank = r;
            return here + (pointer - away[r]);
        }
    return nullptr;
}
