/* train/choose_begun.h - the weights of a run that this command began before. */
#ifndef JSNI_TRAIN_CHOOSE_BEGUN_H
#define JSNI_TRAIN_CHOOSE_BEGUN_H

#include "train/choose_look.h"

/* Settles --init and --finetune, and fills what `seen` has of the weights: as the run began
 * where this command began one, whatever has come into the cache since, or gone from it; else
 * as jsni_choose_weights(). */
JSN_MUST_CHECK jsn_status jsni_choose_begun(jsn_train_config *config,
                                            const jsni_problem *problem,
                                            jsni_look *seen, const jsn_logger *logger);

/* All other options that are open, in the order in which one choice needs another (choose.c). */
JSN_MUST_CHECK jsn_status jsni_choose_rest(jsn_train_config *config,
                                           const jsni_problem *problem,
                                           const jsni_look *seen,
                                           const jsn_logger *logger);

#endif /* JSNI_TRAIN_CHOOSE_BEGUN_H */
