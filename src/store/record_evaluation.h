/* store/record_evaluation.h - evaluation.json as a struct: how well each class is known,
 * and the labels that the network contradicts most confidently. */
#ifndef JSNI_STORE_RECORD_EVALUATION_H
#define JSNI_STORE_RECORD_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* Limits of what is read: more is a damaged file. */
enum { JSNI_RECORD_MOST_CLASSES = 1 << 20, JSNI_RECORD_MOST_DOUBTFUL = 1000 };

/* Predictions of about the same confidence. */
typedef struct jsni_record_bin {
    double samples, accuracy, confidence; /* NaN: not known */
} jsni_record_bin;

/* The validation or the test images. */
typedef struct jsni_record_part {
    bool known;
    int64_t samples; /* -1: not known */
    double accuracy, top5, loss, ece;
    jsni_record_bin *bins; /* [bin_count], owned */
    size_t bin_count;
    double *class_accuracy; /* [classes], NaN: not known; owned, or NULL */
    double *confusion;      /* [classes][classes], counts; owned, or NULL */
} jsni_record_part;

typedef struct jsni_record_doubt {
    char *path; /* owned; NULL: not known, as all below that are -1 or NaN */
    int64_t label, predicted; /* of the class */
    int64_t truth;
    double confidence, label_probability;
    bool validation; /* not one of the training images */
    char *file;      /* owned; the image, as seen from the run's folder; NULL: none */
    char *thumbnail; /* owned; below the run's folder; NULL: none */
} jsni_record_doubt;

/* What the list of doubtful labels is worth. */
typedef enum jsni_record_trust {
    JSNI_RECORD_TRUST_UNKNOWN,
    JSNI_RECORD_TRUST_FAIR,
    JSNI_RECORD_TRUST_WEAK,
    JSNI_RECORD_TRUST_NONE
} jsni_record_trust;

typedef struct jsni_record_verdict {
    jsni_record_trust trust;
    char *images; /* owned: "validation", ...: those that decided; NULL: not known */
    int64_t count;
    double agreement, chance; /* with their labels; of naming one class always */
} jsni_record_verdict;

/* Validation labels that may be as wrong as those that were trained on. */
typedef struct jsni_record_val_labels {
    bool known;
    int64_t sure;                 /* images that the estimates rest on; 0: none made */
    double noise[3], accuracy[3]; /* value, low, high */
} jsni_record_val_labels;

typedef struct jsni_record_evaluation {
    char **classes; /* [class_count], owned */
    size_t class_count;
    jsni_record_part val, test;
    jsni_record_verdict verdict;
    jsni_record_val_labels val_labels;
    int64_t contradicted;        /* labels in all; -1: not known */
    jsni_record_doubt *doubtful; /* [doubtful_count], owned */
    size_t doubtful_count;
} jsni_record_evaluation;

/* *found: the file is there; *evaluation is filled only then. */
JSN_MUST_CHECK jsn_status jsni_record_evaluation_read(
    jsni_record_evaluation *evaluation, const char *folder, bool *found);
void jsni_record_evaluation_release(jsni_record_evaluation *evaluation);

#endif /* JSNI_STORE_RECORD_EVALUATION_H */
