/* cuda_host/host_stubs.cc - what the kernels' launchers ask for and the host has not. */
#include "backend/cuda/cuda_early.h"
#include "jensen/status.h"

#include <cstddef>

bool jsni_launch_early(void)
{
    return false;
}

/* compiled on the device */
extern "C" jsn_status jsni_cuda_plugin_kernel(const char *, size_t, const void **)
{
    return JSN_ERR_UNSUPPORTED;
}
