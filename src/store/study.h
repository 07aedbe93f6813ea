/* store/study.h - studies and their trials in a database: added, claimed, kept alive,
 * finished, read. A trial is claimed by one worker at a time; who has lost its claim
 * cannot finish it. Values of attributes are JSON texts. */
#ifndef JSNI_STORE_STUDY_H
#define JSNI_STORE_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store_impl.h"

typedef struct jsni_study {
    jsni_store *store; /* borrowed */
    int64_t id;
    bool maximize;
} jsni_study;

/* An attribute: key and JSON value. Borrowed by calls, owned inside a jsni_trial. */
typedef struct jsni_attr {
    char *key, *json;
} jsni_attr;

/* A parameter: `value` is Optuna's inner number (of a categorical one the index of the
 * choice), `distribution` its JSON. */
typedef struct jsni_trial_param {
    char *name;
    double value;
    char *distribution;
} jsni_trial_param;

/* JSN_ERR_ARGUMENT: the name is taken (create), or missing (open). */
JSN_MUST_CHECK jsn_status jsni_study_create(jsni_study *out, jsni_store *store,
                                            const char *name, bool maximize);
JSN_MUST_CHECK jsn_status jsni_study_open(jsni_study *out, jsni_store *store,
                                          const char *name);
/* Whether there is one of that name. */
JSN_MUST_CHECK jsn_status jsni_study_exists(jsni_store *store, const char *name,
                                            bool *found);

/* Removes a study with its trials, all at once. JSN_ERR_BUSY: a worker is at one of them. */
JSN_MUST_CHECK jsn_status jsni_study_delete(const jsni_study *study);

JSN_MUST_CHECK jsn_status jsni_study_set(const jsni_study *study, const char *key,
                                         const char *json);
/* *json is the caller's (jsni_free), NULL when there is no such attribute. */
JSN_MUST_CHECK jsn_status jsni_study_get(const jsni_study *study, const char *key,
                                         char **json);
/* Replaces `old` by `json` in one step; *done is false when it was another value. */
JSN_MUST_CHECK jsn_status jsni_study_swap(const jsni_study *study, const char *key,
                                          const char *old, const char *json,
                                          bool *done);

/* Adds a waiting trial with its parameters and attributes. */
JSN_MUST_CHECK jsn_status jsni_trial_add(const jsni_study *study,
                                         const jsni_trial_param *params,
                                         size_t param_count, const jsni_attr *attrs,
                                         size_t attr_count);

typedef enum jsni_trial_state {
    JSNI_TRIAL_WAITING,
    JSNI_TRIAL_RUNNING,
    JSNI_TRIAL_COMPLETE,
    JSNI_TRIAL_PRUNED,
    JSNI_TRIAL_FAILED,
    JSNI_TRIAL_STATES
} jsni_trial_state;

JSN_MUST_CHECK jsn_status jsni_study_counts(const jsni_study *study,
                                            size_t counts[JSNI_TRIAL_STATES]);

/* Running trials that no worker of ours has, since they have no heartbeat: Optuna's own
 * (study.ask()). *first is the number of one, -1: there is none. */
JSN_MUST_CHECK jsn_status jsni_study_silent(const jsni_study *study, size_t *count,
                                            int64_t *first);

/* What a claim gave. */
typedef struct jsni_claim {
    int64_t trial;    /* 0: nothing to do now */
    int64_t number;   /* in the study, from 0 */
    int64_t attempts; /* 1: the first one */
} jsni_claim;

/* Whether a worker of this name has certainly ended. */
typedef bool jsni_worker_gone_fn(const char *worker);

/* Which running trials may be taken over: those whose heartbeat is older than `grace` seconds,
 * and those of workers that are gone; NULL: of none that is known. One that has been tried
 * 1 + `retries` times is marked as failed instead. */
typedef struct jsni_takeover {
    double grace;
    int64_t retries;
    jsni_worker_gone_fn *gone;
} jsni_takeover;

/* Claims the first waiting trial whose id is above `after` (0: any) or, when there is none, one
 * that may be taken over. `worker` names the claimant. */
JSN_MUST_CHECK jsn_status jsni_trial_claim(const jsni_study *study, int64_t after,
                                           const char *worker, const jsni_takeover *how,
                                           jsni_claim *out);
/* Claims this one if it is waiting; *done says so, *attempts is that of a claim. */
JSN_MUST_CHECK jsn_status jsni_trial_claim_one(const jsni_study *study, int64_t trial,
                                               const char *worker, int64_t *attempts,
                                               bool *done);

/* The waiting trials whose id is above `after`, by id: `out` has room for
 * JSNI_STUDY_WAITING of them. */
enum { JSNI_STUDY_WAITING = 200 };
JSN_MUST_CHECK jsn_status jsni_study_waiting(const jsni_study *study, int64_t after,
                                             jsni_claim *out, size_t *count);

/* Failed trials wait again, as if never tried; *count of them. */
JSN_MUST_CHECK jsn_status jsni_study_retry(const jsni_study *study, size_t *count);

/* Whether a trial has this value as its user attribute `key`. */
JSN_MUST_CHECK jsn_status jsni_study_has_trial(const jsni_study *study, const char *key,
                                               const char *json, bool *found);

/* A finished trial that saw other data than `json` says of `trial`: its number, and what
 * it saw, the caller's (jsni_free); *other is NULL where there is none. Trials that choose
 * their data are meant to differ. */
JSN_MUST_CHECK jsn_status jsni_study_other_data(const jsni_study *study, int64_t trial,
                                                const char *json, int64_t *number,
                                                char **other);

/* Renews the heartbeat; *mine is false when the claim was lost. */
JSN_MUST_CHECK jsn_status jsni_trial_beat(jsni_store *store, int64_t trial,
                                          const char *worker, bool *mine);

/* The value after a step (epoch); NaN is kept as such. */
JSN_MUST_CHECK jsn_status jsni_trial_report(jsni_store *store, int64_t trial,
                                            int64_t step, double value);

/* Ends a trial as COMPLETE, PRUNED or FAILED, or gives it back as WAITING, with its
 * value (NaN: none) and further attributes, all at once. *mine is false, and nothing
 * changed, when the claim was lost. */
JSN_MUST_CHECK jsn_status jsni_trial_finish(const jsni_study *study, int64_t trial,
                                            const char *worker, jsni_trial_state state,
                                            double value, const jsni_attr *attrs,
                                            size_t attr_count, bool *mine);

JSN_MUST_CHECK jsn_status jsni_trial_set(jsni_store *store, int64_t trial,
                                         const char *key, const char *json);
JSN_MUST_CHECK jsn_status jsni_trial_set_param(jsni_store *store, int64_t trial,
                                               const jsni_trial_param *param);

/* The values that finished trials of the study had after `step`; the caller's. */
JSN_MUST_CHECK jsn_status jsni_study_step_values(const jsni_study *study, int64_t step,
                                                 double **out, size_t *count);

/* One trial as read. */
typedef struct jsni_trial {
    int64_t id, number;
    jsni_trial_state state;
    double value;             /* NaN: none */
    jsni_trial_param *params; /* by name */
    size_t param_count;
    jsni_attr *attrs; /* user attributes, and "system:NAME" for Optuna's */
    size_t attr_count;
    double *steps; /* values after step 1, 2, ...; NaN where none was reported */
    size_t step_count;
} jsni_trial;

/* All trials of a study by number, or the one with that id (0: all). `steps`: with the
 * values of the steps. *out is the caller's. */
JSN_MUST_CHECK jsn_status jsni_trials_read(const jsni_study *study, int64_t only,
                                           bool steps, jsni_trial **out, size_t *count);
void jsni_trials_release(jsni_trial *trials, size_t count); /* accepts NULL */
/* The JSON of an attribute, or NULL. */
const char *jsni_trial_attr(const jsni_trial *trial, const char *key);

/* The names in study order of a database. */
JSN_MUST_CHECK jsn_status jsni_study_names(jsni_store *store, jsni_store_rows *out);

#endif /* JSNI_STORE_STUDY_H */
