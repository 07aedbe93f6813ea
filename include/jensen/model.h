/* jensen/model.h - a network with weights on a device: evaluate it, train it.
 *
 *     jsn_model_options options;
 *     jsn_model_options_init(&options);
 *     options.network = "preactresnet34";
 *     options.classes = 10;
 *     jsn_model *model = NULL;
 *     if (jsn_model_create(&model, &options) != JSN_OK ||
 *         jsn_model_load(model, "model.safetensors", NULL) != JSN_OK ||
 *         jsn_model_evaluate(model, images, samples, logits) != JSN_OK)
 *         fprintf(stderr, "%s\n", jsn_last_error());
 *     jsn_model_destroy(model);
 */
#ifndef JENSEN_MODEL_H
#define JENSEN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/backend.h"
#include "jensen/log.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct jsn_loss; /* jensen/loss.h */

/* One thread uses a model at a time. */
typedef struct jsn_model jsn_model;

typedef struct jsn_model_options {
    const char *network; /* spec; borrowed for the call */
    size_t classes;
    size_t channels, height, width; /* of the images */
    const char *device;             /* spec; borrowed for the call */
    size_t batch;                   /* samples that are run at a time */
    size_t views;                   /* augmented copies of a sample, in training */
    size_t threads;                 /* 0: one a usable core */
    jsn_precision precision;
    const char *optimiser; /* spec; NULL: evaluation only, which needs less memory */
    size_t members;        /* networks side by side; 0 and 1: one. A GPU can do more */
} jsn_model_options;

/* classes 0, images 3x32x32, device "auto", batch 128, 1 view, all cores, fp32, no
 * optimiser. network and classes must be set. */
JSN_API void jsn_model_options_init(jsn_model_options *options);

/* Builds the network and reserves all its memory; the weights are zero until
 * jsn_model_init() or jsn_model_load(). On failure *out is NULL:
 *   JSN_ERR_ARGUMENT      NULL, a size of 0, a malformed spec, a precision that the device
 *                         lacks
 *   JSN_ERR_UNKNOWN_NAME  no such network, parameter, device or optimiser
 *   JSN_ERR_RANGE         the images are too small for the network, or sizes overflow
 *   JSN_ERR_MEMORY        it does not fit; the sentence says what is needed and there
 *   JSN_ERR_DEVICE        no such device here
 *   JSN_ERR_UNSUPPORTED   the device lacks an operation */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_create(jsn_model **out,
                                                   const jsn_model_options *options);
JSN_API void jsn_model_destroy(jsn_model *model); /* accepts NULL */

/* The initial weights of the network's recipe; zero optimiser state. */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_init(jsn_model *model, uint64_t seed);

/* Reads parameters and running statistics by PyTorch's names from a safetensors file
 * (float32, or float16 and bfloat16, which are widened exactly; names that end in num_batches_tracked are ignored). Nothing is changed on
 * failure. With `head` NULL everything must fit. Else a classifier head that is missing
 * in the file, or has another number of classes there, keeps its present weights, and
 * *head tells: 1 when the head was not read, 0 when it was. The checksum that
 * jsn_model_save() stores is compared where the file has one.
 *   JSN_ERR_DATA  unreadable, damaged, a name missing or too many (they are listed), a
 *                 shape or type that differs; the network is named that the file is of
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_load(jsn_model *model, const char *path,
                                                 int *head);

/* Writes parameters and running statistics. JSN_ERR_IO, JSN_ERR_MEMORY. */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_save(jsn_model *model, const char *path);

/* Logits of any number of samples, in evaluation mode. `images` is
 * [samples][channels][height][width], normalised; `logits` is [samples][classes]. */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_evaluate(jsn_model *model,
                                                     const float *images,
                                                     size_t samples, float *logits);

/* One batch, borrowed for the call. */
typedef struct jsn_model_batch {
    const float *images;         /* [views][samples][channels][height][width] */
    size_t views, samples;       /* at most those of the options */
    const int32_t *labels;       /* [samples]; or NULL with targets */
    const float *targets;        /* [samples][classes]; or NULL */
    const double *weights;       /* [samples]; or NULL */
    const double *class_weights; /* [classes]; or NULL */
    const uint8_t *second;       /* [samples] 1: the second loss applies; or NULL */
    float *memory; /* [samples][classes] of a method, renewed by the step; or NULL */
} jsn_model_batch;

typedef struct jsn_model_step {
    struct jsn_loss *loss;   /* made for these classes and the views of the batch */
    struct jsn_loss *second; /* for the samples marked in the batch; or NULL */
    double rate;             /* learning rate */
    double weight_decay;
    double l1;     /* times the sum of all |parameter|, added to what is minimised */
    int decay_all; /* 0: no decay and no L1 on BatchNorm parameters and biases */
    uint64_t step; /* counts from 1 */
    uint64_t seed; /* of dropout */
} jsn_model_step;

/* Forward, loss, backward, update. *mean is the loss before the update; `values`
 * [samples] may be NULL; both NULL lets the device run on without waiting.
 *   JSN_ERR_ARGUMENT  made without an optimiser, sizes beyond the options, a loss for other
 *                     classes or views, one sample where a BatchNorm has one value of it
 *   JSN_ERR_NUMERIC   the loss is not finite; the weights are as before
 *   JSN_ERR_RANGE     a label outside [0, classes) */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_train_step(jsn_model *model,
                                                       const jsn_model_batch *batch,
                                                       const jsn_model_step *step,
                                                       double *mean, double *values);

typedef struct jsn_model_info {
    const char *backend; /* static */
    const char *device;  /* belongs to the model; NULL from jsn_model_estimate() */
    size_t layers;
    size_t parameters;
    uint64_t multiplies; /* of one image, forward */
    /* bytes */
    size_t memory_parameters, memory_gradients, memory_optimiser, memory_statistics;
    size_t memory_activations, memory_workspace;
    int gpu; /* 1: the device is a GPU */
} jsn_model_info;

/* What the model is and takes; all zero for NULL. */
JSN_API jsn_model_info jsn_model_describe(const jsn_model *model);

/* What a model with these options would need, without making it; failures as
 * jsn_model_create(), but for the memory. */
JSN_API JSN_MUST_CHECK jsn_status jsn_model_estimate(const jsn_model_options *options,
                                                     jsn_model_info *out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_MODEL_H */
