/* jensen/loss_gpu.h - losses of logits that lie in the memory of a GPU.
 *
 * For those who have a stream and memory of their own, a training loop in PyTorch say:
 * nothing is copied to the host, nothing waits, and a CUDA graph can capture the call. The
 * first call of a loss with a matrix copies that to the device, and cannot be captured.
 *
 *     jsn_loss *loss = NULL;                  // as for jsn_loss_eval()
 *     jsn_loss_gpu_batch batch = {.samples = 128, .logits = logits, .labels = labels,
 *                                 .mean = mean, .grad = grad, .workspace = workspace};
 *     if (jsn_loss_create(&loss, "gjs:pi1=0.5", 10, 2) != JSN_OK ||
 *         jsn_loss_gpu_run(loss, &batch) != JSN_OK)
 *         fprintf(stderr, "jensen: %s\n", jsn_last_error());
 */
#ifndef JENSEN_LOSS_GPU_H
#define JENSEN_LOSS_GPU_H

#include "jensen/loss.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One batch. Arrays are row-major, contiguous and in the memory of the device. */
typedef struct jsn_loss_gpu_batch {
    int device;            /* CUDA's number */
    void *stream;          /* a cudaStream_t of it; NULL: the default stream */
    size_t samples;        /* at least 1 */
    const float *logits;   /* [views][samples][classes] */
    const int64_t *labels; /* [samples], each in [0, classes); NULL with targets. Any
                              other label makes the mean and the gradient NaN */
    bool ignores;          /* samples labelled ignore_index do not count */
    int64_t ignore_index;
    const float
        *targets; /* [samples][classes], as in jsn_loss_batch, not checked here */
    const double *class_weights;  /* [classes], or NULL; as in jsn_loss_batch */
    const double *sample_weights; /* [samples], or NULL */
    double divisor;               /* as in jsn_loss_batch */
    double *mean;                 /* [1], out; not finite when a sample's loss is not.
                                     NULL: not wanted, where `value` is given */
    double *per_sample; /* [samples], out: unweighted values; NULL: not wanted */
    float *grad; /* as the logits, out, other memory than theirs; NULL: not wanted */
    void *workspace; /* jsn_loss_gpu_workspace() bytes, aligned to 16; not shared by
                           calls that may overlap */
    float *value;    /* [1], out: the mean rounded to float; NULL: not wanted */
} jsn_loss_gpu_batch;

/* Bytes of memory on the device that a call with so many samples needs; 0: too many. */
JSN_API size_t jsn_loss_gpu_workspace(size_t samples);

/* Starts the evaluation of value and gradient on the stream and returns. The results have
 * the same bits every time.
 *   JSN_ERR_ARGUMENT     something is NULL or does not fit together
 *   JSN_ERR_DEVICE       no such device, or its driver refused the kernels
 *   JSN_ERR_UNSUPPORTED  too many classes for the memory of a multiprocessor */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_gpu_run(const jsn_loss *loss,
                                                   const jsn_loss_gpu_batch *batch);

/* Numbers on a device to be multiplied by one: the gradient of the loss by that of what was
 * computed from it. */
typedef struct jsn_loss_gpu_scale {
    int device;
    void *stream;
    float *numbers; /* [count] */
    size_t count;
    const float *factor; /* [1]; 1 leaves the numbers unread */
} jsn_loss_gpu_scale;

/* The statuses of jsn_loss_gpu_run(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_gpu_rescale(const jsn_loss_gpu_scale *scale);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_LOSS_GPU_H */
