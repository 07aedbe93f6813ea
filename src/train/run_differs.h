/* train/run_differs.h - in which options a run that is to go on differs from what it began
 * with, for a sentence that names them; and whether runs can train side by side. */
#ifndef JSNI_TRAIN_RUN_DIFFERS_H
#define JSNI_TRAIN_RUN_DIFFERS_H

#include <stdbool.h>

#include "core/text.h"
#include "jensen/train.h"

/* The options that the run in `folder` began with, resolved, into a cleared *out.
 *   JSN_ERR_DATA and others  there is no config.yaml, or it does not read */
JSN_MUST_CHECK jsn_status jsni_run_config_read(const char *folder,
                                               jsn_train_config *out);

/* Compares `config` with config.yaml in `folder`. *same: the run of the fingerprint `kept` has
 * these options, its data named by another path to the same place. Otherwise adds the first
 * of them to `out` ("--lr 0.1 then, 0.2 now; ..."); nothing when config.yaml does not tell. */
JSN_MUST_CHECK jsn_status jsni_run_differs(const char *folder,
                                           const jsn_train_config *config,
                                           const char *kept, jsni_text *out,
                                           bool *same);

/* JSN_OK when the resolved configurations can be trained side by side: they agree in
 * everything but seed, noise, losses, views, learning rate, schedule, weight decay, L1
 * and the moments of measuring. JSN_ERR_ARGUMENT names the option in which they
 * differ. */
JSN_MUST_CHECK jsn_status jsni_train_alike(const jsn_train_config *a,
                                           const jsn_train_config *b);

#endif /* JSNI_TRAIN_RUN_DIFFERS_H */
