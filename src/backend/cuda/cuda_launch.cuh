/* backend/cuda/cuda_launch.cuh - starts a kernel with what the plain <<<>>> form cannot
 * say: more than 48 KB of shared memory, clusters, and programmatic dependent launch,
 * which lets the next kernel of the stream begin its set-up early. Every kernel started
 * through here therefore calls launch_wait() before it touches memory that an earlier
 * kernel of the step writes or reads. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LAUNCH_CUH
#define JSNI_BACKEND_CUDA_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>

#include "backend/cuda/cuda_early.h"

/* Shared memory that a block can have on every device from 8.0 on. */
constexpr int SHARED_EVERYWHERE = 99 * 1024;

template <class... P, class... A>
static cudaError_t jsni_launch(void (*kernel)(P...), long long blocks, int threads,
                               int shared, int cluster, cudaStream_t stream,
                               const A &...args)
{
    if (shared > 48 * 1024) {
        const cudaError_t error = cudaFuncSetAttribute(
            (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        if (error != cudaSuccess)
            return error;
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[2];
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared;
    config.stream = stream;
    config.attrs = attributes;
    if (cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs].val.clusterDim.x = (unsigned)cluster;
        attributes[config.numAttrs].val.clusterDim.y = 1;
        attributes[config.numAttrs++].val.clusterDim.z = 1;
    }
    if (jsni_launch_early()) {
        attributes[config.numAttrs].id =
            cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, (P)args...);
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LAUNCH_CUH */
