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

/* The record at `index`; all zero behind the last. */
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

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_BACKEND_H */
