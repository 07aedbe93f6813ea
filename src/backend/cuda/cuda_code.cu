/* backend/cuda/cuda_code.cu - see cuda_code.h. */
#include "backend/cuda/cuda_code.h"

static __global__ void tell(jsni_cuda_code *code)
{
#if __CUDA_ARCH__ >= 900
    code->sm90 = true;
#else
    code->sm90 = false;
#endif
#if __CUDA_ARCH_FEAT_SM90_ALL
    code->sm90a = true;
#else
    code->sm90a = false;
#endif
}

cudaError_t jsni_cuda_code_of(jsni_cuda_code *code)
{
    jsni_cuda_code *told = NULL;
    cudaError_t error = cudaMalloc((void **)&told, sizeof *told);
    if (error != cudaSuccess)
        return error;
    tell<<<1, 1>>>(told);
    error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(code, told, sizeof *told, cudaMemcpyDeviceToHost);
    (void)cudaFree(told);
    return error;
}

bool jsni_cuda_code_sm90(void)
{
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)tell) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.ptxVersion >= 90;
}
