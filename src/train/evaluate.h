/* train/evaluate.h - a model over a part of the data: logits, accuracy, consistency. */
#ifndef JSNI_TRAIN_EVALUATE_H
#define JSNI_TRAIN_EVALUATE_H

#include "jensen/model.h"
#include "train/loader.h"
#include "train/metrics.h"

/* Asked between steps and batches: non-zero ends the work with JSN_ERR_STOPPED. */
typedef struct jsni_stop {
    int (*asked)(void *user); /* or NULL */
    void *user;
} jsni_stop;

static inline bool jsni_stop_asked(const jsni_stop *stop)
{
    return stop->asked != NULL && stop->asked(stop->user) != 0;
}

/* Hands out the logits of `samples` samples of the part, whose positions are given. */
typedef jsn_status jsni_logits_fn(void *user, const uint32_t *position, size_t samples,
                                  const float *logits);

/* A model over a loader; all is borrowed. */
typedef struct jsni_logits_pass {
    jsn_model *model;
    jsni_loader *loader;
    size_t classes;
    uint32_t epoch;     /* of the loader */
    size_t views, size; /* of an image (test_views.h) and its side; 0: as it is */
    jsni_logits_fn *fn; /* called for each view of a batch, in order */
    void *user;
    const jsni_stop *stop;    /* or NULL */
    const jsn_logger *logger; /* shows progress as `what`; or NULL */
    const char *what;
} jsni_logits_pass;

/* Runs the loader's epoch through the model in evaluation mode. Broken images are left
 * out. */
JSN_MUST_CHECK jsn_status jsni_evaluate_logits(const jsni_logits_pass *pass);

/* The class probabilities that the logits of the sample at `position` stand for,
 * [classes]. JSN_ERR_NUMERIC names the sample when they are not finite. */
JSN_MUST_CHECK jsn_status jsni_probabilities(const jsni_part *part, uint32_t position,
                                             const float *logits, size_t classes,
                                             double *out);

/* Predictions by position in the part; -1 where an image is broken. */
typedef struct jsni_predictions {
    int32_t *best;            /* [count], owned */
    float *confidence;        /* [count], owned: probability of `best` */
    float *label_probability; /* [count], owned: of the label that the sample has */
} jsni_predictions;

JSN_MUST_CHECK jsn_status jsni_predictions_create(jsni_predictions *out, size_t count);
void jsni_predictions_release(jsni_predictions *predictions);

/* A jsni_logits_fn that adds up accuracy and notes predictions; `user` is a
 * jsni_collector. */
typedef struct jsni_collector {
    const jsni_part *part;
    size_t classes;
    double *probabilities;         /* [classes], scratch */
    jsni_evaluation *evaluation;   /* made for `classes`, or NULL */
    jsni_predictions *predictions; /* or NULL */
} jsni_collector;

jsn_status jsni_collect(void *user, const uint32_t *position, size_t samples,
                        const float *logits);

/* Agreement between the predictions for images and for one augmented copy of each. */
typedef struct jsni_consistency {
    uint64_t seen[JSNI_KINDS], equal[JSNI_KINDS];
} jsni_consistency;

jsni_consistency jsni_consistency_of(const jsni_part *part, const jsni_predictions *a,
                                     const jsni_predictions *b);

/* JSNI_KINDS: over all. NaN when there are none. */
double jsni_consistency_share(const jsni_consistency *c, jsni_kind kind);

#endif /* JSNI_TRAIN_EVALUATE_H */
