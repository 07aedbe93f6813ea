/* train/run_average.h - the moving average of a run's weights (--ema): kept in host memory
 * beside the model, evaluated and saved in place of the weights of the last step.
 *
 * After step t the average moves by 1 - d towards the weights, d = min(--ema, (1 + t) / (10 +
 * t)): the first steps, whose weights are far from the last ones, are soon forgotten. The
 * running statistics of BatchNorm are averaged with the weights that they belong to. */
#ifndef JSNI_TRAIN_RUN_AVERAGE_H
#define JSNI_TRAIN_RUN_AVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/model.h"

typedef struct jsni_average {
    float *params, *stats; /* averaged, in the model's canonical layout; owned */
    /* Scratch, and the model's own while the average is in it; owned. */
    float *own_params, *own_stats;
    bool shown; /* the average is in the model */
} jsni_average;

/* Begins at the model's present weights. On failure there is nothing to release. */
JSN_MUST_CHECK jsn_status jsni_average_create(jsni_average *average, jsn_model *model);
void jsni_average_release(jsni_average *average);

/* After step number `step`, from 1. */
JSN_MUST_CHECK jsn_status jsni_average_move(jsni_average *average, jsn_model *model,
                                            double decay, uint64_t step);

/* Puts the average into the model, or the model's own weights back, bit by bit. Does
 * nothing when that is how it is. */
JSN_MUST_CHECK jsn_status jsni_average_show(jsni_average *average, jsn_model *model,
                                            bool shown);

#endif /* JSNI_TRAIN_RUN_AVERAGE_H */
