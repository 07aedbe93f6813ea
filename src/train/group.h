/* train/group.h - runs that are trained side by side on one device, in step. A group owns
 * what they share: the model with a network for each, the clock, whether the data lives on
 * the device, and the runs themselves (run.h), its members. One run is a group of one.
 *
 * group.c opens and closes it and goes through the epochs; trainer.c has the steps and the
 * end of an epoch of one member, resident_feed.c the steps of all of them on a device. */
#ifndef JSNI_TRAIN_GROUP_H
#define JSNI_TRAIN_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/model.h"
#include "jensen/augment.h"
#include "jensen/train.h"
#include "train/problem.h"
#include "train/watch.h"

struct jsni_run;

/* How fast the group is. For telling when it will be done and when a checkpoint is due;
 * nothing that is trained depends on it. */
typedef struct jsni_group_clock {
    size_t steps;         /* of this call */
    double step_seconds;  /* of a step, over about the latest epoch */
    double epoch_seconds; /* of the steps of the epoch, this call */
    double measuring;     /* clock when the evaluation under way began; 0: none is */
    double checkpoint;    /* clock when the latest was written */
    size_t after;         /* runs as long as these that follow in this call */
} jsni_group_clock;

typedef struct jsni_group {
    jsni_watch *watch;              /* borrowed: who follows */
    jsni_stop stop;                 /* whether to stop, as the watch says */
    const jsn_train_config *config; /* borrowed: for the options they agree in */
    const jsni_problem *problem;    /* borrowed: for the images, which are the same */
    jsn_augment *augment, *plain;   /* owned: pipelines of training and evaluation */
    jsn_model *model;               /* owned */
    bool training;                  /* else for evaluation alone */
    bool resident; /* the data lives on the device; else the loaders feed it */
    size_t steps;  /* of an epoch */
    jsni_group_clock clock;
    bool said;                /* what follows from the first epoch was told */
    struct jsni_run *members; /* [count], owned */
    size_t count;
} jsni_group;

/* What is to be trained, and where. */
typedef struct jsni_job {
    const jsn_train_config *config; /* borrowed, complete */
    const jsni_problem *problem;    /* borrowed */
    const char *folder;             /* borrowed */
    uint64_t seed;
    const char
        *opening;   /* borrowed, may be NULL: lines said before the folder was open */
    size_t after;   /* jobs that follow this one in the call; for the time left */
    size_t number;  /* of the configuration in the call */
    size_t part_of; /* which member of an ensemble it is, from 1; 0: none */
} jsni_job;

/* Opens the folders of `count` jobs, builds one model with as many members, losses,
 * loaders; loads the latest checkpoints or the initial weights. Jobs of one group have
 * the same images, network and options; more than one needs a device that trains
 * members together. On failure everything is released.
 *   JSN_ERR_UNSUPPORTED  they can be trained one by one only */
JSN_MUST_CHECK jsn_status jsni_group_open(jsni_group *group, const jsni_job *jobs,
                                          size_t count, jsni_watch *watch);

/* A run that is done, for its evaluation passes alone: with the weights of
 * model.safetensors, whatever became of its checkpoints; its files stay as they are.
 *   JSN_ERR_DATA  the weights are missing or damaged */
JSN_MUST_CHECK jsn_status jsni_group_open_finished(jsni_group *group,
                                                   const jsni_job *job,
                                                   jsni_watch *watch);
void jsni_group_close(jsni_group *group);

/* Where the group stands: a member that speaks for all of them, since they are in step. */
const struct jsni_run *jsni_group_lead(const jsni_group *group);

/* Tells everybody where the members stand, then goes through the epochs that are left.
 * JSN_ERR_STOPPED after a checkpoint when asked to stop. */
JSN_MUST_CHECK jsn_status jsni_group_train(jsni_group *group);

/* Notes what some steps took: the mean over about an epoch. */
void jsni_group_pace(jsni_group *group, size_t steps, double seconds);

/* After some steps of all members, of `samples` samples in all: time, events, checkpoints
 * when they are due. */
JSN_MUST_CHECK jsn_status jsni_group_after_steps(jsni_group *group, size_t steps,
                                                 double seconds, uint64_t samples);

/* Whether, after an epoch, checkpoints are worth their time: the last one is twenty times as
 * old as they took, or no epoch is left. `now`: jsni_clock(). */
bool jsni_group_checkpoint_due(const jsni_group *group, double now);

/* How many runs the device that a spec names best trains side by side; 1 for "auto",
 * "cpu" and NULL. */
size_t jsni_train_together(const char *device);

/* Trains the jobs that are not finished, together where the device can, and gives the
 * results of all, [count]. */
JSN_MUST_CHECK jsn_status jsni_train_jobs(const jsni_job *jobs, size_t count,
                                          jsni_watch *watch, jsn_train_result *results);

/* Seconds of a clock that never goes back. */
double jsni_clock(void);

#endif /* JSNI_TRAIN_GROUP_H */
