/* jensen/backend.h - what networks run on: backends, devices, optimisers.
 *
 * A device is named by a spec: "auto" (a GPU when there is one, else the CPU), "cpu"
 * (the fastest CPU backend of this build), "ref" (plain C, the definition of every
 * operation), "onednn", "cuda", "cuda:1".
 */
#ifndef JENSEN_BACKEND_H
#define JENSEN_BACKEND_H

#include <stddef.h>

#include "jensen/loss.h"
#include "jensen/param.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum jsn_precision {
    JSN_PRECISION_FP32,
    JSN_PRECISION_TF32, /* GPU: 19-bit products of convolutions */
    JSN_PRECISION_BF16  /* GPU: 16-bit activations, fp32 weights and sums */
} jsn_precision;

/* "fp32", "tf32", "bf16". JSN_ERR_UNKNOWN_NAME otherwise. */
JSN_API JSN_MUST_CHECK jsn_status jsn_precision_parse(const char *text,
                                                      jsn_precision *out);

/* The backends of this build; static records. */
typedef struct jsn_backend_info {
    const char *name;
    const char *summary;
    size_t devices; /* that can be opened now */
    int gpu;        /* 1: its devices are GPUs */
} jsn_backend_info;

/* How many backends this build has. */
JSN_API size_t jsn_backend_count(void);

/* The record at `index`; all zero when index >= jsn_backend_count(). */
JSN_API jsn_backend_info jsn_backend_describe(size_t index);

/* What a device spec stands for on this machine. */
typedef struct jsn_device_info {
    char backend[32];
    char text[128];          /* "Intel Xeon ..., 2 cores", "NVIDIA H200" */
    size_t memory_available; /* bytes */
    int gpu;                 /* 1: a GPU */
} jsn_device_info;

/*   JSN_ERR_ARGUMENT      NULL, a device number that is none
 *   JSN_ERR_UNKNOWN_NAME  no such backend
 *   JSN_ERR_DEVICE        this build or machine lacks it
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_device_describe(const char *device,
                                                      jsn_device_info *out);

/* jsn_loss_eval() by the kernels of a device, which a training step there uses. Arrays
 * are in host memory, float32 alone. For comparing devices: it opens the device anew.
 *   the statuses of jsn_loss_eval(), and JSN_ERR_ARGUMENT for float64 logits and a
 *   divisor
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_DEVICE, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_eval_on(const char *device, jsn_loss *loss,
                                                   const jsn_loss_batch *batch,
                                                   jsn_loss_result *result);

/* How long a loss takes on a device. */
typedef struct jsn_loss_times {
    double *seconds; /* [room], the caller's: of a call, the mean of several in a row */
    size_t room;     /* at least 1 */
    size_t count;    /* out: how many were measured */
    double copy;     /* out: seconds of a copy on the device of the logits to where the
                        gradient is, the best of several, in turn with the loss */
    double mean;     /* out: the loss */
} jsn_loss_times;

/* Times value and gradient of a batch that lies on the device, for about `seconds`, by
 * the kernels that a training step there uses. On a CPU device the loss has the threads
 * of jsn_loss_set_threads(), the copy one. The statuses of jsn_loss_eval_on(). */
JSN_API JSN_MUST_CHECK jsn_status jsn_loss_time_on(const char *device, jsn_loss *loss,
                                                   const jsn_loss_batch *batch,
                                                   double seconds, jsn_loss_times *out);

/* The optimisers there are; static records. */
typedef struct jsn_optimiser_info {
    const char *name;
    const char *summary;
    const jsn_param_info *params;
    size_t param_count;
    double rate; /* learning rate for batches of 128 where none is named */
} jsn_optimiser_info;

/* How many optimisers there are, and the one at `index`. */
JSN_API size_t jsn_optimiser_count(void);
JSN_API const jsn_optimiser_info *jsn_optimiser_describe(size_t index); /* or NULL */

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_BACKEND_H */
