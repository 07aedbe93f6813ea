/* backend/cuda/cuda_early.cu - whether kernels may start before their predecessor has
 * ended: asked of the device once a thread. */
#include "backend/cuda/cuda_early.h"

#include <cuda_runtime.h>
#include <stdlib.h>

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
        int major = 0;
        const char *off = getenv("JENSEN_CUDA_LATE");
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        early = major >= 9 && !(off && off[0] == '1');
        known_device = device;
    }
    return early && !held;
}
