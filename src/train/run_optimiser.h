/* train/run_optimiser.h - the optimiser of a run. */
#ifndef JSNI_TRAIN_RUN_OPTIMISER_H
#define JSNI_TRAIN_RUN_OPTIMISER_H

#include "jensen/train.h"

/* The spec of --optimizer, whole: parameters that it leaves out and that are options of a
 * run as well (--momentum, --nesterov) are those of the options. Released by jsni_free().
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_ARGUMENT, JSN_ERR_RANGE as specs do, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_run_optimiser(const jsn_train_config *config,
                                             char **out);

/* The factor of --l1, 0 where it is not given. */
double jsni_run_l1(const jsn_train_config *config);

#endif /* JSNI_TRAIN_RUN_OPTIMISER_H */
