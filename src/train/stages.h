/* train/stages.h - fine-tuning in two stages: the classifier alone (head.h), then with it the
 * last blocks of the body (tail.h) or all of it, block by block at lower rates.
 *
 * Stage 1 is a run of its own in RUN/stage-1, which is continued and found again as any other.
 * Where the weights of --init have a classifier for these classes already, there is none.
 * With validation images the result is the best epoch of stage 2, or stage 1 where no epoch
 * is better. */
#ifndef JSNI_TRAIN_STAGES_H
#define JSNI_TRAIN_STAGES_H

#include "train/group.h"

struct jsni_run;

/* Whether a run has a stage 2: --finetune last; all with --layer-decay or --norm-stats. */
bool jsni_stages_two(const jsn_train_config *config);

/* Whether BatchNorm keeps the statistics of the weights. */
bool jsni_stages_keep_norms(const jsn_train_config *config);

/* Options that contradict each other or the device.
 *   JSN_ERR_ARGUMENT */
JSN_MUST_CHECK jsn_status jsni_stages_check(const jsn_train_config *config, bool gpu);

#define JSNI_STAGES_FIRST "stage-1" /* the folder of stage 1 in that of the run */

/* The options of stage 1: those of the run, but for what is stage 2's. */
JSN_MUST_CHECK jsn_status jsni_stages_first_config(jsn_train_config *out,
                                                   const jsn_train_config *from);

/* Stage 1 of a job that has a stage 2 and needs one: trains it, or what is left of it.
 * Failures as jsn_train(). */
JSN_MUST_CHECK jsn_status jsni_stages_first(const jsni_job *job, jsni_watch *watch);

/* The file of weights that a run begins with, owned: stage 1's, else those of --init. */
JSN_MUST_CHECK jsn_status jsni_stages_path(const struct jsni_run *run, char **out);

/* Of a run at its first step: what it begins with counts as the best so far. */
JSN_MUST_CHECK jsn_status jsni_stages_judge_first(struct jsni_run *run);

/* Of a run after its last epoch: the weights that the validation images chose. */
JSN_MUST_CHECK jsn_status jsni_stages_choose(struct jsni_run *run);

#endif /* JSNI_TRAIN_STAGES_H */
