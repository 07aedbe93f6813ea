/* train/spec_check.h - whether the specs among a run's options name things that exist, as
 * far as that shows without the data: asked before anything is read, said or made. */
#ifndef JSNI_TRAIN_SPEC_CHECK_H
#define JSNI_TRAIN_SPEC_CHECK_H

#include "jensen/train.h"

/* Of one option: loss, network, augmentation, noise, optimiser, schedule, recipe. Others
 * pass. */
JSN_MUST_CHECK jsn_status jsni_train_check_spec(const char *option, const char *text);

/* Of all options that are set. */
JSN_MUST_CHECK jsn_status jsni_train_check_specs(const jsn_train_config *config);

#endif /* JSNI_TRAIN_SPEC_CHECK_H */
