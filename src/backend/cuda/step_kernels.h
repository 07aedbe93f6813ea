/* backend/cuda/step_kernels.h - what ends a training step: the optimiser over all
 * parameters in one launch, and in another the copies of the weights in the layouts that
 * kernels want, with the counts that an epoch reports. What changes from step to step
 * (learning rate, counters) is read from device memory, so that a recorded step can be
 * replayed without the host.
 */
#ifndef JSNI_BACKEND_CUDA_STEP_KERNELS_H
#define JSNI_BACKEND_CUDA_STEP_KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/optim_impl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The constants of one optimiser step: [0] for tensors without weight decay. */
typedef struct jsni_step_rule {
    float constant[2][JSNI_OPTIM_CONSTANTS];
} jsni_step_rule;

/* A stretch of one tensor, at most JSNI_UPDATE_CHUNK floats. */
enum { JSNI_UPDATE_CHUNK = 1024 };
typedef struct jsni_update_chunk {
    uint32_t offset, count; /* in floats, in the parameter block */
    uint32_t decay;         /* index into the rule's pairs */
} jsni_update_chunk;

/* On the device; the rule of the step is rules[*step]. */
typedef struct jsni_update_args {
    const jsni_update_chunk *chunks; /* [count] */
    const jsni_step_rule *rules;
    const uint32_t *step;
    float *params;      /* [floats] */
    const float *grads; /* [floats] */
    float *state;       /* [slots][floats], or NULL: as if zero */
    long long floats;
    int count;
} jsni_update_args;

/* One step of the optimiser with this place in optim_list.h. */
cudaError_t jsni_update_all(size_t optimiser, const jsni_update_args *args,
                            cudaStream_t stream);

typedef enum jsni_pack_kind {
    JSNI_PACK_FLOAT,    /* [co][kh][kw][ci] float */
    JSNI_PACK_HALF,     /* the same in bf16 */
    JSNI_PACK_MMA,      /* conv3x3_mma.cu, forward */
    JSNI_PACK_MMA_BACK, /* the same for backward-data */
    JSNI_PACK_WIDE,     /* conv3x3_rows.cu and conv3x3_image.cu, forward */
    JSNI_PACK_WIDE_BACK
} jsni_pack_kind;

typedef struct jsni_pack {
    const float *from; /* [co][ci][kh][kw] */
    void *to;
    int kind, out_channels, in_channels, taps;
    int first_block; /* of this entry in the launch */
} jsni_pack;

/* Bytes of the packed weights, and blocks that an entry takes. */
size_t jsni_pack_bytes(const jsni_pack *pack);
int jsni_pack_blocks(const jsni_pack *pack);
/* What an epoch counts, on the device; as jsni_resident_result. */
typedef struct jsni_step_counts {
    double loss_sum; /* rounded after each product and sum, as on the host */
    unsigned long long samples, true_samples;
    unsigned long long fits[4], fits_true[4], correct[4];
    uint32_t not_finite; /* steps whose loss was not finite */
} jsni_step_counts;

typedef struct jsni_count_args {
    const float *logits;           /* [views][samples][classes] */
    const double *loss;            /* the batch mean */
    const int32_t *labels, *truth; /* [samples]; truth < 0: unknown */
    jsni_step_counts *counts;
    uint32_t *step, *total; /* incremented: of the epoch, of the run */
    int views, samples, classes;
} jsni_count_args;

/* Packs all weights and, unless `counted` is NULL, counts the step in a block beside them.
 * `packs` is on the device. */
cudaError_t jsni_end_step(const jsni_pack *packs, int count, int blocks,
                          const jsni_count_args *counted, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_STEP_KERNELS_H */
