/* train/environment.h - environment.json: what a run was made with and on: version,
 * device, cores, libraries. Nothing in it changes the result beyond the device. */
#ifndef JSNI_TRAIN_ENVIRONMENT_H
#define JSNI_TRAIN_ENVIRONMENT_H

#include "jensen/train.h"
#include "store/run_folder.h"

/* Of the call that trains now; a run that is continued elsewhere names the last place. */
JSN_MUST_CHECK jsn_status jsni_environment_write(const jsni_run_folder *folder,
                                                 const jsn_train_config *config);

#endif /* JSNI_TRAIN_ENVIRONMENT_H */
