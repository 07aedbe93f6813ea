/* train/early_stop.h - when a run has no epoch left: all were run, or the validation
 * accuracy has not become better for --early-stop epochs. A matter of options and state
 * alone, so that a run that is continued ends where it would have. */
#ifndef JSNI_TRAIN_EARLY_STOP_H
#define JSNI_TRAIN_EARLY_STOP_H

#include "jensen/train.h"

/* Of a run that stands after `epoch` epochs, the best of which was `best` (0: none). */
bool jsni_early_stop_over(const jsn_train_config *config, int64_t epoch, int64_t best);

/* Why a run of so many epochs ended before its last one; empty when it did not. */
void jsni_early_stop_reason(const jsn_train_config *config, int64_t epochs, char *out,
                            size_t room);

#endif /* JSNI_TRAIN_EARLY_STOP_H */
