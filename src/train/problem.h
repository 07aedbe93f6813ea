/* train/problem.h - what is to be learned: the samples of the training, validation and
 * test parts, and for each the label that is trained on and the true one where it is
 * known. Made from the data options of a run before anything else, and the same for the
 * same options on any machine. */
#ifndef JSNI_TRAIN_PROBLEM_H
#define JSNI_TRAIN_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sha256.h"
#include "jensen/dataset.h"
#include "jensen/noise.h"
#include "jensen/train.h"

typedef struct jsni_part {
    const jsn_dataset
        *data; /* borrowed from the problem; NULL: there is no such part */
    jsn_split split;
    size_t count;
    uint32_t *index; /* [count], owned: sample numbers in the split */
    int32_t *used;   /* [count], owned: labels to train on or compare with */
    int32_t *given;  /* [count], owned: labels before noise, or the true ones that a
                      * label file tells */
    bool truth;      /* whether `given` are the true labels */
    float *soft;     /* [count][classes], owned, or NULL: soft labels to train on */
} jsni_part;

/* Labels from a file, which take the place of those that the data has: by split and
 * sample, -1 where the file says nothing. */
typedef struct jsni_own_labels {
    bool given;                                     /* there is such a file */
    bool tells_truth;                               /* it has a column `true` */
    int32_t *label[JSN_SPLITS], *truth[JSN_SPLITS]; /* owned; NULL: no such split */
} jsni_own_labels;

/* By what data is known again when a run goes on: names of classes and samples, labels. */
typedef struct jsni_problem_mark {
    char digest[JSNI_SHA256_HEX];
    char
        test[JSNI_SHA256_HEX]; /* paths and true classes of the test images; "": none */
    char text[64];             /* numbers of images and classes, for sentences */
} jsni_problem_mark;

typedef struct jsni_problem {
    jsn_dataset *data;      /* owned */
    jsn_dataset *val_data;  /* owned, or NULL */
    jsn_dataset *test_data; /* owned, or NULL */
    size_t classes;
    const char **names;         /* [classes], owned; the texts are those of `data` */
    uint8_t *unread;            /* [classes], owned: 1 when no training image reads */
    jsni_part train, val, test; /* all labels are numbers of those classes */
    jsni_own_labels own;
    double val_fraction;  /* of the training data, kept for `val` */
    bool val_judged;      /* validation labels are of the same making as the training
                           * labels, and may be as wrong */
    bool noise_added;     /* by the program, on purpose */
    double noise_nominal; /* NaN: the noise has no nominal rate */
    double noise_real;    /* NaN: the true labels are not known */
    jsni_problem_mark mark;
} jsni_problem;

/* Posteriors for instance-dependent noise from a run: [samples][classes] of the given
 * samples, owned by the caller (jsni_free). The trainer provides it. */
typedef jsn_status jsni_posteriors_fn(const char *run, const jsni_part *part,
                                      size_t classes, float **out);

/* Opens the data, splits it, adds the noise. `config` is resolved as far as options go;
 * an unset val-fraction means: 0 when the data has a validation part, a test part is
 * given or a label file leaves samples for validation, else 0.1. On failure nothing is
 * held.
 *   JSN_ERR_ARGUMENT  more than one validation part is asked for
 *   JSN_ERR_DATA      no samples, a single class, a class that the training data lacks
 *   and the failures of jsn_dataset_open() and jsn_noise_apply() */
JSN_MUST_CHECK jsn_status jsni_problem_create(jsni_problem *out,
                                              const jsn_train_config *config,
                                              jsni_posteriors_fn *posteriors,
                                              const jsn_logger *logger);
void jsni_problem_release(jsni_problem *problem);

/* Reads the label file of --labels for all splits of the data; jsni_problem_put_labels()
 * then puts its labels on a part of that data, and takes out what has an empty one. Labels that the file puts in the place of
 * others are no noise: a column `true` alone says what is right.
 *   JSN_ERR_DATA  with file and line: no class, two labels for one image, no image at all */
JSN_MUST_CHECK jsn_status jsni_problem_read_labels(jsni_problem *p, const char *file,
                                                   const jsn_logger *logger);
void jsni_problem_put_labels(const jsni_problem *p, jsni_part *part);
void jsni_own_labels_release(jsni_own_labels *own);

/* Whether the true label of sample `i` of a part is known. */
bool jsni_problem_knows(const jsni_problem *p, const jsni_part *part, size_t i);

/* The share of wrong labels among those training labels of which the truth is known; NaN
 * when it is of none. */
double jsni_problem_real_noise(const jsni_problem *p);

/* What noise gets to see of a part, with the classes of the training data, which its
 * labels go by. *paths is the caller's to free, also after a failure. */
JSN_MUST_CHECK jsn_status jsni_problem_noise_input(const jsni_problem *p,
                                                   const jsni_part *part, uint64_t seed,
                                                   uint32_t which, const char ***paths,
                                                   jsn_noise_input *in);

/* Noise on the labels of the training part, and on those of the validation part where
 * they are to be noisy. Samples that a label file leaves for validation move there. */
JSN_MUST_CHECK jsn_status jsni_problem_add_noise(jsni_problem *p,
                                                 const jsn_train_config *config,
                                                 const jsn_noise *noise,
                                                 jsni_posteriors_fn *posteriors,
                                                 const jsn_logger *logger);

/* Looks at the header of an image of each class, of more where one does not read. Marks
 * the classes of which none does and tells `logger` (or NULL) of them.
 *   JSN_ERR_DATA  less than two classes are left; the sentence says why */
JSN_MUST_CHECK jsn_status jsni_problem_check_readable(jsni_problem *problem,
                                                      const jsn_logger *logger);

/* Tells `logger` (or NULL) of classes of which no image was kept for validation. */
void jsni_problem_warn_of_unseen(const jsni_problem *problem, const jsn_logger *logger);

/* Tells `logger` (or NULL) of a validation or test part that is the training data, whose
 * accuracy says nothing of new images. */
void jsni_problem_warn_of_same(const jsni_problem *problem, const jsn_logger *logger);

void jsni_problem_mark_make(const jsni_problem *problem, jsni_problem_mark *out);
/* What a run kept of its beginning; texts may be NULL. */
typedef struct jsni_kept_mark {
    const char *options; /* their fingerprint */
    const char *data, *data_text;
} jsni_kept_mark;

/* Whether the run in `folder` began with the same options and the same data; one that kept
 * nothing of its data passes. The sentence says what differs.
 *   JSN_ERR_ARGUMENT  it has other options
 *   JSN_ERR_DATA      its data has changed */
JSN_MUST_CHECK jsn_status jsni_problem_mark_check(const jsni_problem_mark *mark,
                                                  const jsni_kept_mark *kept,
                                                  const jsn_train_config *config,
                                                  const char *folder);

/* A part from `count` sample numbers, which it takes over; `truth`: whether the labels are
 * known to be right. */
JSN_MUST_CHECK jsn_status jsni_part_make(jsni_part *part, const jsn_dataset *data,
                                         jsn_split split, uint32_t *index, size_t count,
                                         bool truth);

/* A whole split with its labels taken as true; for evaluation. */
JSN_MUST_CHECK jsn_status jsni_part_whole(jsni_part *part, const jsn_dataset *data,
                                          jsn_split split);
/* The classes that labels are to be numbers of. */
typedef struct jsni_classes {
    const char *const *names; /* [count] */
    size_t count;
    const char *whose; /* the data set or run, for sentences */
} jsni_classes;

/* Numbers the labels of an evaluated part by names: its data may lack some of the
 * classes, which is told to `logger` (or NULL), or have them in another order. Drops its
 * soft labels. `what` follows the name of the data in sentences: " (--val)", "".
 *   JSN_ERR_DATA  the data has a class that is none of them */
JSN_MUST_CHECK jsn_status jsni_part_number_by_name(jsni_part *part,
                                                   const jsni_classes *classes,
                                                   const char *what,
                                                   const jsn_logger *logger);
void jsni_part_release(jsni_part *part); /* a zeroed one is fine */

/* Whether sample `i` of a part carries a label that is known to be wrong. */
static inline bool jsni_part_mislabelled(const jsni_part *part, size_t i)
{
    return part->truth && part->used[i] != part->given[i];
}

#endif /* JSNI_TRAIN_PROBLEM_H */
