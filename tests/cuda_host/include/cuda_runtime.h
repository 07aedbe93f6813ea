/* cuda_host/include/cuda_runtime.h - stands in for CUDA's header of this name, as far as the
 * kernels of src/backend/cuda need it, so that a C++ compiler alone compiles them. Blocks
 * are run by host_machine.cc. C sees the types, C++ also the language.
 *
 * __shared__ becomes thread_local: both a variable in a function and `extern` may have it,
 * and the storage of all of them is one stretch that the machine can find. */
#ifndef JSNI_CUDA_HOST_CUDA_RUNTIME_H
#define JSNI_CUDA_HOST_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

typedef struct float2 {
    float x, y;
} __attribute__((aligned(8))) float2;
typedef struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16))) float4;
typedef struct uint2 {
    unsigned x, y;
} __attribute__((aligned(8))) uint2;
typedef struct uint4 {
    unsigned x, y, z, w;
} __attribute__((aligned(16))) uint4;

#ifdef __cplusplus
#include <cmath>
#include <cstring>

/* The kernels on wgmma are compiled. Code for __CUDA_ARCH__ is not: it is for the sake of
 * nvcc, but for clusters (see CMakeLists.txt). */
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__       thread_local

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaLaunchAttributeID {
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeProgrammaticStreamSerialization
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    struct {
        dim3 clusterDim;
        int programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

static inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}

/* The machine calls a kernel with its arguments, once for each thread. */
template <class CALL> static void host_run_call(const void *call)
{
    (*(const CALL *)call)();
}

template <class... P, class... A>
static cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                      void (*kernel)(P...), A... args)
{
    const auto call = [=] { kernel(args...); };
    host_shape shape = {config->gridDim.x, config->blockDim.x, 1,
                        config->dynamicSmemBytes, false};
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            shape.cluster = config->attrs[i].val.clusterDim.x;
    return host_launch(host_run_call<decltype(call)>, &call, &shape)
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}

/* JSNI_START of cuda_start.cuh, whose guard this is: such a kernel begins when those before
 * it have ended. */
#define JSNI_BACKEND_CUDA_CUDA_START_CUH
#define JSNI_START(kernel, blocks, threads, shared, stream, ...) \
    host_start(kernel, blocks, threads, shared)(__VA_ARGS__)

template <class... P>
static inline auto host_start(void (*kernel)(P...), unsigned blocks, unsigned threads,
                              size_t shared)
{
    return [=](P... args) {
        const auto call = [=] { kernel(args...); };
        const host_shape shape = {blocks, threads, 1, shared, true};
        (void)host_launch(host_run_call<decltype(call)>, &call, &shape);
    };
}

/* Of kernels by their address: those of plugins. */
static inline cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                                           cudaStream_t)
{
    return cudaErrorInvalidDeviceFunction;
}

/* ---- the functions of the language ---- */

#define __syncthreads()                   host_barrier()
#define __syncwarp()                      host_warp_barrier()
#define __threadfence()                   host_fence()
#define __cvta_generic_to_shared(pointer) host_shared_number(pointer)

static inline float2 make_float2(float x, float y)
{
    return {x, y};
}

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}

static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

template <class TO, class FROM> static inline TO host_bits(FROM from)
{
    static_assert(sizeof(TO) == sizeof(FROM), "bits of one size");
    TO to;
    memcpy(&to, &from, sizeof to);
    return to;
}

static inline unsigned __float_as_uint(float x)
{
    return host_bits<unsigned>(x);
}

static inline int __float_as_int(float x)
{
    return host_bits<int>(x);
}

static inline float __uint_as_float(unsigned x)
{
    return host_bits<float>(x);
}

static inline float __int_as_float(int x)
{
    return host_bits<float>(x);
}

static inline double __dadd_rn(double a, double b)
{
    return a + b;
}

static inline double __dmul_rn(double a, double b)
{
    return a * b;
}

template <class T> static inline T __ldg(const T *from)
{
    return *from;
}

template <class T> static inline T __ldcg(const T *from)
{
    return *from;
}

template <class T> static inline T __shfl_xor_sync(unsigned, T value, int apart)
{
    static_assert(sizeof(T) <= 8, "what a shuffle moves");
    T got;
    host_shuffle(&value, &got, sizeof(T), (int)(threadIdx.x % 32) ^ apart);
    return got;
}

template <class T> static inline T __shfl_up_sync(unsigned, T value, unsigned apart)
{
    T got;
    const int lane = (int)(threadIdx.x % 32), from = lane - (int)apart;
    host_shuffle(&value, &got, sizeof(T), from < 0 ? lane : from);
    return got;
}

/* Atomics: nothing runs between the reading and the writing. */
template <class T, class CHANGE> static inline T host_atomic(T *at, CHANGE change)
{
    T old, now;
    host_atomic_begin(at, &old, sizeof(T));
    now = change(old);
    host_atomic_end(at, &now, sizeof(T));
    return old;
}

template <class T, class V> static inline T atomicAdd(T *at, V value)
{
    return host_atomic(at, [=](T old) { return (T)(old + (T)value); });
}

template <class T, class V> static inline T atomicMin(T *at, V value)
{
    return host_atomic(at, [=](T old) { return (T)value < old ? (T)value : old; });
}

template <class T, class V> static inline T atomicMax(T *at, V value)
{
    return host_atomic(at, [=](T old) { return (T)value > old ? (T)value : old; });
}

template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b)
{
    return b < a ? b : a;
}

template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b)
{
    return a < b ? b : a;
}

#include "cuda_host/host_ptx.h"
#endif /* __cplusplus */

#endif /* JSNI_CUDA_HOST_CUDA_RUNTIME_H */
