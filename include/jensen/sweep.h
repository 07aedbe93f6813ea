/* jensen/sweep.h - studies: many runs as one object in a database.
 *
 *     jsn_sweep_plan plan;                       // axes, search, objective ...
 *     jsn_sweep_plan_init(&plan);
 *     if (jsn_texts_add(&plan.axes, "lr=0.01,0.1") != JSN_OK ||
 *         jsn_sweep_create(NULL, JSN_SWEEP_STORE, "first", &plan, &config) != JSN_OK)
 *         ...
 *     jsn_sweep *sweep = NULL;
 *     if (jsn_sweep_open(&sweep, JSN_SWEEP_STORE, "first") == JSN_OK &&
 *         jsn_sweep_work(sweep, &work, NULL, NULL, NULL, &done) == JSN_OK)
 *         ...
 *     jsn_sweep_close(sweep);
 *
 * Trials are claimed one at a time by any number of workers, in this process, in others
 * and on other machines; a worker that dies leaves its trial to another one, which
 * continues from the checkpoint. The database has Optuna's tables (schema 12).
 *
 * A handle belongs to one thread. URLs are "sqlite:///FILE", a plain file name, or
 * "postgresql://USER@HOST/DATABASE"; a password in one is never printed or stored.
 */
#ifndef JENSEN_SWEEP_H
#define JENSEN_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/log.h"
#include "jensen/option.h"
#include "jensen/status.h"
#include "jensen/train.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JSN_SWEEP_STORE "sqlite:///jensen.db" /* where studies are by default */

/* What is searched, and how; jsn_sweep_plan_options() describes the fields. */
typedef struct jsn_sweep_plan {
    jsn_texts axes;      /* "lr=0.01,0.1"; "lr=log:0.001..0.1" with random search */
    char *search;        /* "grid" or "random" */
    int64_t trials;      /* of random search */
    int64_t search_seed; /* of random search */
    int64_t seeds;       /* every combination with this many seeds, from --seed on */
    char *objective;     /* a field of jsn_train_result, or "auto" */
    char *direction;     /* "maximize" or "minimize" */
    char *pruner;        /* "none" or "median" */
    int64_t prune_after; /* epochs that every run gets */
    char *preset;  /* "two-stage", "noisy-validation", "instance", "webvision": the
                          * paper's searches */
    char *dataset; /* of the preset: "cifar10", "cifar100", "webvision"; NULL: usual */
    char *methods; /* of the preset: "gjs,js", or "all" */
    char *noise_from; /* of "instance": "from=RUN", "file:LABELS.csv"; NULL: none */
    int64_t retrain; /* of the preset: seeds to train the winners with, on all images */
} jsn_sweep_plan;

/* The table of the options of a plan; a plan with their initial values; its end. The
 * last accepts NULL. */
JSN_API const jsn_option_info *jsn_sweep_plan_options(size_t *count);
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_plan_init(jsn_sweep_plan *plan);
JSN_API void jsn_sweep_plan_release(jsn_sweep_plan *plan);

/* Adds what a YAML or JSON file says: "axes" is a mapping of options to lists or ranges,
 * every other key an option of the plan or of training. Sentences name file and line. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_plan_read(const char *path,
                                                      jsn_sweep_plan *plan,
                                                      jsn_train_config *base);

typedef struct jsn_sweep jsn_sweep;

/* Makes a study with its trials; `base` has the options that all share. Everything is
 * checked before anything is stored. *out may be NULL; else the study, opened.
 *   JSN_ERR_UNKNOWN_NAME  an axis is no training option; the sentence offers the nearest
 *   JSN_ERR_ARGUMENT      the study exists, a malformed axis
 *   JSN_ERR_RANGE, JSN_ERR_DATA, JSN_ERR_NETWORK, JSN_ERR_IO, JSN_ERR_UNSUPPORTED */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_create(jsn_sweep **out, const char *url,
                                                   const char *name,
                                                   const jsn_sweep_plan *plan,
                                                   const jsn_train_config *base);

/* The study of a preset, made, or opened where it is there with the same plan and options,
 * so that the same call goes on. JSN_STUDY_WINNERS shows what its winners came to.
 *   JSN_ERR_ARGUMENT  no preset, or the study is another search
 *   and the statuses of jsn_sweep_create() and jsn_sweep_open() */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_search(jsn_sweep **out, const char *url,
                                                   const char *name,
                                                   const jsn_sweep_plan *plan,
                                                   const jsn_train_config *base);

/* Opens a study. `name` NULL: the only one there is.
 *   JSN_ERR_ARGUMENT  no such study, or several and no name
 *   JSN_ERR_DATA      no such database, another schema, not a study of jensen
 *   JSN_ERR_NETWORK, JSN_ERR_UNSUPPORTED, JSN_ERR_IO */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_open(jsn_sweep **out, const char *url,
                                                 const char *name);
/* The same for those who only read: nothing is written, and a SQLite file may lie where
 * nothing can be. Calls that change the study fail. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_open_to_read(jsn_sweep **out,
                                                         const char *url,
                                                         const char *name);
JSN_API void jsn_sweep_close(jsn_sweep *sweep); /* accepts NULL */

/* What an open study is; the texts belong to the handle. */
typedef struct jsn_sweep_traits {
    const char *name, *objective;
    const char *store; /* its URL without the password */
} jsn_sweep_traits;

/* All NULL for NULL. */
JSN_API jsn_sweep_traits jsn_sweep_about(const jsn_sweep *sweep);

typedef struct jsn_sweep_counts {
    size_t waiting, running, complete, pruned, failed;
} jsn_sweep_counts;

/* The trials in each state, as the store has them now. JSN_ERR_IO, JSN_ERR_DATA. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_count(jsn_sweep *sweep,
                                                  jsn_sweep_counts *out);

/* Puts failed trials back, their attempts forgotten; *count (may be NULL) of them. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_retry(jsn_sweep *sweep, size_t *count);

/* Removes the study with its trials from the store; run folders stay. The handle is then good
 * for jsn_sweep_close() alone.
 *   JSN_ERR_BUSY  a worker is at one of its trials
 *   JSN_ERR_IO, JSN_ERR_NETWORK */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_delete(jsn_sweep *sweep);

/* How a worker works. jsn_sweep_worker_init() gives the usual. */
typedef struct jsn_sweep_worker {
    const char *folder; /* run folders go below FOLDER/STUDY; NULL: "runs" */
    int64_t threads;    /* a run; 0: all cores */
    const char *device; /* NULL: the study's */
    double grace;       /* seconds without heartbeat until a trial counts as stale */
    int64_t retries;    /* of a stale trial */
    int64_t most;       /* trials to start; 0: as many as there are */
    double seconds;     /* start none after this time; 0: no limit */
    int64_t group;      /* trials that differ in the seed to train side by side; 0: 8 on
                           a GPU, else 1 */
    bool wait;          /* while others run: for what they may leave behind */
    /* NULL, or called with the folder of every run that has ended, pruned ones as well;
     * `user` is that of jsn_sweep_work(). */
    void (*ended)(const char *run, void *user);
} jsn_sweep_worker;

/* A minute of grace, 3 retries, waiting for the trials of others; all else 0 or NULL. */
JSN_API void jsn_sweep_worker_init(jsn_sweep_worker *worker);

/* Claims and runs trials until none is left. `stop` is asked after every step; the run
 * is then checkpointed, its trial given back, and JSN_ERR_STOPPED returned. A trial
 * whose options are wrong or whose loss is not finite is marked as failed and the next
 * one taken; what is wrong with the machine (full disk, no device, no data) ends the
 * work with the trial given back. *done (may be NULL) counts the trials ended. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_work(jsn_sweep *sweep,
                                                 const jsn_sweep_worker *worker,
                                                 const jsn_logger *logger,
                                                 int (*stop)(void *user), void *user,
                                                 size_t *done);

typedef enum jsn_sweep_state {
    JSN_SWEEP_WAITING,
    JSN_SWEEP_RUNNING,
    JSN_SWEEP_COMPLETE,
    JSN_SWEEP_PRUNED,
    JSN_SWEEP_FAILED
} jsn_sweep_state;

/* "waiting", "running", ... */
JSN_API const char *jsn_sweep_state_name(jsn_sweep_state state);

/* A name and a text. */
typedef struct jsn_sweep_pair {
    const char *name, *text;
} jsn_sweep_pair;

typedef struct jsn_sweep_trial {
    int64_t number; /* from 0 */
    jsn_sweep_state state;
    double value; /* of the objective; NaN: none yet */
    jsn_sweep_pair *options;
    size_t option_count;
    jsn_sweep_pair *facts; /* "run", "group", "test_acc", "seconds", "failure", ... */
    size_t fact_count;
    double *steps; /* objective after epoch 1, 2, ...; NaN: not measured */
    size_t step_count;
    /* What `value` is: the objective, and for "auto" the one that the run had. The study's,
     * while it is open. */
    const char *measured;
} jsn_sweep_trial;

/* All trials by number; the caller's. */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_trials(jsn_sweep *sweep,
                                                   jsn_sweep_trial **out,
                                                   size_t *count);
/* Accepts NULL. */
JSN_API void jsn_sweep_trials_release(jsn_sweep_trial *trials, size_t count);

/* The text of an option or fact of a trial, NULL when it has none. */
JSN_API const char *jsn_sweep_option(const jsn_sweep_trial *trial, const char *name);
JSN_API const char *jsn_sweep_fact(const jsn_sweep_trial *trial, const char *name);

/* The best configuration: trials that differ in their seed alone. */
typedef struct jsn_sweep_choice {
    size_t *trials;  /* [n] indices, owned; jsn_sweep_choice_release() */
    size_t n;        /* 0: there is none */
    size_t best;     /* index of the best trial among them */
    double mean;     /* of their values; NaN: there is none */
    size_t left_out; /* configurations with a trial that is not complete */
    bool repeated;   /* some configuration has more than one seed */
    /* [count], owned; for every trial that was given: itself, or the one that it repeats
     * and that counts in its place. NULL when none was given. */
    size_t *counted;
} jsn_sweep_choice;

/* The configuration with the best mean over its seeds, of a group (NULL: of all). Those
 * of which some trial is not complete do not compete. Equal means: the one whose trials
 * were begun anew less often, then the one with the lowest trial number. Trials with the same seed (or
 * none) in a configuration count once: the latest complete one, else the latest. On
 * failure nothing is held.
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_sweep_choose(const jsn_sweep *sweep,
                                                   const jsn_sweep_trial *trials,
                                                   size_t count, const char *group,
                                                   jsn_sweep_choice *out);
JSN_API void jsn_sweep_choice_release(jsn_sweep_choice *choice); /* and zeroes it */

typedef struct jsn_tune_result {
    char lr[32], loss[64];
    double val_acc_noisy; /* of the choice */
    size_t runs;          /* complete, all calls together */
    size_t failed;        /* likewise */
    bool finished;        /* every planned run has ended, none cut off by the budget */
} jsn_tune_result;

/* Choosing loss weight and learning rate without clean labels, by accuracy on a noisy
 * validation part: learning rates at the middle weight first, then weights at the best
 * rate. The first rate is what training with `base` takes by itself, or that of the study's
 * first trial. The study is made or continued; trials are added as results come in. `base` has
 * at least the data. `runs` is the budget, 0: the whole plan. A run that fails (its loss
 * is not finite, say) would fail again: it counts like one that was completed, takes no
 * part in the choice, and is not replaced.
 *   JSN_ERR_ARGUMENT  the study is one with other options, or the data has changed since
 *                     one of its runs was completed
 *   JSN_ERR_NUMERIC   no run has ended with a result */
JSN_API JSN_MUST_CHECK jsn_status jsn_tune(const char *url, const char *name,
                                           const jsn_train_config *base, int64_t runs,
                                           const jsn_sweep_worker *worker,
                                           const jsn_logger *logger,
                                           int (*stop)(void *user), void *user,
                                           jsn_tune_result *out);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_SWEEP_H */
