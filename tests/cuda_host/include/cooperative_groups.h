/* cuda_host/include/cooperative_groups.h - stands in for CUDA's header of this name. Blocks
 * in clusters are code for compute capability 9.0, which the machine has not. */
#ifndef JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H
#define JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H

namespace cooperative_groups
{
}

#endif /* JSNI_CUDA_HOST_COOPERATIVE_GROUPS_H */
