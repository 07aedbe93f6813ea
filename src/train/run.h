/* train/run.h - one network being trained in one run folder: everything it holds while
 * it runs. run_setup.c opens and closes it, trainer.c runs its epochs, checkpoint.c keeps
 * its state, finish.c writes what remains when it is done. */
#ifndef JSNI_TRAIN_RUN_H
#define JSNI_TRAIN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/model.h"
#include "jensen/loss.h"
#include "jensen/train.h"
#include "store/run_folder.h"
#include "train/evaluate.h"
#include "train/loader.h"
#include "train/problem.h"
#include "train/schedule.h"

/* What a checkpoint keeps besides the model's blocks and the rows on disk. */
typedef struct jsni_run_state {
    int64_t epoch;      /* epochs done */
    size_t batch;       /* batches of the epoch under way that are done */
    uint64_t step;      /* optimiser steps done */
    jsni_counts counts; /* of the epoch under way */
    double seconds;     /* of training and evaluation, all calls together */
    double best_val;    /* NaN: none yet */
    double best_test;   /* NaN: none yet */
} jsni_run_state;

typedef struct jsni_run {
    const jsn_train_config *config; /* borrowed, complete */
    const jsni_problem *problem;    /* borrowed */
    uint64_t seed;                  /* of weights, order and augmentation */
    jsni_run_folder folder;
    const jsn_logger *user_logger; /* borrowed, may be NULL */
    jsn_logger logger;             /* writes log.txt and calls user_logger */
    jsni_stop stop;

    jsn_model *model;
    jsn_loss *loss, *loss_noisy; /* loss_noisy may be NULL */
    jsni_schedule schedule;
    jsn_augment *augment, *plain; /* training and evaluation pipelines */
    jsni_loader *train;
    jsni_loader *val, *test;   /* NULL when there is no such part */
    jsni_loader *clean, *copy; /* training part for the consistency metric; lazily */

    double *class_weights; /* [classes], or NULL: all 1 */
    int32_t *labels;       /* [batch] */
    float *targets;        /* [batch][classes], or NULL: hard labels */
    double *weights;       /* [batch], or NULL */
    uint8_t *second;       /* [batch], or NULL */
    float *logits;         /* [views][batch][classes] */
    double *probabilities; /* [classes] */
    float *posteriors;     /* [train.count][classes], or NULL: not recorded */

    jsni_run_state state;
    jsni_run_rows rows;
    double epoch_seconds;   /* of the training steps of the epoch, this call */
    uint64_t epoch_images;  /* view-images of those steps */
    double last_checkpoint; /* clock */
} jsni_run;

/* Opens the folder, builds model, losses, loaders; loads the latest checkpoint or the
 * initial weights. On failure everything is released. */
JSN_MUST_CHECK jsn_status jsni_run_open(jsni_run *run, const jsn_train_config *config,
                                        const jsni_problem *problem, const char *folder,
                                        uint64_t seed, const jsn_logger *logger,
                                        jsni_stop stop);
void jsni_run_close(jsni_run *run);

/* The two loaders of the consistency metric, made when first needed. */
JSN_MUST_CHECK jsn_status jsni_run_consistency_loaders(jsni_run *run);

/* Predictions for the training images as they are, into `clean`, and their agreement
 * with those for one augmented copy of each. */
JSN_MUST_CHECK jsn_status jsni_run_consistency(jsni_run *run, jsni_consistency *out,
                                               jsni_predictions *clean);

/* The epochs that are left. JSN_ERR_STOPPED after a checkpoint when asked to stop. */
JSN_MUST_CHECK jsn_status jsni_run_train(jsni_run *run);

/* Full state to and from the run folder. Loading sets *found; a damaged file is said
 * and the previous one used. */
JSN_MUST_CHECK jsn_status jsni_checkpoint_save(jsni_run *run);
JSN_MUST_CHECK jsn_status jsni_checkpoint_load(jsni_run *run, bool *found);

/* model.safetensors, evaluation.json, posteriors, result.json; fills *result. */
JSN_MUST_CHECK jsn_status jsni_run_finish(jsni_run *run, jsn_train_result *result);

/* The result of a finished run; *found is false when it is not finished. A run of other
 * options than `config`'s is refused with JSN_ERR_ARGUMENT; config may be NULL. */
JSN_MUST_CHECK jsn_status jsni_run_result_read(const char *folder,
                                               const jsn_train_config *config,
                                               bool *found, jsn_train_result *result);
JSN_MUST_CHECK jsn_status jsni_run_result_write(const jsni_run_folder *folder,
                                                const jsn_train_config *config,
                                                const jsn_train_result *result);

/* An evaluation as an object: accuracies, calibration, confusion. */
void jsni_evaluation_put(const jsni_evaluation *evaluation, jsn_json_writer *writer,
                         const char *key);

/* Seconds of a clock that never goes back. */
double jsni_clock(void);

#endif /* JSNI_TRAIN_RUN_H */
