/* jensen/review.h - the audit of a data set as a folder: what is suspect, and what a person
 * decided about it.
 *
 *     jsn_audit_job job;
 *     char *folder = NULL, *json = NULL;
 *     jsn_audit_job_init(&job);
 *     job.data = "photos", job.folds = 5;
 *     if (jsn_audit_data(&job, &folder, &json) == JSN_OK)
 *         ... folder/suspects.csv, folder/audit.html ...
 *     jsn_text_release(folder);
 *     jsn_text_release(json);
 *
 * The folder has audit.json, suspects.csv, scores.csv, posteriors.npy, audit.html and, after a
 * review, decisions.csv; docs/audit.md describes them.
 */
#ifndef JENSEN_REVIEW_H
#define JENSEN_REVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/audit.h"
#include "jensen/log.h"
#include "jensen/option.h"
#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is audited, and how. Everything is borrowed for the call. */
typedef struct jsn_audit_job {
    const char *data; /* spec of a data set, or the folder of a finished run */
    const char *out;  /* folder to write to; NULL: audits/<data>-<8 digits> */
    const char
        *labels; /* CSV with the columns path,label, in place of the data's own; or
                         * NULL */
    /* Class probabilities, .npy, float32 or float64 [samples][classes], in the order of the
     * data set, or [views][samples][classes]; NULL: made by `folds` trainings, or by
     * the run. */
    const char *posteriors;
    bool mirror;  /* networks judge each image and its mirror image: two views */
    size_t folds; /* 2 to 100; a part is judged by a network trained on the others */
    const jsn_texts *set; /* "option=value" for these trainings, or NULL */
    jsn_audit_options how;
    bool labels_only; /* do not look at the images for copies and other faults */
    const jsn_logger *logger; /* or NULL */
    int (*stop)(void *user);  /* as jsn_train(), or NULL */
    void *user;
} jsn_audit_job;

/* No data, 5 folds, the usual options. */
JSN_API void jsn_audit_job_init(jsn_audit_job *job);

/* Audits a data set and writes the folder. *folder and *json (audit.json's text), where not
 * NULL, are the caller's: jsn_text_release().
 *   JSN_ERR_ARGUMENT, JSN_ERR_RANGE, JSN_ERR_UNKNOWN_NAME  wrong options
 *   JSN_ERR_DATA     a file is missing, malformed, or does not fit the data
 *   JSN_ERR_STOPPED  the same call continues
 *   JSN_ERR_IO, JSN_ERR_MEMORY, and those of training */
JSN_API JSN_MUST_CHECK jsn_status jsn_audit_data(const jsn_audit_job *job,
                                                 char **folder, char **json);

/* Looking at the suspects of an audit in a browser. Everything is borrowed for the call. */
typedef struct jsn_review_job {
    const char *folder; /* of an audit; or a finished run, which is audited first */
    const char *data;   /* spec of the audited data, where it has moved; or NULL */
    uint16_t port;      /* 0: any that is free */
    const jsn_logger *logger; /* or NULL */
    /* Called once, when the page can be opened. */
    void (*ready)(void *user, const char *address);
    int (*stop)(void *user); /* asked again and again: whether it is to end */
    void *user;
} jsn_review_job;

typedef struct jsn_review_result {
    size_t suspects, decided; /* of them */
} jsn_review_result;

JSN_API void jsn_review_job_init(jsn_review_job *job); /* zeroes it */

/* Serves the page until job->stop() says so: to this machine alone, under an address with a
 * random part. What is decided is added to decisions.csv and on the disk before the page goes
 * on. *folder, where not NULL, is the audit's, the caller's: jsn_text_release().
 *   JSN_ERR_DATA         no audit, a damaged one, or the data has changed since
 *   JSN_ERR_IO           the port is taken
 *   JSN_ERR_UNSUPPORTED  this build has no libmicrohttpd
 *   JSN_ERR_MEMORY, and those of jsn_audit_data() */
JSN_API JSN_MUST_CHECK jsn_status jsn_review(const jsn_review_job *job, char **folder,
                                             jsn_review_result *result);

/* How many wrong labels a review has left. Everything is borrowed for the call. */
typedef struct jsn_audit_check {
    const char *folder; /* of the audit */
    const char *data;   /* spec of the audited data, where it has moved; or NULL */
    size_t
        draw; /* draw a new sample of this many; 0: take the one that is there, or 50 */
    double confidence;        /* of the interval, inside (0, 1) */
    const jsn_logger *logger; /* or NULL */
} jsn_audit_check;

JSN_API void jsn_audit_check_init(jsn_audit_check *job); /* zeroes it, but 0.9 */

typedef struct jsn_audit_left {
    size_t images;
    size_t
        population; /* labels that nobody had decided about when the sample was drawn */
    size_t sample, checked, wrong, unsure; /* of the sample: decided, and how */
    size_t
        later; /* decisions about other labels since then: the estimate is of before */
    double left, low,
        high; /* wrong labels among the others; NaN until all are checked */
} jsn_audit_left;

/* Draws labels that nobody has decided about at random, for jsn_review() to ask for, or counts
 * what was decided about them.
 *   JSN_ERR_ARGUMENT  all labels were looked at
 *   JSN_ERR_RANGE     a confidence that is not inside (0, 1)
 *   JSN_ERR_DATA      no audit, a damaged one, or the data has changed since
 *   JSN_ERR_IO, JSN_ERR_MEMORY, and those of jsn_dataset_open() */
JSN_API JSN_MUST_CHECK jsn_status jsn_audit_again(const jsn_audit_check *job,
                                                  jsn_audit_left *out);

/* What a person decided, or a threshold: corrected labels. */
typedef struct jsn_labels_job {
    const char *folder; /* of the audit */
    double min_score; /* also take suggestions with at least this score that nobody has
                         * decided about; NaN: none */
    const char *out; /* CSV to write: path,label; removed images have no row; or NULL */
    const char
        *copy; /* folder to make: copies of the images, a folder a class; or NULL */
    bool move; /* move the images of a folder of images to the folders of their
                         * classes, and removed ones to .removed; undo.csv lists what was
                         * moved */
    const char *data; /* spec of the audited data, where it has moved; or NULL */
} jsn_labels_job;

typedef struct jsn_labels_result {
    size_t images, changed, removed, decided;
} jsn_labels_result;

/* Zeroes it, but for min_score. */
JSN_API void jsn_labels_job_init(jsn_labels_job *job);

/* Corrects the labels of all images of the audited data: writes one of out and copy, or
 * moves.
 *   JSN_ERR_ARGUMENT  nothing to apply: no decisions and no min_score; not one of the three;
 *                     the images are no files in folders of classes; the copy is there
 *   JSN_ERR_DATA      no audit folder, or a damaged file in it; the data has changed
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_labels_apply(const jsn_labels_job *job,
                                                   jsn_labels_result *result);

/* Moves the images back that were moved by jsn_labels_apply(); *moved counts them. `data` as
 * in jsn_labels_job.
 *   JSN_ERR_DATA  nothing was moved, or a file is not where it was moved to
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_labels_undo(const char *folder, const char *data,
                                                  size_t *moved);

/* Called for a path whose labels differ; NULL: the file has no row for it. What it returns,
 * if not JSN_OK, ends the comparison. */
typedef jsn_status jsn_labels_diff_fn(void *user, const char *path, const char *before,
                                      const char *after);

/* Compares two label files, CSV with the columns path,label, in the order of the paths.
 *   JSN_ERR_DATA  a file is missing or malformed, or has two rows for a path
 *   JSN_ERR_MEMORY, and what `fn` returns */
JSN_API JSN_MUST_CHECK jsn_status jsn_labels_diff(const char *before, const char *after,
                                                  jsn_labels_diff_fn *fn, void *user);

/* Labels as files of other programs: an export to a file, or an import from one.
 * Everything is borrowed for the call. */
typedef struct jsn_labels_exchange {
    const char *folder; /* of the audit */
    const char *format; /* "label-studio", a name of JSN_CATALOG_LABEL_FORMATS */
    const char *file;
    const char *data; /* spec of the audited data, where it has moved; or NULL */
    bool all;         /* export all images, not the suspects alone */
    const char
        *prefix;  /* comes before the paths of images in addresses (label-studio) */
    bool checked; /* import: labels that did not change were looked at, and are kept */
    const jsn_logger *logger; /* or NULL */
} jsn_labels_exchange;

/* Zeroes it, but for the prefix: that of Label Studio's local files. */
JSN_API void jsn_labels_exchange_init(jsn_labels_exchange *job);

/* Writes the suspects for another program to look at: labels as decided, else as given, with
 * what is suggested. Removed images are left out. *images counts them.
 *   JSN_ERR_UNKNOWN_NAME  no such format
 *   JSN_ERR_DATA          no audit, a damaged one, or the data has changed since; the format
 *                         cannot tell two images apart
 *   JSN_ERR_IO, JSN_ERR_MEMORY, and those of jsn_dataset_open() */
JSN_API JSN_MUST_CHECK jsn_status jsn_labels_export(const jsn_labels_exchange *job,
                                                    size_t *images);

typedef struct jsn_labels_imported {
    size_t answers;                        /* images that the file says something of */
    size_t changed, kept, unsure, removed; /* decisions that are new */
} jsn_labels_imported;

/* Adds what the file says to decisions.csv; nothing, when a part of the file is refused.
 *   JSN_ERR_UNKNOWN_NAME  no such format
 *   JSN_ERR_DATA          the file is missing or malformed, or names an image or a class that
 *                         the data does not have; and as jsn_labels_export()
 *   JSN_ERR_IO, JSN_ERR_MEMORY, and those of jsn_dataset_open() */
JSN_API JSN_MUST_CHECK jsn_status jsn_labels_import(const jsn_labels_exchange *job,
                                                    jsn_labels_imported *result);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_REVIEW_H */
