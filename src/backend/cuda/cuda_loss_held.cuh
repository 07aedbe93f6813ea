/* backend/cuda/cuda_loss_held.cuh - any loss with the whole sample in registers: logits
 * are read once and gradients written once, 16 bytes at a time, and a group of one warp
 * knows no barrier. For float and class labels; loss_kernel.cuh has the rest. As there,
 * loss/row.h includes this at the end of every loss file, and JSNI_LOSS_DEFINE becomes
 * the launcher.
 *
 * Views, chunks and lanes are constants of the build (JSNI_HELD_VIEWS, JSNI_HELD,
 * JSNI_HELD_LANES), so that loops unroll and the arrays e and d become registers. A
 * thread holds quads of neighbouring classes, so their number is a multiple of four.
 *
 * Arithmetic of gjs with two views, a class: 2 exp and 1 log, some 60 instructions, 3 of
 * them on the special function unit, which has an eighth of the rate. On an H200 (132
 * multiprocessors of 128 lanes, 1.75 GHz) 65536 x 1000 classes take 0.13 ms of
 * instructions, 0.05 ms of special functions, and 0.22 ms of traffic at 4.8 TB/s.
 */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_HELD_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_HELD_CUH

#include "backend/cuda/cuda_loss_common.cuh"
#include "backend/cuda/cuda_start.cuh"

/* HELD_BLOCKS should fit a multiprocessor: e, d and some 40 more registers. */
enum {
    VIEWS = JSNI_HELD_VIEWS,
    CHUNKS = JSNI_HELD,
    LANES = JSNI_HELD_LANES,
    HELD_THREADS = LANES > 32 ? LANES : JSNI_CUDA_LOSS_HELD_THREADS,
#ifdef JSNI_HELD_BLOCKS
    HELD_BLOCKS = JSNI_HELD_BLOCKS
#else
    HELD_BLOCKS = VIEWS * CHUNKS >= 64   ? 3
                  : VIEWS * CHUNKS >= 32 ? 4
                                         : 6
#endif
};

/* Reads the logits of one view into d; what lies outside counts for nothing. */
__device__ static __forceinline__ void
jsni_held_read(const jsni_row *row, const float *logits, unsigned classes, jsni_real *d)
{
    const jsni_real none = -R(JSNI_LARGE) * R(10);
#pragma unroll
    for (int q = 0; q < CHUNKS / 4; q++) {
        const unsigned k = 4 * ((unsigned)q * LANES + row->lane);
        float4 quad = make_float4(none, none, none, none);
        if (k < classes)
            quad = *reinterpret_cast<const float4 *>(logits + k);
        d[4 * q] = quad.x;
        d[4 * q + 1] = quad.y;
        d[4 * q + 2] = quad.z;
        d[4 * q + 3] = quad.w;
    }
}

__device__ static __forceinline__ void jsni_held_write(const jsni_row *row,
                                                       const jsni_real *out, bool add,
                                                       unsigned classes, float *grad)
{
#pragma unroll
    for (int q = 0; q < CHUNKS / 4; q++) {
        const unsigned k = 4 * ((unsigned)q * LANES + row->lane);
        if (k >= classes)
            continue;
        float4 *to = reinterpret_cast<float4 *>(grad + k);
        float4 quad =
            make_float4(out[4 * q], out[4 * q + 1], out[4 * q + 2], out[4 * q + 3]);
        if (add) {
            const float4 old = *to;
            quad = make_float4(old.x + quad.x, old.y + quad.y, old.z + quad.z,
                               old.w + quad.w);
        }
        *to = quad;
    }
}

/* Softmax of one view whose logits are in d and e; `label` is the label's logit. */
__device__ static __forceinline__ void jsni_held_softmax(jsni_row *row, size_t v,
                                                         unsigned classes,
                                                         jsni_real label, jsni_real *e,
                                                         jsni_real *d)
{
    jsni_real top = d[0];
#pragma unroll
    for (int c = 1; c < CHUNKS; c++)
        top = jsni_max(top, d[c]);
    top = jsni_highest(row, top);
    jsni_real sum = R(0);
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        const unsigned k = 4 * ((unsigned)(c / 4) * LANES + row->lane);
        const jsni_real x = jsni_max(-R(JSNI_LARGE), d[c] - top);
        e[c] = jsni_softmax_exp(x);
        d[c] = k < classes ? x : R(0);
        sum += e[c];
    }
    sum = jsni_total(row, sum);
    row->inverse[v] = R(1) / sum;
    row->log_sum[v] = jsni_log(sum);
    row->label_logp[v] = jsni_max(-R(JSNI_LARGE), label - top) - row->log_sum[v];
}

/* As jsni_device_project(), with the results left in d. */
__device__ static __forceinline__ void
jsni_held_project(const jsni_row *row, const jsni_grad *g, size_t v, jsni_real scale)
{
    const jsni_real sum =
        g->target + row->classes * g->uniform + (g->plogp_sum + g->dense_sum);
    const jsni_real of_p = -scale * sum * row->inverse[v];
    const jsni_real of_dense = scale * g->dense_scale;
    const jsni_real of_plogp = scale * g->plogp * row->inverse[v];
    const jsni_real uniform = scale * g->uniform;
    const jsni_real target = scale * g->target;
    /* Where a loss leaves a part zero, that is known here, and the part vanishes. */
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        const size_t at = v * CHUNKS + (size_t)c;
        jsni_real out = row->e[at] * of_p;
        if (g->dense)
            out += of_dense * row->d[at];
        if (g->entropic)
            out += of_plogp * row->e[at] * jsni_logp(row, v, (size_t)c);
        if (g->uniform != R(0))
            out += uniform;
        if (g->target != R(0))
            out += target * jsni_target(row, (size_t)c);
        row->d[at] = out;
    }
}

/* Value and gradient of sample i, as jsni_device_sample(). */
template <jsni_row_fn *Row>
__device__ static __forceinline__ double
jsni_held_sample(const jsni_cuda_loss_args *a, jsni_row *row, size_t i, double weight)
{
    jsni_real e[VIEWS * CHUNKS], d[VIEWS * CHUNKS];
    const unsigned classes = (unsigned)a->classes;
    const size_t step = a->samples * a->classes;
    const size_t passes = VIEWS > 1 ? 1 : a->views_read;
    const jsni_real scale = R(jsni_device_scale(a, weight, passes));
    const unsigned label = (unsigned)a->labels[i];
    const unsigned quad = label / 4;
    double value = 0.0;
    row->e = e;
    row->d = d;
    row->memory = jsni_device_memory(a, i);
    row->share = scale;
    row->label =
        quad % LANES == row->lane ? quad / LANES * 4 + label % 4 : (unsigned)CHUNKS;
    for (size_t g = 0; g < passes; g++) {
        const size_t from = g * step + i * a->classes;
        jsni_real label_logit[VIEWS];
        jsni_grad grad[VIEWS];
#pragma unroll
        for (int v = 0; v < VIEWS; v++) {
            jsni_held_read(row, a->logits + from + (size_t)v * step, classes,
                           d + v * CHUNKS);
            label_logit[v] = a->logits[from + (size_t)v * step + label];
        }
#pragma unroll
        for (int v = 0; v < VIEWS; v++) {
            const jsni_grad zero = {R(0), R(0), R(0), R(0), R(0), R(0), 0, 0, 0};
            grad[v] = zero;
            jsni_held_softmax(row, (size_t)v, classes, label_logit[v], e + v * CHUNKS,
                              d + v * CHUNKS);
        }
        value += (double)Row(row, grad);
        if (a->grad == NULL)
            continue;
#pragma unroll
        for (int v = 0; v < VIEWS; v++) {
            jsni_held_project(row, &grad[v], (size_t)v, scale);
            jsni_held_write(row, d + v * CHUNKS, a->add, classes,
                            a->grad + from + (size_t)v * step);
        }
    }
    for (size_t v = a->views_read; v < a->views && a->grad != NULL && !a->add; v++)
        for (size_t k = row->lane; k < a->classes; k += LANES)
            a->grad[v * step + i * a->classes + k] = 0.0f;
    return value / (double)passes;
}

template <jsni_row_fn *Row>
__global__ void __launch_bounds__(HELD_THREADS, HELD_BLOCKS)
    jsni_held_kernel(const __grid_constant__ jsni_cuda_loss_args a)
{
    __shared__ jsni_real exchange[32];
    jsni_scalar constant[JSNI_LOSS_CONSTANTS];
#pragma unroll
    for (int c = 0; c < JSNI_LOSS_CONSTANTS; c++)
        constant[c] = R(a.constant[c]);
    jsni_row row;
    row.lane = threadIdx.x % LANES;
    row.exchange = exchange;
    row.constant = constant;
    row.t = row.m = NULL;
    row.classes = R(a.classes);
    row.soft_target = NULL;
    row.target_plogp = R(0);
    row.apart = 0;

    const size_t groups = blockDim.x / LANES;
    const size_t first = (blockIdx.x * groups + threadIdx.x / LANES) * a.repeat;
    double sum = 0.0;
    for (size_t i = first; i < first + a.repeat && i < a.samples; i++) {
        if (a.chooser != NULL && (a.chooser[i] != 0) != a.chosen)
            continue;
        const double weight = jsni_device_weight(&a, i);
        const double value = jsni_held_sample<Row>(&a, &row, i, weight);
        if (row.lane == 0)
            sum += jsni_device_keep(&a, i, weight, value);
    }
    jsni_device_finish(&a, sum);
}

/* Defines the launcher; cuda_loss.cu lists them from JSNI_LOSS_LIST. */
#define JSNI_LOSS_DEFINE(id, text, summary_text, kind, param_infos, param_total,      \
                         prepare_fn)                                                  \
    __device__ static __forceinline__ jsni_real id##_device(const jsni_row *row,      \
                                                            jsni_grad *grad)          \
    {                                                                                 \
        return id##_row(row, grad);                                                   \
    }                                                                                 \
    extern "C" cudaError_t JSNI_LEVELED(jsni_cuda_loss_##id)(                         \
        const jsni_cuda_loss_args *args, unsigned blocks, unsigned threads, size_t,   \
        cudaStream_t stream)                                                          \
    {                                                                                 \
        JSNI_START(jsni_held_kernel<id##_device>, blocks, threads, 0, stream, *args); \
        return cudaGetLastError();                                                    \
    }                                                                                 \
    static_assert((((kind)&JSNI_JOINT) != 0 ? 2 : 1) == JSNI_HELD_VIEWS,              \
                  "views of a joint loss")

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_HELD_CUH */
