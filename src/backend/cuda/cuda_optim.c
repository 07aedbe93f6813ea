/* backend/cuda/cuda_optim.c - the optimisers of the device; see optim_kernel.cuh. */
#include "backend/cuda/step_kernels.h"
#include "backend/optim_list.h"

typedef cudaError_t launch_fn(const jsni_update_args *args, cudaStream_t stream);

#define TABLE_DECLARE(id) launch_fn jsni_cuda_optim_##id;
JSNI_OPTIM_LIST(TABLE_DECLARE)
#undef TABLE_DECLARE

#define TABLE_ENTRY(id) jsni_cuda_optim_##id,
static launch_fn *const table[] = {JSNI_OPTIM_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

cudaError_t jsni_update_all(size_t optimiser, const jsni_update_args *args,
                            cudaStream_t stream)
{
    return table[optimiser](args, stream);
}
