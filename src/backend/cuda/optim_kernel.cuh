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
    for (uint32_t k = threadIdx.x; k < chunk.count; k += JSNI_OPTIM_BLOCK) {
        const uint32_t i = chunk.offset + k;
        float s[Slots];
        for (int slot = 0; slot < Slots; slot++)
            s[slot] = a.state ? a.state[slot * a.floats + i] : 0.0f;
        const float p = a.params[i];
        const float g = jsni_optim_gradient(p, a.grads[i], c[JSNI_OPTIM_L1]);
        a.params[i] = Rule(p, g, s, c);
        for (int slot = 0; slot < Slots && a.state; slot++)
            a.state[slot * a.floats + i] = s[slot];
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
