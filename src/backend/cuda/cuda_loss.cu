/* backend/cuda/cuda_loss.cu - see cuda_loss.h. Chooses the launch and lists the kernels
 * that the loss files define. */
#include "backend/cuda/cuda_loss.h"

#include <cuda_runtime.h>
#include <math.h>

#include "backend/cuda/cuda_loss_args.h"
#include "backend/cuda/cuda_loss_common.cuh"
#include "backend/cuda/cuda_start.cuh"
#include "loss/loss_list.h"

typedef cudaError_t launch_fn(const jsni_cuda_loss_args *args, unsigned blocks,
                              unsigned threads, size_t shared, cudaStream_t stream);
typedef cudaError_t clip_fn(const jsni_cuda_clip_args *args, unsigned blocks,
                            unsigned threads, size_t shared, cudaStream_t stream);

#define DECLARE(id)                                 \
    extern "C" launch_fn jsni_cuda_loss_##id##_f32; \
    extern "C" launch_fn jsni_cuda_loss_##id##_f64; \
    extern "C" clip_fn jsni_cuda_loss_##id##_clip;  \
    extern "C" launch_fn jsni_cuda_loss_##id##_h8;  \
    extern "C" launch_fn jsni_cuda_loss_##id##_h16; \
    extern "C" launch_fn jsni_cuda_loss_##id##_h32;
JSNI_LOSS_LIST(DECLARE)
#undef DECLARE

#define ENTRY_F32(id)  jsni_cuda_loss_##id##_f32,
#define ENTRY_F64(id)  jsni_cuda_loss_##id##_f64,
#define ENTRY_CLIP(id) jsni_cuda_loss_##id##_clip,
#define ENTRY_H8(id)   jsni_cuda_loss_##id##_h8,
#define ENTRY_H16(id)  jsni_cuda_loss_##id##_h16,
#define ENTRY_H32(id)  jsni_cuda_loss_##id##_h32,
static launch_fn *const launch_f32[] = {JSNI_LOSS_LIST(ENTRY_F32)};
static launch_fn *const launch_f64[] = {JSNI_LOSS_LIST(ENTRY_F64)};
static clip_fn *const launch_clip[] = {JSNI_LOSS_LIST(ENTRY_CLIP)};
static launch_fn *const launch_h8[] = {JSNI_LOSS_LIST(ENTRY_H8)};
static launch_fn *const launch_h16[] = {JSNI_LOSS_LIST(ENTRY_H16)};
static launch_fn *const launch_h32[] = {JSNI_LOSS_LIST(ENTRY_H32)};
#undef ENTRY_F32
#undef ENTRY_F64
#undef ENTRY_CLIP
#undef ENTRY_H8
#undef ENTRY_H16
#undef ENTRY_H32

/* Kernels that hold a sample in registers, by the most classes, with the threads a sample
 * that cuda_loss.cmake builds them for. */
static const struct {
    size_t classes;
    unsigned lanes;
    launch_fn *const *launch;
} held[] = {{256, 32, launch_h8}, {512, 32, launch_h16}, {1024, 32, launch_h32}};

/* In a workspace: the inverse of the sum of the weights, the mean where the caller has no
 * place for it, the count of finished blocks, then the values. */
typedef struct workspace_head {
    double inverse_weight;
    double mean;
    unsigned finished;
    unsigned unused;
} workspace_head;

enum {
    FEW_CLASSES = 32,   /* up to here a thread has one, and nothing is gained */
    WARP_CLASSES = 256, /* up to here a warp takes a sample in shared memory */
    WARPS = 4,          /* then so many samples share a block */
    GROUPS = 16384,     /* most groups that hold samples in registers */
    WEIGHT_THREADS = 256,
    PREPARE_THREADS = 1024
};

size_t jsni_cuda_loss_workspace(size_t samples)
{
    return sizeof(workspace_head) + samples * sizeof(double);
}

/* One block: the sum of the weights, in a fixed order. */
static __global__ void sum_weights(jsni_cuda_loss_args a, double *inverse)
{
    __shared__ double partial[WEIGHT_THREADS];
    double sum = 0.0;
    for (size_t i = threadIdx.x; i < a.samples; i += blockDim.x) {
        double weight = a.sample_weights == NULL ? 1.0 : a.sample_weights[i];
        if (a.class_weights != NULL && a.targets == NULL)
            weight *= a.class_weights[a.labels[i]];
        if (a.class_weights != NULL && a.targets != NULL) {
            double mean = 0.0;
            for (size_t k = 0; k < a.classes; k++)
                mean += a.class_weights[k] * (double)a.targets[i * a.classes + k];
            weight *= mean;
        }
        sum += weight;
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0;
        for (unsigned t = 0; t < blockDim.x; t++)
            sum += partial[t];
        *inverse = 1.0 / sum;
    }
}

/* The loss is the root of the mean: its gradient has the factor outer / (2 root). */
static __global__ void take_root(double *mean, float *mean_float, double outer)
{
    *mean = *mean > 0.0 ? outer * sqrt(*mean) : *mean < 0.0 ? 0.0 : *mean;
    if (mean_float != NULL)
        *mean_float = (float)*mean;
}

static __global__ void scale_by_root(const double *root, double outer, float *grad,
                                     size_t count)
{
    const double factor = *root > 0.0 ? outer * outer / (2.0 * *root) : 0.0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        grad[i] *= (float)factor;
}

/* Threads a sample: a warp, or as many as give each a few classes. */
static unsigned lanes_for(size_t classes)
{
    if (classes <= WARP_CLASSES)
        return 32;
    const size_t wanted = (classes / 4 + 31) / 32 * 32;
    return (unsigned)(wanted < JSNI_CUDA_LOSS_THREADS ? wanted
                                                      : JSNI_CUDA_LOSS_THREADS);
}

/* Rows that can be read in quads, of a loss that such a kernel can run. */
static bool can_be_held(const jsni_loss_device_term *term, const jsni_cuda_loss_args *a)
{
    const size_t pointers = (size_t)a->logits | (size_t)a->grad;
    return !term->in_double && a->targets == NULL && a->classes > FEW_CLASSES &&
           a->classes % 4 == 0 && pointers % 16 == 0 &&
           (!term->joint || a->views_read == 2);
}

static size_t slots_of(const jsni_cuda_loss_args *a, size_t blocks)
{
    return a->chooser == NULL && !a->summed ? blocks : a->samples;
}

static cudaError_t launch_held(const jsni_loss_device_term *term,
                               jsni_cuda_loss_args *a, cudaStream_t stream, bool *done)
{
    for (size_t h = 0; h < sizeof held / sizeof held[0]; h++) {
        if (a->classes > held[h].classes)
            continue;
        const size_t groups = held[h].lanes == 32 ? WARPS : 1;
        const size_t repeat = (a->samples + GROUPS - 1) / GROUPS;
        const size_t blocks = (a->samples + groups * repeat - 1) / (groups * repeat);
        a->lanes = held[h].lanes;
        a->repeat = (unsigned)repeat;
        a->slots = slots_of(a, blocks);
        *done = true;
        return held[h].launch[term->index](a, (unsigned)blocks,
                                           (unsigned)groups * a->lanes, 0, stream);
    }
    return cudaSuccess;
}

size_t jsni_cuda_loss_shared(const jsni_loss_device *loss)
{
    const size_t lanes = lanes_for(loss->classes), groups = lanes == 32 ? WARPS : 1;
    const size_t chunks = (loss->classes + lanes - 1) / lanes;
    const size_t views = loss->joint ? loss->views_read : 1;
    return groups * 2 * views * chunks * lanes *
           (loss->in_double ? sizeof(double) : sizeof(float));
}

/* Of clipped logits, and of plugins, whose only kernel is of this kind. */
static cudaError_t launch_clipped(const jsni_loss_device *loss,
                                  const jsni_loss_device_term *term,
                                  const jsni_cuda_loss_args *a, unsigned blocks,
                                  size_t shared, cudaStream_t stream)
{
    const bool clipped = loss->tau > 0.0;
    const unsigned threads = (a->lanes == 32 ? WARPS : 1) * a->lanes;
    jsni_cuda_clip_args clip;
    (jsni_cuda_loss_args &)clip = *a;
    clip.tau = clipped ? loss->tau : HUGE_VAL; /* no norm is larger */
    clip.power = clipped ? loss->power : 2.0;
    if (term->plugin == NULL)
        return launch_clip[term->index](&clip, blocks, threads, shared, stream);
    if (term->kernel == NULL)
        return cudaErrorInvalidDeviceFunction;
    void *args[] = {&clip};
    return cudaLaunchKernel(term->kernel, dim3(blocks), dim3(threads), args, shared,
                            stream);
}

static cudaError_t launch_term(const jsni_loss_device *loss,
                               const jsni_loss_device_term *term,
                               jsni_cuda_loss_args *a, cudaStream_t stream)
{
    a->views_read = loss->views_read;
    a->joint = term->joint;
    a->share = term->weight;
    for (int c = 0; c < JSNI_LOSS_CONSTANTS; c++)
        a->constant[c] = term->constant[c];
    if (loss->tau == 0.0 && term->plugin == NULL && can_be_held(term, a)) {
        bool done = false;
        const cudaError_t error = launch_held(term, a, stream, &done);
        if (done)
            return error;
    }
    a->lanes = lanes_for(a->classes);
    a->repeat = 1;
    const size_t groups = a->lanes == 32 ? WARPS : 1;
    const size_t shared = jsni_cuda_loss_shared(loss);
    const size_t blocks = (a->samples + groups - 1) / groups;
    a->slots = slots_of(a, blocks);
    if (loss->tau > 0.0 || term->plugin != NULL)
        return launch_clipped(loss, term, a, (unsigned)blocks, shared, stream);
    launch_fn *fn = (term->in_double ? launch_f64 : launch_f32)[term->index];
    return fn(a, (unsigned)blocks, (unsigned)(groups * a->lanes), shared, stream);
}

/* The losses of a sum one after another, each adding to what those before it left; the
 * logits must be there until the last. */
static cudaError_t launch(const jsni_loss_device *loss, jsni_cuda_loss_args *a,
                          cudaStream_t stream)
{
    const bool finish = a->finish;
    float *memory = a->memory;
    const uint32_t *places = a->places;
    a->summed = loss->term_count > 1;
    if (a->summed && (const float *)a->grad == a->logits)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t t = 0; error == cudaSuccess && t < loss->term_count; t++) {
        a->add = t > 0;
        a->finish = finish && t + 1 == loss->term_count;
        a->memory = loss->terms[t].method ? memory : NULL;
        if (loss->terms[t].matrix && (loss->table == NULL || a->labels == NULL))
            return cudaErrorInvalidValue;
        if (loss->terms[t].matrix) { /* the row of the table at a sample's label */
            a->memory = const_cast<float *>(loss->table);
            a->places = (const uint32_t *)a->labels;
        }
        error = launch_term(loss, &loss->terms[t], a, stream);
        a->places = places;
    }
    a->add = false;
    return error;
}

/* One block: what the kernels read of a batch of the caller's, and the inverse of the sum of
 * its weights, in a fixed order. A label that is ignored has no weight; one that is no class
 * has NaN, so that it cannot go unnoticed. */
static __global__ void prepare(jsn_loss_gpu_batch batch, jsni_cuda_loss_args a,
                               int32_t *labels, double *weights, workspace_head *head)
{
    __shared__ double partial[PREPARE_THREADS];
    double sum = 0.0;
    for (size_t i = threadIdx.x; i < batch.samples; i += PREPARE_THREADS) {
        if (batch.labels != NULL) {
            const int64_t label = batch.labels[i];
            const bool ignored = batch.ignores && label == batch.ignore_index;
            const bool valid = label >= 0 && label < (int64_t)a.classes;
            const double given =
                batch.sample_weights == NULL ? 1.0 : batch.sample_weights[i];
            labels[i] = valid && !ignored ? (int32_t)label : 0;
            weights[i] = ignored ? 0.0 : valid ? given : nan("");
        }
        sum += jsni_device_weight(&a, i);
    }
    partial[threadIdx.x] = sum;
    for (unsigned half = PREPARE_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        head->inverse_weight = 1.0 / (batch.divisor > 0.0 ? batch.divisor : partial[0]);
        head->finished = 0;
    }
}

int jsni_cuda_loss_prepare(const jsn_loss_gpu_batch *given, size_t classes,
                           int32_t *labels, double *weights, jsni_cuda_loss_batch *out)
{
    workspace_head *head = (workspace_head *)given->workspace;
    jsni_cuda_loss_args a = {};
    *out = jsni_cuda_loss_batch{};
    out->samples = given->samples;
    out->logits = given->logits;
    out->labels = given->labels == NULL ? NULL : labels;
    out->targets = given->targets;
    out->class_weights = given->class_weights;
    out->sample_weights = given->labels == NULL ? given->sample_weights : weights;
    out->inverse_weight = &head->inverse_weight;
    a.classes = classes;
    a.labels = out->labels;
    a.targets = out->targets;
    a.class_weights = out->class_weights;
    a.sample_weights = out->sample_weights;
    JSNI_START(prepare, 1, PREPARE_THREADS, 0, (cudaStream_t)given->stream, *given, a,
               labels, weights, head);
    return (int)cudaGetLastError();
}

static __global__ void scale(float *numbers, size_t count, const float *factor)
{
    const float f = *factor;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    if (f == 1.0f)
        return;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        numbers[i] *= f;
}

int jsni_cuda_loss_scale(float *numbers, size_t count, const float *factor,
                         void *stream)
{
    enum { BLOCKS = 1024, THREADS = 256 };
    const size_t blocks = (count + THREADS - 1) / THREADS;
    JSNI_START(scale, (unsigned)(blocks < BLOCKS ? blocks : BLOCKS), THREADS, 0,
               (cudaStream_t)stream, numbers, count, factor);
    return (int)cudaGetLastError();
}

int jsni_cuda_loss_run(const jsni_loss_device *loss, const jsni_loss_device *other,
                       const jsni_cuda_loss_batch *batch, const jsni_cuda_loss_out *out,
                       void *stream)
{
    cudaStream_t on = (cudaStream_t)stream;
    workspace_head *head = (workspace_head *)out->workspace;
    jsni_cuda_loss_args a = {};
    a.samples = batch->samples;
    a.classes = loss->classes;
    a.views = loss->views;
    a.logits = batch->logits;
    a.labels = batch->labels;
    a.targets = batch->targets;
    a.class_weights = batch->class_weights;
    a.sample_weights = batch->sample_weights;
    a.memory = batch->memory;
    a.places = batch->places;
    a.chooser = other == NULL ? NULL : batch->use_other;
    a.inverse_samples = 1.0 / (double)batch->samples;
    a.grad = out->grad;
    a.per_sample = out->per_sample;
    a.values = (double *)(head + 1);
    a.mean = out->mean != NULL ? out->mean : &head->mean;
    a.mean_float = out->mean_float;
    a.finished = &head->finished;

    cudaError_t error = cudaSuccess;
    a.inverse_weight = batch->inverse_weight;
    if (a.inverse_weight == NULL &&
        (a.class_weights != NULL || a.sample_weights != NULL)) {
        a.inverse_weight = &head->inverse_weight;
        JSNI_START(sum_weights, 1, WEIGHT_THREADS, 0, on, a, &head->inverse_weight);
        error = cudaGetLastError();
        if (error != cudaSuccess)
            return (int)error;
    }
    a.finish = other == NULL;
    error = launch(loss, &a, on);
    if (error == cudaSuccess && other != NULL) {
        a.finish = true;
        a.chosen = true;
        error = launch(other, &a, on);
    }
    if (error == cudaSuccess && loss->root) {
        JSNI_START(take_root, 1, 1, 0, on, a.mean, a.mean_float, loss->outer);
        if (out->grad != NULL)
            JSNI_START(scale_by_root, 256, 256, 0, on, a.mean, loss->outer, out->grad,
                       a.views * a.samples * a.classes);
        error = cudaGetLastError();
    }
    return (int)error;
}
