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
    double confidence;
    char *thumbnail; /* owned; below the run's folder; NULL: none */
} jsni_record_doubt;

typedef struct jsni_record_evaluation {
    char **classes; /* [class_count], owned */
    size_t class_count;
    jsni_record_part val, test;
    int64_t contradicted;        /* labels in all; -1: not known */
    jsni_record_doubt *doubtful; /* [doubtful_count], owned */
    size_t doubtful_count;
} jsni_record_evaluation;

/* *found: the file is there; *evaluation is filled only then. */
JSN_MUST_CHECK jsn_status jsni_record_evaluation_read(
    jsni_record_evaluation *evaluation, const char *folder, bool *found);
void jsni_record_evaluation_release(jsni_record_evaluation *evaluation);

#endif /* JSNI_STORE_RECORD_EVALUATION_H */
