/* backend/cuda/cuda_loss_args.h - what a loss kernel reads and writes, passed by value;
 * made by cuda_loss.cu. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_ARGS_H
#define JSNI_BACKEND_CUDA_CUDA_LOSS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loss/loss_limits.h"

/* Most threads of a block: with the sample in shared memory, in registers. */
enum { JSNI_CUDA_LOSS_THREADS = 512, JSNI_CUDA_LOSS_HELD_THREADS = 128 };

typedef struct jsni_cuda_loss_args {
    size_t samples, classes, views, views_read;
    unsigned lanes;  /* threads a sample: 32, or all of a block */
    unsigned repeat; /* samples that a group takes one after another */
    bool joint;
    bool finish;  /* this launch makes the mean */
    bool chosen;  /* with a chooser: which samples */
    bool summed;  /* one loss of a sum: values by sample, as with a chooser */
    bool add;     /* to what the losses of the sum before it left */
    double share; /* weight in the sum; 1 for a loss alone */
    const uint8_t *chooser;
    const float *logits;
    const int32_t *labels;
    const float *targets;
    float *memory; /* of a method, or a table by labels: [..][classes]; or NULL */
    const uint32_t *places; /* [samples] rows of the memory; NULL: as the samples */
    const double *class_weights;
    const double *sample_weights;
    double inverse_samples;
    const double *inverse_weight; /* [1], or NULL: no weights, inverse_samples holds */
    float *grad;
    double *per_sample;
    double *values;     /* [slots] weight times loss */
    size_t slots;       /* blocks; samples where there is a chooser or a sum */
    double *mean;       /* [1] */
    float *mean_float;  /* [1] the same rounded, or NULL */
    unsigned *finished; /* [1] blocks, 0 between launches */
    double constant[JSNI_LOSS_CONSTANTS];
} jsni_cuda_loss_args;

#ifdef __cplusplus
/* The same for clipped logits; apart, so that the kernels without keep theirs. */
typedef struct jsni_cuda_clip_args : jsni_cuda_loss_args {
    double tau, power;
} jsni_cuda_clip_args;
#endif

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_ARGS_H */
