/* backend/cuda/optim_kernel.cuh - runs any optimiser on the device, all parameters in one
 * launch. optim_rule.h includes it in every optimiser's file, where JSNI_OPTIM_DEFINE
 * becomes the launcher jsni_cuda_optim_<id>(). */
#ifndef JSNI_BACKEND_CUDA_OPTIM_KERNEL_CUH
#define JSNI_BACKEND_CUDA_OPTIM_KERNEL_CUH

#include "backend/cuda/conv_device.cuh"
#include "backend/cuda/cuda_launch.cuh"
#include "backend/cuda/step_kernels.h"

typedef float jsni_optim_rule_fn(float p, float g, float *s, const float *c);

constexpr int JSNI_OPTIM_BLOCK = 256;
constexpr int JSNI_OPTIM_EACH = JSNI_UPDATE_CHUNK / JSNI_OPTIM_BLOCK; /* of a thread */

template <jsni_optim_rule_fn *Rule, int Slots>
static __global__ void __launch_bounds__(JSNI_OPTIM_BLOCK)
    jsni_optim_kernel(const jsni_update_args a)
{
    launch_next();
    launch_wait();
    const jsni_update_chunk chunk = a.chunks[blockIdx.x];
    const float *constant = a.rules[*a.step].constant[chunk.decay];
    float c[JSNI_OPTIM_CONSTANTS];
    for (int k = 0; k < JSNI_OPTIM_CONSTANTS; k++)
        c[k] = constant[k];
    const uint32_t first = chunk.offset + threadIdx.x;
    float p[JSNI_OPTIM_EACH], g[JSNI_OPTIM_EACH], s[JSNI_OPTIM_EACH][Slots];
#pragma unroll
    for (int e = 0; e < JSNI_OPTIM_EACH;
         e++) { /* all reads are under way before the first write */
        const uint32_t i = first + e * JSNI_OPTIM_BLOCK;
        if (i >= chunk.offset + chunk.count)
            break;
        p[e] = a.params[i];
        g[e] = a.grads[i];
        for (int slot = 0; slot < Slots; slot++)
            s[e][slot] = a.state ? a.state[slot * a.floats + i] : 0.0f;
    }
#pragma unroll
    for (int e = 0; e < JSNI_OPTIM_EACH; e++) {
        const uint32_t i = first + e * JSNI_OPTIM_BLOCK;
        if (i >= chunk.offset + chunk.count)
            break;
        a.params[i] =
            Rule(p[e], jsni_optim_gradient(p[e], g[e], c[JSNI_OPTIM_L1]), s[e], c);
        for (int slot = 0; slot < Slots && a.state; slot++)
            a.state[slot * a.floats + i] = s[e][slot];
    }
}

/* Defines the launcher; cuda_optim.c lists them from JSNI_OPTIM_LIST. */
#define JSNI_OPTIM_DEFINE(id, summary, param_infos, param_total, slot_total,        \
                          usual_rate)                                               \
    __device__ static __forceinline__ float id##_device(float p, float g, float *s, \
                                                        const float *c)             \
    {                                                                               \
        return id##_rule(p, g, s, c);                                               \
    }                                                                               \
    extern "C" cudaError_t jsni_cuda_optim_##id(const jsni_update_args *args,       \
                                                cudaStream_t stream)                \
    {                                                                               \
        return jsni_launch(jsni_optim_kernel<id##_device, slot_total>, args->count, \
                           JSNI_OPTIM_BLOCK, 0, 1, stream, *args);                  \
    }                                                                               \
    static_assert((slot_total) <= JSNI_OPTIM_MAX_SLOTS, "see optim_impl.h")

#endif /* JSNI_BACKEND_CUDA_OPTIM_KERNEL_CUH */
