/* cuda_host/include/cooperative_groups.h - stands in for CUDA's header of this name: the
 * blocks of a cluster. */
#ifndef JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H
#define JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H

#include "cuda_host/host_machine.h"

namespace cooperative_groups
{
struct cluster_group {
    void sync() const
    {
        host_cluster_barrier();
    }
    unsigned block_rank() const
    {
        return host_cluster_rank();
    }
    /* Where `variable` of shared memory lies in that of another block. */
    template <class T> T *map_shared_rank(T *variable, int rank) const
    {
        return (T *)host_cluster_shared(variable, (unsigned)rank);
    }
};

static inline cluster_group this_cluster()
{
    return {};
}
} // namespace cooperative_groups

#endif /* JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H */
