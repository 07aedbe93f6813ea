/* backend/cuda/loss_kernel.cuh - runs any loss on the device, a warp or a block a
 * sample, with the sample in shared memory: softmax, row function, gradient of the
 * logits, and, in the block that finishes last, the mean. loss/row.h includes it at the end of every loss file, where
 * JSNI_LOSS_DEFINE becomes the launcher jsni_cuda_loss_<id>_<type>(). */
#ifndef JSNI_BACKEND_CUDA_LOSS_KERNEL_CUH
#define JSNI_BACKEND_CUDA_LOSS_KERNEL_CUH

#include "backend/cuda/cuda_loss_common.cuh"
#include "backend/cuda/cuda_start.cuh"

/* e and d of the views in the dynamic shared memory of the block, one area a group. */
extern __shared__ double jsni_loss_shared[];

#ifdef JSNI_CUDA_CLIP
#define JSNI_KERNEL_ARGS jsni_cuda_clip_args
#include "backend/cuda/cuda_loss_clip.cuh"
#else
#define JSNI_KERNEL_ARGS jsni_cuda_loss_args
/* Softmax of view v from the logits of one sample. */
__device__ static inline void jsni_device_softmax(jsni_row *row, jsni_real *e, size_t v,
                                                  const float *logits, size_t classes)
{
    jsni_real top = -R(JSNI_LARGE) * R(10);
    for (size_t k = row->lane; k < classes; k += row->lanes)
        top = jsni_max(R(logits[k]), top);
    top = jsni_highest(row, top);
    jsni_real sum = R(0);
    jsni_real label = R(0);
    for (size_t c = 0; c < row->chunks; c++) {
        const size_t k = c * row->lanes + row->lane;
        const bool inside = k < classes;
        const jsni_real x =
            inside ? jsni_max(-R(JSNI_LARGE), R(logits[k]) - top) : R(0);
        const jsni_real y = inside ? jsni_exp(x) : R(0);
        row->d[jsni_at(row, v, c)] = x;
        e[jsni_at(row, v, c)] = y;
        sum += y;
        if (k == row->label)
            label = x;
    }
    sum = jsni_total(row, sum);
    row->inverse[v] = R(1) / sum;
    row->log_sum[v] = jsni_log(sum);
    if (!row->soft)
        row->label_logp[v] = jsni_total(row, label) - row->log_sum[v];
}

/* g_k - p_k sum_i g_i, see loss/row.h, times the weight of the sample. */
__device__ static inline void jsni_device_project(const jsni_row *row,
                                                  const jsni_grad *g, size_t v,
                                                  jsni_real target_sum, jsni_real scale,
                                                  bool add, float *grad, size_t classes)
{
    const jsni_real sum = g->target * target_sum + row->classes * g->uniform +
                          (g->plogp_sum + g->dense_sum);
    for (size_t c = 0; c < row->chunks; c++) {
        const size_t k = c * row->lanes + row->lane;
        if (k >= classes)
            break;
        const jsni_real p = jsni_p(row, v, c);
        jsni_real out = g->uniform - p * sum + g->target * jsni_target(row, c);
        if (g->dense)
            out += g->dense_scale * row->d[jsni_at(row, v, c)];
        if (g->entropic)
            out += g->plogp * p * jsni_logp(row, v, c);
        grad[k] = (float)(add ? R(grad[k]) + scale * out : scale * out);
    }
}
#endif

__device__ static inline void jsni_device_measure(jsni_row *row, jsni_real *sum)
{
    jsni_real plogp = R(0);
    jsni_real total = R(0);
    for (size_t c = 0; c < row->chunks; c++) {
        plogp += jsni_xlogx(jsni_target(row, c));
        total += jsni_target(row, c);
    }
    row->target_plogp = jsni_total(row, plogp);
    *sum = jsni_total(row, total);
}

/* Value and gradient of one sample by one group of threads. */
template <jsni_row_fn *Row>
__device__ static inline double jsni_device_sample(const jsni_cuda_loss_args *a,
                                                   jsni_row *row, jsni_real *e,
                                                   size_t i, double weight)
{
    jsni_grad grad[JSN_LOSS_MAX_VIEWS];
    const size_t step = a->samples * a->classes;
    const size_t groups = a->joint ? 1 : a->views_read;
    const jsni_real scale = R(jsni_device_scale(a, weight, groups));
    jsni_real target_sum = R(1);
    double value = 0.0;
    row->label = a->targets == NULL ? (size_t)a->labels[i] : a->classes;
    row->soft_target = a->targets == NULL ? NULL : a->targets + i * a->classes;
    row->target_plogp = R(0);
    row->memory = jsni_device_memory(a, i);
    row->share = scale;
    if (row->soft)
        jsni_device_measure(row, &target_sum);
    for (size_t g = 0; g < groups; g++) {
        for (size_t v = 0; v < row->views; v++) {
            const jsni_grad zero = {R(0), R(0), R(0), R(0), R(0), R(0), 0, 0, 0};
            grad[v] = zero;
            jsni_device_softmax(row, e, v, a->logits + (g + v) * step + i * a->classes,
                                a->classes);
        }
        value += (double)Row(row, grad);
        for (size_t v = 0; v < row->views && a->grad != NULL; v++)
            jsni_device_project(row, &grad[v], v, target_sum, scale, a->add,
                                a->grad + (g + v) * step + i * a->classes, a->classes);
    }
    for (size_t v = a->views_read; v < a->views && a->grad != NULL && !a->add; v++)
        for (size_t k = row->lane; k < a->classes; k += row->lanes)
            a->grad[v * step + i * a->classes + k] = 0.0f;
    return value / (double)groups;
}

template <jsni_row_fn *Row>
__global__ void __launch_bounds__(JSNI_CUDA_LOSS_THREADS)
    jsni_loss_kernel(JSNI_KERNEL_ARGS a)
{
    __shared__ jsni_real exchange[32];
    jsni_row row;
    row.lanes = a.lanes;
    row.lane = threadIdx.x % a.lanes;
    row.exchange = exchange;
    row.chunks = (a.classes + a.lanes - 1) / a.lanes;
    row.target_first = 0;
    row.target_last = row.chunks;
    row.views = a.joint ? a.views_read : 1;
    const size_t area = row.views * row.chunks * a.lanes;
    jsni_real *e = (jsni_real *)jsni_loss_shared + (threadIdx.x / a.lanes) * 2 * area;
    jsni_scalar constant[JSNI_LOSS_CONSTANTS];
    for (int c = 0; c < JSNI_LOSS_CONSTANTS; c++)
        constant[c] = R(a.constant[c]);
    row.constant = constant;
    row.e = e;
    row.d = e + area;
    row.t = row.m = NULL;
    row.classes = R(a.classes);
    row.soft = a.targets != NULL;
    row.apart = 0;
#ifdef JSNI_CUDA_CLIP
    row.tau = R(a.tau);
    row.power = R(a.power);
#endif

    const size_t i =
        blockIdx.x * (size_t)(blockDim.x / a.lanes) + threadIdx.x / a.lanes;
    double sum = 0.0;
    /* The same answer for all threads of a group. */
    if (i < a.samples && (a.chooser == NULL || (a.chooser[i] != 0) == a.chosen)) {
        const double weight = jsni_device_weight(&a, i);
        const double value = jsni_device_sample<Row>(&a, &row, e, i, weight);
        if (row.lane == 0)
            sum = jsni_device_keep(&a, i, weight, value);
    }
    jsni_device_finish(&a, sum);
}

/* Defines the launcher; cuda_loss.cu lists them from JSNI_LOSS_LIST. */
#define JSNI_LOSS_DEFINE(id, text, summary_text, kind, param_infos, param_total,   \
                         prepare_fn)                                               \
    __device__ static __forceinline__ jsni_real id##_device(const jsni_row *row,   \
                                                            jsni_grad *grad)       \
    {                                                                              \
        return id##_row(row, grad);                                                \
    }                                                                              \
    extern "C" cudaError_t JSNI_LEVELED(jsni_cuda_loss_##id)(                      \
        const JSNI_KERNEL_ARGS *args, unsigned blocks, unsigned threads,           \
        size_t shared, cudaStream_t stream)                                        \
    {                                                                              \
        if (shared > 48 * 1024) {                                                  \
            const cudaError_t error = cudaFuncSetAttribute(                        \
                (const void *)jsni_loss_kernel<id##_device>,                       \
                cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);         \
            if (error != cudaSuccess)                                              \
                return error;                                                      \
        }                                                                          \
        JSNI_START(jsni_loss_kernel<id##_device>, blocks, threads, shared, stream, \
                   *args);                                                         \
        return cudaGetLastError();                                                 \
    }                                                                              \
    static_assert((param_total) <= JSNI_LOSS_MAX_PARAMS, "raise JSNI_LOSS_MAX_PARAMS")

#endif /* JSNI_BACKEND_CUDA_LOSS_KERNEL_CUH */
