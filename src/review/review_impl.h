/* review/review_impl.h - what the files of this module share. */
#ifndef JSNI_REVIEW_IMPL_H
#define JSNI_REVIEW_IMPL_H

#include <stdbool.h>

#include "core/run_mark.h" /* audit.json and scores.csv */
#include "jensen/array.h"
#include "jensen/dataset.h"
#include "jensen/review.h"

#define JSNI_AUDIT_SUSPECTS   "suspects.csv"
#define JSNI_AUDIT_POSTERIORS "posteriors.npy"
#define JSNI_AUDIT_PAGE       "audit.html"
#define JSNI_AUDIT_PICTURES   "pictures" /* a folder: the first suspects, as PNG */
#define JSNI_AUDIT_DECISIONS  "decisions.csv"
#define JSNI_AUDIT_CHECK      "check.csv" /* a random sample, as suspects of this kind: */
#define JSNI_KIND_CHECK       "check"

/* audits/<data>-<8 digits>, where an audit goes that names no folder, as an owned text;
 * NULL: no memory. */
char *jsni_audit_usual_folder(const jsn_audit_job *job);

/* JSN_ERR_DATA: `folder` has no `file`, so it is not an audit's. */
JSN_MUST_CHECK jsn_status jsni_audit_need(const char *folder, const char *file);

/* The images whose labels are judged: the main split of a data set. */
typedef struct jsni_audited {
    char *spec; /* owned: of the data set */
    char *run;  /* owned: the run that it was named by, or NULL */
    char *file; /* owned: of its labels, where they are not the data's; or NULL */
    jsn_dataset *data;
    jsn_split split;
    size_t samples, classes;
    int32_t *labels;    /* [samples], owned */
    const char **paths; /* [samples], owned; the texts are the data set's */
    const char **names; /* [classes], likewise */
} jsni_audited;

/* Opens job->data with job->labels. */
JSN_MUST_CHECK jsn_status jsni_audited_open(jsni_audited *out,
                                            const jsn_audit_job *job);
/* Opens the data behind the folder of an audit: `data`, or by the name in audit.json when it
 * is NULL. */
JSN_MUST_CHECK jsn_status jsni_audited_open_folder(jsni_audited *out,
                                                   const char *folder, const char *data,
                                                   const jsn_logger *logger);
/* The folder that the paths of an audit are in, an owned text, where the data are a folder of
 * images: without opening them, since what has been moved in it may be no data set. Else NULL. */
JSN_MUST_CHECK jsn_status jsni_audited_find_root(const char *folder, const char *data,
                                                 char **root);
void jsni_audited_close(jsni_audited *audited); /* a zeroed one is fine */

/* Whether the options of the folds name things that exist. */
JSN_MUST_CHECK jsn_status jsni_folds_check(const jsn_audit_job *job);

/* The class probabilities of all samples, from where the job says; float32 or float64. *views is
 * what they are the mean of, float32 [views][samples][classes], or stays zeroed.
 * *in_sample: the model has seen the labels that it judges. The folds' runs go below
 * `folder`. */
JSN_MUST_CHECK jsn_status jsni_class_chances(const jsni_audited *audited,
                                             const jsn_audit_job *job,
                                             const char *folder, jsn_array *out,
                                             jsn_array *views, bool *in_sample);

/* Those in the folder of an audit, checked for type and shape. JSN_ERR_DATA, JSN_ERR_IO,
 * JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_chances_read(const jsni_audited *audited,
                                            const char *folder, jsn_array *out);

/* All that an audit has to say. */
typedef struct jsni_audit_record {
    const jsni_audited *audited;
    const jsn_audit_job *job;
    const jsn_array *posteriors;
    const jsn_audit_result *result;
    const uint8_t
        *faults; /* [samples], of the images: jsni_fault; NULL: not looked for */
    bool in_sample;
    double agreement; /* share of the labels that are the most probable class */
    double seconds;
} jsni_audit_record;

/* Whether the probabilities know hardly more of the labels than a guess would. */
bool jsni_record_is_guess(const jsni_audit_record *record);
#define JSNI_AUDIT_GUESS                                                            \
    "the class probabilities hardly fit the labels better than a guess would: the " \
    "list is worth little"

double jsni_record_chance(const jsni_audit_record *record, size_t sample,
                          int32_t label);

/* The files of the folder; *json is the text of audit.json, the caller's. */
JSN_MUST_CHECK jsn_status jsni_audit_write_files(const jsni_audit_record *record,
                                                 const char *folder, char **json);
/* The page, with pictures of the first suspects. */
JSN_MUST_CHECK jsn_status jsni_audit_write_page(const jsni_audit_record *record,
                                                const char *folder);

#endif /* JSNI_REVIEW_IMPL_H */
