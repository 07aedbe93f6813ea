/* backend/cuda/cuda_loss.h - losses on logits in device memory, value and gradient in
 * one launch. The arithmetic is that of src/loss, compiled again as CUDA C++: in float,
 * or in double where the loss asks for it (pi1 outside [0.01, 0.99], clipped logits).
 *
 * Streams are void * and errors int (cudaError_t), so that C files without CUDA headers
 * can include this. Nothing here waits for the device; all calls can be captured into a
 * graph. Results do not depend on scheduling: sums are taken in a fixed order.
 */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_H
#define JSNI_BACKEND_CUDA_CUDA_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/loss_gpu.h"
#include "loss/loss_impl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All pointers are to device memory. */
typedef struct jsni_cuda_loss_batch {
    size_t samples;
    const float *logits;          /* [views][samples][classes] */
    const int32_t *labels;        /* [samples], checked before; NULL with targets */
    const float *targets;         /* [samples][classes], or NULL */
    const double *class_weights;  /* [classes], or NULL */
    const double *sample_weights; /* [samples], or NULL */
    const uint8_t *use_other; /* [samples] != 0: the other loss; NULL with no other */
    const double *inverse_weight; /* [1], or NULL: of the sum of the weights */
    float *memory;                /* [..][classes] of a method, renewed; or NULL */
    const uint32_t *places;       /* [samples] its rows; NULL: as the samples */
} jsni_cuda_loss_batch;

typedef struct jsni_cuda_loss_out {
    double *mean;       /* [1]; not finite when a sample's loss is not; or NULL */
    double *per_sample; /* [samples] unweighted values, or NULL */
    float *grad;        /* as the logits, may be their memory but for a sum; or NULL */
    void *workspace;   /* jsni_cuda_loss_workspace() bytes, zeroed once before its first
                         * use and not shared by launches that may overlap */
    float *mean_float; /* [1] the mean rounded to float; or NULL */
} jsni_cuda_loss_out;

size_t jsni_cuda_loss_workspace(size_t samples);

/* What the kernels need of a loss, on the device that is the current one. The first call
 * for a loss with a matrix copies its table there, that for a plugin compiles its kernel.
 * Neither can be captured: call it once before. */
JSN_MUST_CHECK jsn_status jsni_cuda_loss_describe(const jsn_loss *loss,
                                                  jsni_loss_device *out);

/* Bytes of shared memory that a block needs for it at most. */
size_t jsni_cuda_loss_shared(const jsni_loss_device *loss);

/* Starts the evaluation on `stream` (a cudaStream_t). `other` is NULL or the loss of the
 * samples marked in use_other; neither may then be a root (js-sqrt). Returns a
 * cudaError_t: cudaErrorInvalidValue for a sum whose gradient is to replace its logits, for
 * a matrix without labels, and when views * classes is too large for the shared memory of
 * the device (about 14000 entries a view at 2 views, half of that for logitclip). */
int jsni_cuda_loss_run(const jsni_loss_device *loss, const jsni_loss_device *other,
                       const jsni_cuda_loss_batch *batch, const jsni_cuda_loss_out *out,
                       void *stream);

/* Starts the reading of the caller's labels and weights into `labels` and `weights`
 * [samples], and fills in what jsni_cuda_loss_run() takes then. */
int jsni_cuda_loss_prepare(const jsn_loss_gpu_batch *given, size_t classes,
                           int32_t *labels, double *weights, jsni_cuda_loss_batch *out);

/* numbers[i] *= *factor, of device memory all; a factor of 1 costs the launch alone. */
int jsni_cuda_loss_scale(float *numbers, size_t count, const float *factor,
                         void *stream);

/* jsni_backend_ops.loss_launch and loss_scale. */
jsn_status jsni_cuda_loss_launch(const jsn_loss *loss, const jsn_loss_gpu_batch *batch);
jsn_status jsni_cuda_loss_rescale(const jsn_loss_gpu_scale *scale);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_H */
