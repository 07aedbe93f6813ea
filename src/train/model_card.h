/* train/model_card.h - model.json, the card of store/record_card.h: network, classes, input
 * size, transforms. Written before the first step. */
#ifndef JSNI_TRAIN_MODEL_CARD_H
#define JSNI_TRAIN_MODEL_CARD_H

#include "jensen/train.h"
#include "store/record_card.h"
#include "store/run_folder.h"
#include "train/problem.h"

/* Of a run about to start. */
JSN_MUST_CHECK jsn_status jsni_model_card_make(jsni_model_card *card,
                                               const jsn_train_config *config,
                                               const jsni_problem *problem);
JSN_MUST_CHECK jsn_status jsni_model_card_write(const jsni_model_card *card,
                                                const jsni_run_folder *folder);

#endif /* JSNI_TRAIN_MODEL_CARD_H */
