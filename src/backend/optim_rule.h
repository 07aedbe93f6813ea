/* backend/optim_rule.h - what an optimiser is written against. Its file backend/optim_<id>.c
 * has the parameters of its spec, <id>_prepare(), which makes the constants of a step
 * from them on the host, and <id>_rule(), which steps one parameter:
 *
 *     JSNI_HD static inline float <id>_rule(float p, float g, float *s, const float *c);
 *
 * p is the parameter, g its gradient, that of the L1 norm included, s its state [slots],
 * zero at first, c the constants; the new parameter is returned. The last line, JSNI_OPTIM_DEFINE, makes the record of
 * the table from them, or, where the file is compiled as CUDA C++, the kernel. */
#ifndef JSNI_BACKEND_OPTIM_RULE_H
#define JSNI_BACKEND_OPTIM_RULE_H

#include <math.h>
#include <string.h>

#include "backend/optim_impl.h"
#include "core/hd.h"

/* The gradient g of p with that of l1 * |p|, 0 at p = 0; g itself where l1 is 0. */
JSNI_HD static inline float jsni_optim_gradient(float p, float g, float l1)
{
    const float slope = p > 0.0f ? l1 : p < 0.0f ? -l1 : 0.0f;
    return l1 != 0.0f ? g + slope : g;
}

#ifdef __CUDACC__
#include "backend/cuda/optim_kernel.cuh"
#else

typedef float jsni_optim_rule_fn(float p, float g, float *s, const float *c);

/* The constants are copied: they might be among what is written. */
static inline void jsni_optim_walk(jsni_optim_rule_fn *rule, size_t slots,
                                   const float *constant, size_t count, float *params,
                                   const float *grads, float *state, size_t stride)
{
    float c[JSNI_OPTIM_CONSTANTS];
    memcpy(c, constant, sizeof c);
    for (size_t i = 0; i < count; i++) {
        float s[JSNI_OPTIM_MAX_SLOTS];
        for (size_t k = 0; k < slots; k++)
            s[k] = state[k * stride + i];
        const float p = params[i];
        params[i] = rule(p, jsni_optim_gradient(p, grads[i], c[JSNI_OPTIM_L1]), s, c);
        for (size_t k = 0; k < slots; k++)
            state[k * stride + i] = s[k];
    }
}

/* `rate_of_128` is the learning rate for batches of 128 where the user names none. */
#define JSNI_OPTIM_DEFINE(id, summary, param_infos, param_total, slot_total,          \
                          rate_of_128)                                                \
    static void id##_apply(const float *c, size_t count, float *params,               \
                           const float *grads, float *state, size_t stride)           \
    {                                                                                 \
        jsni_optim_walk(id##_rule, slot_total, c, count, params, grads, state,        \
                        stride);                                                      \
    }                                                                                 \
    extern const jsni_optim_def jsni_optim_##id;                                      \
    const jsni_optim_def jsni_optim_##id = {{#id, summary, param_infos, param_total}, \
                                            rate_of_128,                              \
                                            slot_total,                               \
                                            id##_prepare,                             \
                                            id##_apply};                              \
    _Static_assert((param_total) <= JSNI_OPTIM_MAX_PARAMS &&                          \
                       (slot_total) <= JSNI_OPTIM_MAX_SLOTS,                          \
                   "raise the bounds in optim_impl.h")

#endif /* __CUDACC__ */

#endif /* JSNI_BACKEND_OPTIM_RULE_H */
