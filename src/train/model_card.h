/* train/model_card.h - model.json, the card of store/record_card.h: network, classes, input
 * size, transforms. Written before the first step. */
#ifndef JSNI_TRAIN_MODEL_CARD_H
#define JSNI_TRAIN_MODEL_CARD_H

#include "jensen/train.h"
#include "store/record_card.h"
#include "store/run_folder.h"
#include "train/problem.h"

/* Of the run in `folder`, about to start or to go on; `folder` need not exist. What the weights
 * of --init say stays as it was when the run began.
 *   JSN_ERR_DATA  --init leads to nothing, and the run has yet to begin */
JSN_MUST_CHECK jsn_status jsni_model_card_make(jsni_model_card *card,
                                               const jsn_train_config *config,
                                               const jsni_problem *problem,
                                               const char *folder);
JSN_MUST_CHECK jsn_status jsni_model_card_write(const jsni_model_card *card,
                                                const jsni_run_folder *folder);

#endif /* JSNI_TRAIN_MODEL_CARD_H */
