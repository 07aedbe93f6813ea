/* backend/cuda/cuda_early.cu - whether kernels may start before their predecessor has
 * ended: asked of the device once a thread. Kernels that were compiled for older devices
 * do not wait by themselves. */
#include "backend/cuda/cuda_early.h"

#include <cuda_runtime.h>
#include <stdlib.h>

#include "backend/cuda/cuda_code.h"

static thread_local bool held = false;

void jsni_launch_hold(bool on)
{
    held = on;
}

bool jsni_launch_early(void)
{
    static thread_local int known_device = -1;
    static thread_local bool early = false;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess)
        return false;
    if (device != known_device) {
        const char *off = getenv("JENSEN_CUDA_LATE");
        early = jsni_cuda_code_sm90() && !(off && off[0] == '1');
        known_device = device;
    }
    return early && !held;
}
