/* train/choose_device.h - which device a run takes. */
#ifndef JSNI_TRAIN_CHOOSE_DEVICE_H
#define JSNI_TRAIN_CHOOSE_DEVICE_H

#include "jensen/backend.h"
#include "jensen/train.h"

/* Settles --device and describes it. "auto" is a GPU where there is one, but for options that
 * work only on the CPU so far: these take it, and it is said.
 *   JSN_ERR_ARGUMENT      --ema on a GPU that was asked for
 *   JSN_ERR_UNKNOWN_NAME, JSN_ERR_DEVICE  as jsn_device_describe() */
JSN_MUST_CHECK jsn_status jsni_choose_device(jsn_train_config *config,
                                             jsn_device_info *out,
                                             const jsn_logger *logger);

#endif
