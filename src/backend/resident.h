/* backend/resident.h - optional entries of a backend whose device can hold a data set
 * and run an epoch without the host: 8-bit images stay on the device, augmentation is a
 * kernel, only the order and the learning rates come from the host. */
#ifndef JSNI_BACKEND_RESIDENT_H
#define JSNI_BACKEND_RESIDENT_H

#include <stddef.h>
#include <stdint.h>

#include "backend/backend_impl.h"

typedef struct jsn_augment jsn_augment;

/* Host memory, copied to the device. */
typedef struct jsni_resident_data {
    const uint8_t *images; /* [count][height][width][3] */
    const int32_t *labels; /* [count], the labels trained on */
    const uint8_t *second; /* [count] 1: the second loss applies, or NULL */
    const float *weights;  /* [count], or NULL */
    size_t count, height, width;
} jsni_resident_data;

typedef struct jsni_resident_epoch {
    const uint32_t *order; /* [steps][batch], sample numbers; members share it */
    const double *rates;   /* [steps] learning rates */
    size_t steps, batch, views;
    const jsn_augment *augment; /* what each view of a sample goes through */
    float mean[3], deviation[3];
    uint64_t seed;  /* of augmentation (JSNI_RNG_AUGMENT) and dropout */
    uint32_t epoch; /* names the augmentation streams */
    uint32_t first_step;
    const jsni_losses *losses;
    const jsni_update *update; /* its rate is replaced by rates[] */
} jsni_resident_epoch;

typedef struct jsni_resident_result {
    double loss_sum;  /* of the batch means, in step order */
    uint64_t correct; /* argmax of view 0 equal to the label, before each update */
    uint64_t samples;
} jsni_resident_result;

struct jsni_resident_ops {
    /* Whether the device can run this pipeline: JSN_OK or JSN_ERR_UNSUPPORTED. */
    jsn_status (*supports)(jsni_plan *plan, const jsni_resident_epoch *epoch);
    jsn_status (*data_create)(jsni_plan *plan, const jsni_resident_data *data);
    void (*data_destroy)(jsni_plan *plan);
    /* result [members]. Waits for the end. `stop` is polled between steps; when it
     * becomes non-zero the call returns JSN_ERR_STOPPED with whole steps done. */
    jsn_status (*epoch)(jsni_plan *plan, const jsni_resident_epoch *epoch,
                        const volatile int *stop, jsni_resident_result *result);
    /* Logits of samples [first, first+count) without augmentation, evaluation mode. */
    jsn_status (*evaluate)(jsni_plan *plan, size_t member, size_t first, size_t count,
                           const float mean[3], const float deviation[3],
                           float *logits);
};

#endif /* JSNI_BACKEND_RESIDENT_H */
