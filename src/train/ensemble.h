/* train/ensemble.h - several networks as one: their class probabilities averaged. */
#ifndef JSNI_TRAIN_ENSEMBLE_H
#define JSNI_TRAIN_ENSEMBLE_H

#include "train/run.h"

/* Evaluates the finished members in folder/member-1 ... together on the validation and
 * test parts and writes evaluation.json and result.json of `folder`. `each` has the
 * members' own results. */
JSN_MUST_CHECK jsn_status jsni_ensemble_finish(const jsn_train_config *config,
                                               const jsni_problem *problem,
                                               const jsni_run_folder *folder,
                                               const jsn_train_result *each,
                                               jsni_watch *watch,
                                               jsn_train_result *result);

#endif /* JSNI_TRAIN_ENSEMBLE_H */
