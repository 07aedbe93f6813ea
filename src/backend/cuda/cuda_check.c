/* backend/cuda/cuda_check.c - see cuda_check.h. */
#include "backend/cuda/cuda_check.h"

jsn_status jsni_cuda_check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return JSN_OK;
    (void)cudaGetLastError();
    return jsni_fail(JSN_ERR_DEVICE, "CUDA: %s failed: %s (%s)", call,
                     cudaGetErrorString(error), cudaGetErrorName(error));
}
