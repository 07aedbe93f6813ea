/* backend/onednn/kernel_impl.h - for the files that are compiled once for each
 * instruction set. The build defines JSNI_KERNEL_SET (avx512) and the level of core/vec.h; a
 * function kernel_name(f) is jsni_f_avx512 and so on. */
#ifndef JSNI_BACKEND_ONEDNN_KERNEL_IMPL_H
#define JSNI_BACKEND_ONEDNN_KERNEL_IMPL_H

#include <math.h>
#include <string.h>

#include "backend/onednn/kernel_set.h"
#include "backend/onednn/kernel_vec.h"

#define KERNEL_JOIN2(name, set) jsni_##name##_##set
#define KERNEL_JOIN(name, set)  KERNEL_JOIN2(name, set)
#define KERNEL(name)            KERNEL_JOIN(name, JSNI_KERNEL_SET)

/* Loops that must be unrolled whole for their arrays to stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* One block of channels of a jsni_load. A missing BatchNorm is the identity, exact in
 * floating point; a missing ReLU is a floor of minus infinity, a ReLU without an upper
 * end a top of infinity. */
typedef struct loader {
    vec mean, scale, shift, floor, top;
} loader;

VEC_INLINE loader loader_of(const jsni_load *load, size_t block)
{
    loader r = {vec_zero(), vec_set(1.0f), vec_zero(), vec_set(-INFINITY),
                vec_set(INFINITY)};
    if (load != NULL && load->mean != NULL) {
        r.mean = vec_load(load->mean + block * VEC);
        r.scale = vec_load(load->scale + block * VEC);
        r.shift = vec_load(load->shift + block * VEC);
    }
    if (load != NULL && load->relu)
        r.floor = vec_zero();
    if (load != NULL && load->six)
        r.top = vec_set(JSNI_RELU6_TOP);
    return r;
}

/* Without the upper end, which the Winograd kernels never meet. */
VEC_INLINE vec loader_apply(const loader *l, vec x)
{
    return vec_max(l->floor, vec_fma(vec_sub(x, l->mean), l->scale, l->shift));
}

VEC_INLINE vec loader_get(const loader *l, const float *p)
{
    return loader_apply(l, vec_load(p));
}

VEC_INLINE vec loader_apply6(const loader *l, vec x)
{
    return vec_min(l->top, loader_apply(l, x));
}

VEC_INLINE vec loader_get6(const loader *l, const float *p)
{
    return loader_apply6(l, vec_load(p));
}

jsni_wino_need KERNEL(wino_need)(const jsni_wino *w);
void KERNEL(wino_weights)(const float *weights, size_t outs, size_t ins, bool turned,
                          size_t from, size_t to, float *to_planes);
void KERNEL(wino_conv)(const jsni_wino *w, const jsni_wino_call *call,
                       const jsni_wino_scratch *scratch);
void KERNEL(wino_gradient)(const jsni_wino *w, const float *x, const jsni_load *load,
                           const float *g, size_t images, bool first,
                           const jsni_wino_scratch *scratch);
void KERNEL(wino_gradient_end)(const jsni_wino *w, const jsni_wino_scratch *scratch,
                               float *to);
size_t KERNEL(depthwise_need)(const jsni_pool_shape *p);
void KERNEL(depthwise_weights)(const float *weights, size_t channels, size_t area,
                               float *to);
void KERNEL(depthwise)(const jsni_pool_shape *p, const jsni_depthwise_call *call,
                       float *scratch);
void KERNEL(depthwise_back)(const jsni_pool_shape *p, size_t images, const float *g,
                            const float *weights, const float *add, float *out,
                            float *scratch);
void KERNEL(depthwise_gradient)(const jsni_pool_shape *p, size_t images, const float *x,
                                const jsni_load *load, const float *g, bool first,
                                float *to, float *scratch);
void KERNEL(combine)(jsni_extent extent, const float *a, const jsni_load *load_a,
                     const float *b, const jsni_load *load_b, bool relu, float *out);
void KERNEL(sums)(jsni_extent extent, const float *x, const jsni_sums *sums,
                  bool first);
void KERNEL(back_sums)(jsni_extent extent, const float *x, const jsni_load *load,
                       const float *g, const jsni_sums *sums);
void KERNEL(back)(jsni_extent extent, const float *x, const jsni_load *load,
                  const jsni_norm_back *back, const float *g, const float *add,
                  float *out);
void KERNEL(mask)(jsni_extent extent, const float *y, const float *g, float *out);
void KERNEL(channel_sums)(jsni_extent extent, const float *g, double *to);
void KERNEL(add_bias)(jsni_extent extent, const float *bias, float *x);
void KERNEL(max_pool)(const jsni_pool_shape *p, size_t images, const float *x,
                      float *y);
void KERNEL(max_pool_back)(const jsni_pool_shape *p, size_t images, const float *x,
                           const float *gy, float *gx);
void KERNEL(avg_pool)(const jsni_pool_shape *p, size_t images, const float *x,
                      float *y);
void KERNEL(avg_pool_back)(const jsni_pool_shape *p, size_t images, const float *gy,
                           float *gx);
void KERNEL(adaptive_pool)(const jsni_pool_shape *p, size_t images, const float *x,
                           float *y);
void KERNEL(adaptive_pool_back)(const jsni_pool_shape *p, size_t images,
                                const float *gy, float *gx);
void KERNEL(reduce_weights)(const float *parts, size_t count, size_t stride,
                            size_t outs, size_t ins, size_t kernel, size_t from,
                            size_t to, float *gradient);

extern const jsni_kernel_set KERNEL(kernel_set);

#endif /* JSNI_BACKEND_ONEDNN_KERNEL_IMPL_H */
