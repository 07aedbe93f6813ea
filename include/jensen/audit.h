/* jensen/audit.h - which labels are wrong: from labels and class probabilities.
 *
 *     jsn_audit_input in;
 *     jsn_audit_result result;
 *     jsn_audit_input_init(&in);
 *     in.labels = labels, in.samples = 50000, in.classes = 10;
 *     in.posteriors = probabilities;             // [samples][classes], out of sample
 *     if (jsn_audit(&in, NULL, &result) == JSN_OK)
 *         for (size_t i = 0; i < result.suspects; i++)
 *             ... result.order[i], result.score[result.order[i]] ...
 *     jsn_audit_result_release(&result);
 *
 * The probabilities should come from a model that has not seen the sample's own label: by
 * cross-validation. Those of a model that was trained on the very same labels serve, too,
 * but the more of them it has learnt by heart, the fewer are found.
 */
#ifndef JENSEN_AUDIT_H
#define JENSEN_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All pointers are borrowed for the call. */
typedef struct jsn_audit_input {
    const int32_t *labels; /* [samples], each in [0, classes) */
    size_t samples;        /* 1 to 2^32 - 1 */
    size_t classes;        /* 2 to JSN_MATRIX_MAX_CLASSES */
    /* [samples][classes], one of the two: not negative, each row with a sum of 1
     * (accepted: 0.98 to 1.02, as 16-bit numbers give; rows are scaled to 1) */
    const float *posteriors;
    const double *posteriors64;
    /* [view_count][samples][classes], rows as above, or NULL: what the probabilities are the
     * mean of. Views of an image, epochs of a training, members of an ensemble. */
    const float *views;
    size_t view_count; /* 0 without views, at most 1000 */
} jsn_audit_input;

JSN_API void jsn_audit_input_init(jsn_audit_input *in); /* zeroes it */

typedef struct jsn_audit_options {
    const char *method; /* a name of JSN_CATALOG_AUDIT_METHODS; borrowed */
    double cutoff;      /* a label with at least this score is a suspect, in (0, 1] */
    double confidence;  /* of the interval of the noise rate, inside (0, 1) */
    size_t threads;     /* 0: one a usable core; the result does not depend on it */
} jsn_audit_options;

/* "combined", 0.5, 0.9, 0. */
JSN_API void jsn_audit_options_init(jsn_audit_options *options);

/* What a suspect probably is. */
typedef enum jsn_audit_kind {
    JSN_AUDIT_NONE,      /* not a suspect */
    JSN_AUDIT_LABEL,     /* another class fits, the given one does not */
    JSN_AUDIT_AMBIGUOUS, /* two classes fit about as well, one of them is the given one */
    JSN_AUDIT_OUTLIER,   /* no class fits */
    JSN_AUDIT_KINDS
} jsn_audit_kind;

/* "none", "label", "ambiguous", "outlier"; NULL for other numbers. */
JSN_API const char *jsn_audit_kind_name(jsn_audit_kind kind);

typedef struct jsn_audit_result {
    size_t samples, classes;
    float *score; /* [samples], owned: the chance that the label is wrong, in [0, 1] */
    int32_t *suggested; /* [samples], owned: the class that fits best instead; never the
                         * given one */
    uint8_t *kind;      /* [samples], owned: jsn_audit_kind */
    uint32_t
        *order; /* [suspects], owned: those with score >= cutoff, worst label first;
                         * equal ones by index */
    size_t suspects;
    double noise_rate;            /* estimated share of wrong labels */
    double noise_low, noise_high; /* its interval */
    double expected_errors;       /* noise_rate * samples */
    double *matrix;      /* [classes][classes], owned: estimated count of samples by
                                 * given and true class; row sums are the label counts */
    double *class_rates; /* [classes], owned: share of the labels of a given class
                                 * that is wrong; 0 for a class without labels */
    double *thresholds;  /* [classes], owned: mean probability of a class over the
                                 * samples that carry its label; 1 without any */
} jsn_audit_result;

/* Frees what the result owns and zeroes it; a zeroed one is fine. */
JSN_API void jsn_audit_result_release(jsn_audit_result *result);

/* Judges every label. `options` may be NULL. On failure *out is zeroed:
 *   JSN_ERR_ARGUMENT      no labels or probabilities, or both kinds of them; a label
 *                         outside its range
 *   JSN_ERR_RANGE         samples, classes, cutoff or confidence outside their bounds
 *   JSN_ERR_UNKNOWN_NAME  no such method
 *   JSN_ERR_DATA          a row of probabilities with a negative entry, or with another
 *                         sum than 1; the sentence says which row
 *   JSN_ERR_MEMORY
 * Any number of threads may call it at once. */
JSN_API JSN_MUST_CHECK jsn_status jsn_audit(const jsn_audit_input *in,
                                            const jsn_audit_options *options,
                                            jsn_audit_result *out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_AUDIT_H */
