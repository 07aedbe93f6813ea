/* jensen/noise.h - label noise: models that turn the labels of a data set into noisy
 * ones, and files of noisy labels.
 *
 *     jsn_noise *noise;
 *     jsn_noise_input in;
 *     jsn_noise_result result;
 *     jsn_noise_create(&noise, "sym:rate=0.4");
 *     jsn_noise_input_init(&in);
 *     in.labels = labels, in.samples = 50000, in.classes = 10, in.seed = 1;
 *     jsn_noise_apply(noise, &in, &result);
 *     ... result.labels[i], result.real_rate ...
 *     jsn_noise_result_release(&result);
 *     jsn_noise_destroy(noise);
 *
 * The result depends on spec, input and seed alone.
 */
#ifndef JENSEN_NOISE_H
#define JENSEN_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/array.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jsn_noise jsn_noise;

/* What a noise model may look at. All pointers are borrowed for the call. */
typedef struct jsn_noise_input {
    const int32_t *labels;          /* [samples], the labels to start from */
    size_t samples;                 /* at least 1 */
    size_t classes;                 /* at least 2 */
    const char *const *class_names; /* [classes] or NULL; label files may use them */
    const char *asymmetric; /* jsn_dataset_traits.asymmetric: "cifar10", ... or NULL */
    const char *const *paths; /* [samples] or NULL; `file:` matches by them */
    const float *posteriors;  /* [samples][classes] or NULL; for `instance:` */
    /* Where the samples are a part of a data set: the number of each in it, [samples],
     * and how many it has; files without paths go by them. NULL: they are all of it. */
    const uint32_t *numbers;
    size_t total;
    uint64_t seed;
    uint32_t part; /* 0: training set, 1: validation set; independent draws */
} jsn_noise_input;

JSN_API void jsn_noise_input_init(jsn_noise_input *in); /* zeroes it */

typedef struct jsn_noise_result {
    int32_t *labels;     /* [samples], owned */
    uint8_t *listed;     /* [samples], owned: 0 where a file with missing=val has no row
                        (keep the sample, clean, for validation), else 1 */
    double *class_rates; /* [classes], owned: share of a class's labels that changed;
                              0 for a class without samples */
    size_t *transitions; /* [classes][classes], owned: samples from label to label;
                              NULL for more than JSN_MATRIX_MAX_CLASSES */
    size_t classes;
    size_t samples;
    size_t listed_samples; /* those with listed 1; the rates are over them */
    size_t drawn;          /* labels that the model drew anew (some may be unchanged) */
    size_t changed;        /* labels that differ now */
    double nominal_rate;   /* the rate asked for; NaN where the model has none */
    double real_rate;      /* changed / listed_samples */
    double factor;         /* instance noise: its calibrated factor; else NaN */
} jsn_noise_result;

/* Frees what the result owns and zeroes it; a zeroed one is fine. */
JSN_API void jsn_noise_result_release(jsn_noise_result *result);

/* Checks the spec and reads the files that it names.
 *   JSN_ERR_UNKNOWN_NAME  no such model or parameter
 *   JSN_ERR_ARGUMENT, JSN_ERR_RANGE  malformed, out of bounds
 *   JSN_ERR_DATA          a file that is missing or malformed
 *   JSN_ERR_UNSUPPORTED   a file format that this build cannot read
 *   JSN_ERR_MEMORY
 * Immutable afterwards: any number of threads may apply it. */
JSN_API JSN_MUST_CHECK jsn_status jsn_noise_create(jsn_noise **out, const char *spec);
JSN_API void jsn_noise_destroy(jsn_noise *noise); /* accepts NULL */

/* Makes the noisy labels. On failure *out is zeroed.
 *   JSN_ERR_ARGUMENT  the model needs what the input lacks (paths, posteriors, a CIFAR
 *                     set), a label outside [0, classes)
 *   JSN_ERR_DATA      a file does not fit the samples, or has labels that may be numbers
 *                     or names of classes
 *   JSN_ERR_RANGE     the asked rate cannot be reached
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_noise_apply(const jsn_noise *noise,
                                                  const jsn_noise_input *in,
                                                  jsn_noise_result *out);

/* What a model wants and does beside drawing labels. */
typedef struct jsn_noise_traits {
    /* The folder that `instance:...,from=RUN` names, or NULL; the noise's. Whoever can
     * evaluate that run fills jsn_noise_input.posteriors before jsn_noise_apply(). */
    const char *run;
    /* jsn_noise_apply() may leave samples unlisted: `file:...,missing=val`. */
    bool leaves_missing;
} jsn_noise_traits;

/* All zero for NULL. */
JSN_API jsn_noise_traits jsn_noise_about(const jsn_noise *noise);

/* The same labels as text: a CSV with the header path,given,noisy (the sample's number
 * stands for a missing path). Written whole or not at all.
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_noise_write_csv(const jsn_noise_input *in,
                                                      const jsn_noise_result *result,
                                                      const char *path);

/* The measured transition matrix as a CSV of row-normalised shares, [given][noisy],
 * readable by `matrix:`. Rows of absent classes keep their class. */
JSN_API JSN_MUST_CHECK jsn_status jsn_noise_write_matrix(const jsn_noise_result *result,
                                                         const char *path);

/* A transition matrix, float64 [classes][classes]: row c has the probabilities of the labels
 * of class c, which sum to 1. `path` is a CSV without a header, a .npy file, or the
 * audit.json of an audit, whose estimate it is. On failure *out is zeroed.
 *   JSN_ERR_DATA         missing, malformed, not square, rows that do not sum to 1
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_noise_read_matrix(jsn_array *out,
                                                        const char *path);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_NOISE_H */
