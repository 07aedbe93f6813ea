/* train/choose.h - choices for what a user leaves open: image size, network,
 * augmentation, batch, epochs, learning rate, loss and views, from the data and the
 * device. Rules, not measurements: the same data gives the same choices. Each is logged
 * with its reason; doubtful data is warned about. */
#ifndef JSNI_TRAIN_CHOOSE_H
#define JSNI_TRAIN_CHOOSE_H

#include "jensen/train.h"
#include "train/problem.h"

/* Fills every unset option that matters. `device` in the configuration becomes the
 * backend it stands for ("auto" -> "onednn"). Failures are those of bad specs. */
JSN_MUST_CHECK jsn_status jsni_choose(jsn_train_config *config,
                                      const jsni_problem *problem,
                                      const jsn_logger *logger);

#endif /* JSNI_TRAIN_CHOOSE_H */
