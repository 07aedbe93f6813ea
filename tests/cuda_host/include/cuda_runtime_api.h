/* cuda_host/include/cuda_runtime_api.h - stands in for CUDA's header of this name: one device,
 * whose memory is that of the arrays of host_machine.h. Kernels run when they are started,
 * so there is nothing to wait for. */
#ifndef JSNI_CUDA_HOST_CUDA_RUNTIME_API_H
#define JSNI_CUDA_HOST_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cuda_host/host_machine.h"

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorLaunchFailure = 719
} cudaError_t;
typedef struct CUstream_st *cudaStream_t;

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
#define cudaStreamPerThread ((cudaStream_t)2)

static inline cudaError_t cudaGetLastError(void)
{
    return host_fault() ? cudaErrorLaunchFailure : cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cudaMalloc(void **out, size_t bytes)
{
    *out = host_array(bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *array)
{
    host_array_free(array);
    return cudaSuccess;
}

static inline cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    memset(to, byte, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return host_fault() ? cudaErrorLaunchFailure : cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorLaunchFailure && host_fault() ? host_fault()
           : error == cudaSuccess                          ? "no error"
                                                           : "refused";
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaSuccess ? "cudaSuccess" : "cudaError";
}

#endif /* JSNI_CUDA_HOST_CUDA_RUNTIME_API_H */
