/* train/metrics.h - what is counted while training and evaluating. Counters, not running
 * means: they add up exactly, survive a checkpoint, and a kind of sample that does not
 * occur gives no number instead of 0/0. */
#ifndef JSNI_TRAIN_METRICS_H
#define JSNI_TRAIN_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "core/json.h"
#include "jensen/status.h"

enum { JSNI_MOST_VIEWS = 16, JSNI_ECE_BINS = 15 };

/* Kinds of training samples, by their label. */
typedef enum jsni_kind {
    JSNI_KIND_TRUE,  /* the label is right, or nobody knows */
    JSNI_KIND_NOISY, /* the label is known to be wrong */
    JSNI_KINDS
} jsni_kind;

/* Of one epoch of training, so far. */
typedef struct jsni_counts {
    double loss_sum;  /* of the batch means, each times its samples */
    uint64_t samples; /* seen */
    uint64_t steps;
    uint64_t seen[JSNI_KINDS];
    /* how often the prediction of a view was the true class (the given one where the
     * true one is not known) */
    uint64_t correct[JSNI_MOST_VIEWS][JSNI_KINDS];
} jsni_counts;

/* Share correct of a kind; JSNI_KINDS: of all. NaN when there are none. */
double jsni_counts_accuracy(const jsni_counts *counts, size_t view, jsni_kind kind);
double jsni_counts_loss(const jsni_counts *counts);

/* As an object under `key`, and back. */
void jsni_counts_put(const jsni_counts *counts, jsni_json_writer *writer,
                     const char *key);
JSN_MUST_CHECK jsn_status jsni_counts_get(jsni_counts *counts, const jsni_json *object);

/* Index of the largest entry; the first of equal ones. */
size_t jsni_argmax(const float *values, size_t count);
size_t jsni_argmax_real(const double *values, size_t count);

/* Of an evaluation. */
typedef struct jsni_evaluation {
    size_t classes;
    uint64_t samples;
    uint64_t correct;      /* against the true (else the given) label */
    uint64_t correct_used; /* against the label that a noisy protocol would see */
    uint64_t top5;
    double loss_sum; /* cross-entropy against the true label */
    uint64_t bin_samples[JSNI_ECE_BINS], bin_correct[JSNI_ECE_BINS];
    double bin_confidence[JSNI_ECE_BINS];                      /* sums */
    uint64_t *class_samples, *class_correct, *class_predicted; /* [classes], owned */
    uint64_t *confusion; /* [classes][classes] true to predicted; owned. NULL for more
                          * than JSN_MATRIX_MAX_CLASSES */
} jsni_evaluation;

JSN_MUST_CHECK jsn_status jsni_evaluation_create(jsni_evaluation *out, size_t classes);
void jsni_evaluation_release(jsni_evaluation *evaluation);

/* Adds one sample by its class probabilities [classes], which must be finite. */
void jsni_evaluation_add(jsni_evaluation *evaluation, const double *probabilities,
                         int32_t truth, int32_t used);

/* NaN when nothing was evaluated. */
double jsni_evaluation_accuracy(const jsni_evaluation *evaluation);
double jsni_evaluation_accuracy_used(const jsni_evaluation *evaluation);
double jsni_evaluation_top5(const jsni_evaluation *evaluation);
double jsni_evaluation_loss(const jsni_evaluation *evaluation);
/* Expected calibration error over JSNI_ECE_BINS equal bins of confidence. */
double jsni_evaluation_ece(const jsni_evaluation *evaluation);

/* Softmax in double; `out` [count]. */
void jsni_softmax(const float *logits, size_t count, double *out);

#endif /* JSNI_TRAIN_METRICS_H */
