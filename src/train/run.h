/* train/run.h - one network being trained in one run folder: everything it holds while
 * it runs, but for what it shares (group.h). Each part has a header of its own. run_setup.c
 * opens and closes it, trainer.c runs its epochs, run_emit.c tells of them, checkpoint.c keeps
 * its state, finish.c writes what remains when it is done. */
#ifndef JSNI_TRAIN_RUN_H
#define JSNI_TRAIN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/json.h"
#include "jensen/train.h"
#include "store/run_folder.h"
#include "train/evaluate.h"
#include "train/group.h"
#include "train/problem.h"
#include "train/run_average.h"
#include "train/run_feed.h"
#include "train/run_history.h"
#include "train/run_losses.h"
#include "train/run_samples.h"
#include "train/run_state.h"
#include "train/schedule.h"
#include "train/step_arrays.h"

/* How fast a run is, for people; see jsni_group_clock. */
typedef struct jsni_run_pace {
    uint64_t images;        /* view-images of the epoch's steps, this call */
    double measure_seconds; /* of the evaluation after them */
} jsni_run_pace;

/* The latest checkpoint. */
typedef struct jsni_run_saved {
    double seconds; /* that it took */
    bool stale;     /* steps were taken since */
    bool damaged;   /* checkpoint.safetensors is, and was not replaced yet */
} jsni_run_saved;

typedef struct jsni_run {
    jsni_group *group; /* borrowed: what it shares with the runs beside it */
    size_t member;     /* which of the model's networks is this run's */
    jsni_job job;      /* what is to be trained */
    jsni_run_folder folder;
    jsn_logger logger; /* writes log.txt and calls the caller's */

    jsni_run_losses losses;
    jsni_schedule schedule;
    jsni_run_feed feed;      /* images */
    jsni_step_arrays arrays; /* labels and logits of a step */

    jsni_run_state state;     /* where it stands */
    jsni_run_samples samples; /* what it keeps of each training sample */
    jsni_average average;     /* of the weights; empty without --ema */
    jsni_run_history history; /* what it knows of its epochs */
    jsni_run_saved saved;
    jsni_run_pace pace;
} jsni_run;

/* Whether `folder` may be a run's: new, empty, one already, or with nothing in it that a
 * run would replace or hide.
 *   JSN_ERR_ARGUMENT  it may not; the sentence names what is there */
JSN_MUST_CHECK jsn_status jsni_run_place_check(const char *folder);

/* Opens a member of a group: folder, losses, loaders; everything that is checked before the
 * model, the expensive part, is made. To be closed also on failure. */
JSN_MUST_CHECK jsn_status jsni_run_open(jsni_run *run, jsni_group *group,
                                        const jsni_job *job);
void jsni_run_close(jsni_run *run);

/* With the model: the latest checkpoint, or the initial weights. */
JSN_MUST_CHECK jsn_status jsni_run_load(jsni_run *run);

/* The steps of the epoch under way that are left, fed by the loader: of a run that is alone
 * in its group. */
JSN_MUST_CHECK jsn_status jsni_run_host_steps(jsni_run *run);

/* Evaluation, best weights and the record of the epoch whose steps are done. */
JSN_MUST_CHECK jsn_status jsni_run_end_epoch(jsni_run *run);

/* Whether no epoch is left; see early_stop.h. */
bool jsni_run_done(const jsni_run *run);

/* Epochs whose steps are all done, also while their evaluation is under way; it names the
 * draws of the augmented copies. */
uint32_t jsni_run_epochs_done(const jsni_run *run);

/* The logits of a pass, by position in its part; broken images are left out. */
JSN_MUST_CHECK jsn_status jsni_run_logits(jsni_run *run, jsni_pass_kind kind,
                                          jsni_logits_fn *fn, void *user);

/* Accuracy and predictions of a pass; either may be NULL. A part that does not exist
 * leaves them as they are. */
JSN_MUST_CHECK jsn_status jsni_run_evaluate(jsni_run *run, jsni_pass_kind kind,
                                            jsni_evaluation *evaluation,
                                            jsni_predictions *predictions);

/* Predictions for the training images as they are, into `clean`, and their agreement
 * with those for one augmented copy of each. */
JSN_MUST_CHECK jsn_status jsni_run_consistency(jsni_run *run, jsni_consistency *out,
                                               jsni_predictions *clean);

/* The learning rate of a batch of the epoch under way. */
double jsni_run_rate(const jsni_run *run, size_t batch);

/* What to try when the training has diverged in a batch of the epoch under way: "try a
 * smaller --lr (it is 0.2; 0.02 here, by the schedule)". */
void jsni_run_advise(const jsni_run *run, size_t batch, char *out, size_t room);

/* Hands an event to all who subscribed; its kind and record are given, the rest is filled in.
 * Fails with the first of them; a wish to stop is kept for group->stop. */
JSN_MUST_CHECK jsn_status jsni_run_emit(jsni_run *run, jsn_event event);

/* Subscriber: the run in sentences and progress, to its log and the caller's. `user`: the
 * run. */
jsn_event_fn jsni_run_say_hear;

/* After the first whole epoch of this call, which has read every image: those that could
 * not be, and how long it will take. */
JSN_MUST_CHECK jsn_status jsni_run_say_first(jsni_run *run);

/* Until this run and those that follow it in the call are done; NaN: nobody can tell. */
double jsni_run_seconds_left(const jsni_run *run);

/* View-images a second of the epoch's steps in this call; NaN when it had none. */
double jsni_run_image_rate(const jsni_run *run);

/* The progress of run->logger: says which epoch `what` belongs to and adds the time left
 * of the whole run. `user` is the run; an empty `what` is the epoch itself. */
void jsni_run_progress(void *user, const jsn_progress *progress);

/* Full state to and from the run folder. Loading sets *found; a damaged file is said
 * and the previous one used. */
JSN_MUST_CHECK jsn_status jsni_checkpoint_save(jsni_run *run);
JSN_MUST_CHECK jsn_status jsni_checkpoint_load(jsni_run *run, bool *found);
/* Whether a folder has one, or the one before; sound or not. */
JSN_MUST_CHECK jsn_status jsni_checkpoint_find(const char *folder, bool *found);

/* The present weights of the network as a file of the run; also their digest, unless NULL. */
JSN_MUST_CHECK jsn_status jsni_run_save_model(jsni_run *run, const char *name,
                                              char sha256[65]);

/* model.safetensors, evaluation.json, posteriors, result.json; fills *result. */
JSN_MUST_CHECK jsn_status jsni_run_finish(jsni_run *run, jsn_train_result *result);

/* The result of a finished run; *found is false when it is not finished. A run of other
 * options than `config`'s or other data is refused as by jsni_problem_mark_check(). */
JSN_MUST_CHECK jsn_status jsni_run_result_read(const char *folder,
                                               const jsn_train_config *config,
                                               const jsni_problem_mark *mark,
                                               bool *found, jsn_train_result *result);
JSN_MUST_CHECK jsn_status jsni_run_result_write(const jsni_run_folder *folder,
                                                const jsn_train_config *config,
                                                const jsni_problem_mark *mark,
                                                const jsn_train_result *result);

/* The number of that name (a field of jsn_train_result); NaN when there is none. */
double jsni_train_result_number(const jsn_train_result *result, const char *name);

/* Calls `put` with every field that was measured, its value as JSON. */
typedef jsn_status jsni_result_fn(void *user, const char *name, const char *json);
JSN_MUST_CHECK jsn_status jsni_train_result_walk(const jsn_train_result *result,
                                                 jsni_result_fn *put, void *user);

/* An evaluation as an object: accuracies, calibration, confusion. */
void jsni_evaluation_put(const jsni_evaluation *evaluation, jsni_json_writer *writer,
                         const char *key);

#endif /* JSNI_TRAIN_RUN_H */
