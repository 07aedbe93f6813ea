/* backend/cuda/gather_kernels.h - from resident 8-bit images to a batch: picks samples,
 * augments each view and normalises, in one kernel. The random choices come from
 * augment/draw.h, the bytes from augment/pixel.h, so results are those of the CPU, bit
 * for bit (in bf16: rounded once more). */
#ifndef JSNI_BACKEND_CUDA_GATHER_KERNELS_H
#define JSNI_BACKEND_CUDA_GATHER_KERNELS_H

#include <cuda_runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mix.h"

#ifdef __cplusplus
extern "C" {
#endif

struct jsn_augment;

/* What names the random streams; on the device, so that a recorded step can be replayed
 * for another epoch. */
typedef struct jsni_gather_key {
    uint64_t seed;
    uint32_t epoch, purpose;
} jsni_gather_key;

typedef struct jsni_gather_args {
    const uint8_t *images; /* [count][height][width][3] */
    const uint32_t *order; /* sample numbers; NULL: first, first+1, ... */
    const uint32_t *step;  /* batch number in `order`, on the device; NULL: 0 */
    const jsni_gather_key *key;
    const void
        *recipe; /* on the device: jsni_recipe_bytes(); NULL: the image as it is */
    const float *normal; /* [3][256] on the device: byte -> value, without a recipe */
    void *out;           /* [views][samples][height][width][3] */
    const int32_t *labels_from, *truth_from; /* [count], or NULL */
    const uint8_t *second_from;
    int32_t *labels, *truth; /* [samples] */
    uint8_t *second;
    uint32_t *places;      /* [samples] sample numbers, or NULL */
    uint32_t first, count; /* beyond `count` samples repeat the last one */
    int views, samples, height, width;
    bool half;
} jsni_gather_args;

cudaError_t jsni_gather(const jsni_gather_args *args, cudaStream_t stream);

/* Mixup of one step (train/mixup.h), of images or of targets, with the arithmetic of the
 * CPU (in bf16: rounded once more). */
typedef struct jsni_mixup_args {
    void *x; /* [views][samples][values], in place */
    const uint32_t
        *walk; /* [steps][samples]: jsni_resident_member.walk, on the device */
    const float *shares;  /* [steps], on the device */
    const uint32_t *step; /* on the device */
    int views, samples, values;
    bool half;
} jsni_mixup_args;

cudaError_t jsni_mixup(const jsni_mixup_args *args, cudaStream_t stream);

/* targets [samples][classes]: 1 at the label. */
cudaError_t jsni_one_hot(const int32_t *labels, float *targets, int samples,
                         int classes, cudaStream_t stream);

/* Host. The recipe of a pipeline, or NULL when the kernel cannot run it (more than one
 * operation, stages that change the size, a translation by fractions). */
const void *jsni_gather_recipe(const struct jsn_augment *pipeline, size_t height,
                               size_t width);
size_t jsni_gather_recipe_bytes(void);

#ifdef __cplusplus
}
#endif

#endif /* JSNI_BACKEND_CUDA_GATHER_KERNELS_H */
