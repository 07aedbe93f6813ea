/* sweep/worker_impl.h - a worker and the trials it has at hand, for sweep_worker.c, which
 * claims and trains them, and worker_end.c, which reports and ends them. */
#ifndef JSNI_SWEEP_WORKER_IMPL_H
#define JSNI_SWEEP_WORKER_IMPL_H

#include "sweep/heartbeat.h"
#include "sweep/sweep_impl.h"

typedef struct jsni_worker_job {
    jsni_claim claim;
    jsn_train_config config;
    jsn_train_result result;
    int64_t reported; /* epochs in the database */
    size_t read;      /* bytes of the run's metrics that are */
    double best;      /* of the objective so far, for pruning */
} jsni_worker_job;

typedef struct jsni_worker {
    jsn_sweep *sweep;
    const jsn_sweep_worker *how;
    const jsn_logger *logger; /* may be NULL */
    int (*stop)(void *user);
    void *user;
    char name[128];        /* of this worker */
    jsni_worker_job *jobs; /* [JSNI_MOST_TOGETHER] */
    size_t count;
    bool pruned;
    jsn_status store_status; /* of a report that failed */
    char store_sentence[400];
    jsni_heartbeat heartbeat;
    double start;
    size_t done, started;
    size_t returned; /* of the trials at hand: given back */
    int64_t locked; /* the trial that was last passed over since its folder is locked */
    int64_t after;  /* the trials behind it come first; 0: no such one */
    double outage;  /* since when the store does not answer; 0: it does */
    double back;    /* when it last began to answer again */
    double waiting; /* since when there is nothing to do but wait; 0: there is */
    bool said;      /* what it waits for */
    size_t alone;   /* trials to run one by one, after a group of so many has failed */
} jsni_worker;

void jsni_worker_say(const jsni_worker *w, jsn_log_level level, const char *text);

/* Puts the objective after each epoch that is not there yet into the database, and sets w->pruned when
 * the median of the finished trials says so. */
JSN_MUST_CHECK jsn_status jsni_worker_report(jsni_worker *w, jsni_worker_job *j);

/* Ends the trials at hand, or gives them back, by what the status of their training
 * means, with its sentence as the latest. *verdict fails when the worker is to stop. The
 * call itself fails with the store, and may then be repeated. */
JSN_MUST_CHECK jsn_status jsni_worker_conclude(jsni_worker *w, jsn_status status,
                                               jsn_status *verdict);

/* What data the finished run of a trial saw, as JSON, the caller's (jsn_text_release());
 * NULL when the run does not say. */
JSN_MUST_CHECK jsn_status jsni_worker_data_seen(const jsni_worker_job *j, char **json);
/* Warns when another complete trial of the study saw other data than `json`. */
JSN_MUST_CHECK jsn_status jsni_worker_compare_data(const jsni_worker *w,
                                                   const jsni_worker_job *j,
                                                   const char *json);

#endif /* JSNI_SWEEP_WORKER_IMPL_H */
