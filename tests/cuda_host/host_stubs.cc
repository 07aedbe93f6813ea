/* cuda_host/host_stubs.cc - what the kernels' launchers ask for and the host has not. */
#include "backend/cuda/conv_kernels.h"
#include "backend/cuda/cuda_early.h"
#include "jensen/status.h"

bool jsni_launch_early(void)
{
    return false;
}

/* wgmma, for compute capability 9.0 alone */
cudaError_t jsni_conv3x3_rows(const jsni_conv_args *, jsni_conv_prologue,
                              jsni_conv_epilogue, cudaStream_t)
{
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t jsni_conv3x3_image(const jsni_conv_args *, int, jsni_conv_prologue,
                               jsni_conv_epilogue, cudaStream_t)
{
    return cudaErrorInvalidDeviceFunction;
}

/* compiled on the device */
extern "C" jsn_status jsni_cuda_plugin_kernel(const char *, size_t, const void **)
{
    return JSN_ERR_UNSUPPORTED;
}
