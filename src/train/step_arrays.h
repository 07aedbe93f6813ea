/* train/step_arrays.h - the arrays of a training step in host memory: the labels, targets,
 * weights and masks that the model gets of a batch, and the logits that it leaves. Made once
 * a run. */
#ifndef JSNI_TRAIN_STEP_ARRAYS_H
#define JSNI_TRAIN_STEP_ARRAYS_H

#include "jensen/model.h"
#include "jensen/train.h"
#include "train/loader.h"
#include "train/metrics.h"

typedef struct jsni_step_arrays {
    const jsni_part *part; /* borrowed: what batches are of */
    size_t classes, views;
    double *class_weights; /* [classes], or NULL: all 1 */
    int32_t *labels;       /* [batch] */
    float *targets;        /* [batch][classes], or NULL: hard labels */
    float *target;         /* [classes], with mixup; or NULL */
    double *weights;       /* [batch], or NULL */
    uint8_t *second;       /* [batch], or NULL */
    float *logits;         /* [views][batch][classes] */
    double *probabilities; /* [classes], scratch */
} jsni_step_arrays;        /* all owned; zero-initialise */

/* `two_losses`: one of them for samples whose label is known to be wrong. What was made is
 * released also after a failure. */
JSN_MUST_CHECK jsn_status jsni_step_arrays_create(jsni_step_arrays *arrays,
                                                  const jsn_train_config *config,
                                                  const jsni_problem *problem,
                                                  bool two_losses);
void jsni_step_arrays_release(jsni_step_arrays *arrays);

/* What the model gets of a batch, but for the memory of a method; valid until the next call. */
jsn_model_batch jsni_step_gather(jsni_step_arrays *arrays, const jsni_batch *batch);

/* Adds a batch, whose logits are in the arrays and whose mean loss is given, to the counts of
 * the epoch. */
void jsni_step_count(const jsni_step_arrays *arrays, const jsni_batch *batch,
                     double mean, jsni_counts *counts);

#endif /* JSNI_TRAIN_STEP_ARRAYS_H */
