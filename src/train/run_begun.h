/* train/run_begun.h - whether a run was begun with certain options. */
#ifndef JSNI_TRAIN_RUN_BEGUN_H
#define JSNI_TRAIN_RUN_BEGUN_H

#include "jensen/train.h"

/* Every option that is set but the "set" list, which has done its work. */
JSN_MUST_CHECK jsn_status jsni_config_copy(jsn_train_config *out,
                                           const jsn_train_config *from);

/* Whether the folder that a complete configuration leads to is that of a run with just
 * these options, by its config.yaml. JSN_ERR_IO when that cannot be known now. */
JSN_MUST_CHECK jsn_status jsni_run_begun_with(const jsn_train_config *config,
                                              bool *begun);

/* The same of a folder. */
JSN_MUST_CHECK jsn_status jsni_run_begun_in(const char *folder,
                                            const jsn_train_config *config,
                                            bool *begun);

#endif /* JSNI_TRAIN_RUN_BEGUN_H */
