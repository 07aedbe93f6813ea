/* backend/resident.h - optional entries of a backend whose device can hold data sets and
 * run an epoch without the host: 8-bit images stay on the device, augmentation is a
 * kernel, only the order and the learning rates come from the host.
 *
 * A plan holds up to JSNI_RESIDENT_SETS sets. Members share the images, the batch and the
 * augmentation; labels, order, seed, views, loss and learning rates are each member's
 * own, so the cells of a table run side by side.
 */
#ifndef JSNI_BACKEND_RESIDENT_H
#define JSNI_BACKEND_RESIDENT_H

#include <stddef.h>
#include <stdint.h>

#include "backend/backend_impl.h"

typedef struct jsn_augment jsn_augment;

enum {
    JSNI_RESIDENT_TRAIN,
    JSNI_RESIDENT_VAL,
    JSNI_RESIDENT_TEST,
    JSNI_RESIDENT_SETS,
    JSNI_RESIDENT_VIEWS = 4 /* most views of an epoch */
};

/* Host memory, copied to the device. */
typedef struct jsni_resident_images {
    const uint8_t *images; /* [count][height][width][3] */
    size_t count, height, width;
} jsni_resident_images;

/* Host memory, copied to the device: the labels of the training set. */
typedef struct jsni_resident_labels {
    const int32_t *labels; /* [count], the labels trained on */
    const int32_t *truth;  /* [count], the true ones, or NULL: unknown */
    const uint8_t *second; /* [count] != 0: the second loss applies, or NULL */
    const float *memory;   /* [count][classes] of a method, or NULL */
} jsni_resident_labels;

typedef struct jsni_resident_member {
    const uint32_t *order; /* [steps][batch], sample numbers */
    const double *rates;   /* [steps] learning rates */
    /* With mixup, else NULL: the samples of each batch, cycle by cycle of the permutation
     * of partners, the last of a cycle marked by JSNI_MIXUP_LAST; and the shares. */
    const uint32_t *walk; /* [steps][batch] */
    const float *shares;  /* [steps] */
    uint64_t seed;        /* of augmentation (JSNI_RNG_AUGMENT) and dropout */
    size_t views;
    jsni_losses losses;
    jsni_update update; /* rate and step are replaced, step by step */
    double loss_sum;    /* of the epoch's steps before this call */
} jsni_resident_member;

typedef struct jsni_resident_epoch {
    const jsni_resident_member *members; /* [members of the plan] */
    size_t steps, batch;
    const jsn_augment *augment; /* what each view of a sample goes through */
    float mean[3], deviation[3];
    uint32_t epoch;      /* names the augmentation streams */
    uint32_t first_step; /* of this call in the whole run, counted from 0 */
} jsni_resident_epoch;

/* Counted before each update, from the logits of the training pass. */
typedef struct jsni_resident_result {
    /* The member's loss_sum and then each batch's mean times its samples, step by step, so
     * that it does not matter in how many calls an epoch was run. */
    double loss_sum;
    uint64_t samples;      /* trained on, each once whatever the views */
    uint64_t true_samples; /* of them, those whose label is the true one */
    /* By view: the argmax is the label; among the samples with a true label; the argmax
     * is the true class. The last two are 0 when the truth is unknown. */
    uint64_t fits[JSNI_RESIDENT_VIEWS];
    uint64_t fits_true[JSNI_RESIDENT_VIEWS];
    uint64_t correct[JSNI_RESIDENT_VIEWS];
} jsni_resident_result;

typedef struct jsni_resident_query {
    size_t set;                 /* JSNI_RESIDENT_... */
    size_t first, count;        /* samples */
    const jsn_augment *augment; /* NULL: the images as they are */
    uint32_t purpose;           /* of the augmentation's stream, with augment */
    uint64_t seed;
    uint32_t epoch;
    float mean[3], deviation[3];
} jsni_resident_query;

struct jsni_resident_ops {
    /* Whether the device can run this pipeline: JSN_OK or JSN_ERR_UNSUPPORTED. */
    jsn_status (*supports)(jsni_plan *plan, const jsn_augment *augment, size_t height,
                           size_t width);
    /* Replaces what set `set` held; NULL frees. A set that does not fit is read from
     * memory of the host that the device reaches; JSN_ERR_DEVICE when that is too small
     * as well. */
    jsn_status (*set_images)(jsni_plan *plan, size_t set,
                             const jsni_resident_images *images);
    /* After set_images of the training set. */
    jsn_status (*set_labels)(jsni_plan *plan, size_t member,
                             const jsni_resident_labels *labels);
    /* result [members]. Waits for the end. `stop`, when not NULL, is asked between
     * steps; once it returns non-zero the call returns JSN_ERR_STOPPED with whole steps
     * done, *steps_done of them (also on success).
     * JSN_ERR_NUMERIC: a loss was not finite; the weights are of no use then. */
    jsn_status (*epoch)(jsni_plan *plan, const jsni_resident_epoch *epoch,
                        int (*stop)(void *user), void *user, size_t *steps_done,
                        jsni_resident_result *result);
    /* What the method of a member remembers by now, [count][classes]. Waits. */
    jsn_status (*read_memory)(jsni_plan *plan, size_t member, float *to);
    /* logits [count][classes], evaluation mode. Waits. */
    jsn_status (*evaluate)(jsni_plan *plan, size_t member,
                           const jsni_resident_query *query, float *logits);
};

#endif /* JSNI_BACKEND_RESIDENT_H */
