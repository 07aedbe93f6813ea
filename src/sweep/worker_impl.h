/* sweep/worker_impl.h - a worker and the trials it has at hand, for sweep_worker.c, which
 * claims and trains them, and worker_end.c, which reports and ends them. */
#ifndef JSNI_SWEEP_WORKER_IMPL_H
#define JSNI_SWEEP_WORKER_IMPL_H

#include "sweep/heartbeat.h"
#include "sweep/sweep_impl.h"
#include "sweep/worker_process.h"

typedef struct jsni_worker_job {
    jsni_claim claim;
    jsn_train_config config;
    jsn_train_result result;
    double *values;  /* [epochs], owned: the objective after each epoch */
    size_t epochs;   /* that the run has done, as far as this worker has heard */
    size_t reported; /* of them that are in the database */
    double best;     /* of the objective so far, for pruning */
} jsni_worker_job;

typedef struct jsni_worker {
    jsn_sweep *sweep;
    const jsn_sweep_worker *how;
    const jsn_logger *logger; /* may be NULL */
    int (*stop)(void *user);
    void *user;
    char name[JSNI_WORKER_NAME];
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

/* Hears the events of the trials at hand (jensen/event.h): keeps the objective after each
 * epoch, reports it, and stops the training of a trial that is pruned. `user`: the worker.
 * What cannot be reported during an outage of the store is reported with the next epoch. */
jsn_event_fn jsni_worker_hear;

/* Forgets what was heard of a job. */
void jsni_worker_job_clear(jsni_worker_job *j);

/* Puts the objective after each epoch that is not there yet into the database, and sets
 * w->pruned when the median of the finished trials says so. */
JSN_MUST_CHECK jsn_status jsni_worker_report(jsni_worker *w, jsni_worker_job *j);

/* Whether a failure of the store is an outage that may pass within the grace time, after
 * which others would take the trials over anyway. Takes note of its begin and end. */
bool jsni_worker_outage(jsni_worker *w, jsn_status status);

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
