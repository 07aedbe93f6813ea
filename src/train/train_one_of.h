/* train/train_one_of.h - a run that others of its kind follow, as the folds of an audit do. */
#ifndef JSNI_TRAIN_TRAIN_ONE_OF_H
#define JSNI_TRAIN_TRAIN_ONE_OF_H

#include "jensen/train.h"

/* As jsn_train_watched() of one run. The time left that is told is that of `after` more such
 * runs, too. */
JSN_MUST_CHECK jsn_status jsni_train_one_of(jsn_train_config *config, size_t after,
                                            const jsn_logger *logger,
                                            const jsn_watcher *watcher,
                                            jsn_train_result *result);

#endif /* JSNI_TRAIN_TRAIN_ONE_OF_H */
