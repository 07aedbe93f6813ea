/* train/model_card.h - model.json: what one must know to use the weights of a run:
 * network, classes, input size, transforms. Written before the first step. */
#ifndef JSNI_TRAIN_MODEL_CARD_H
#define JSNI_TRAIN_MODEL_CARD_H

#include "jensen/train.h"
#include "store/run_folder.h"
#include "train/problem.h"

typedef struct jsni_model_card {
    char *network, *augment, *evaluation; /* owned */
    size_t classes, image_size, members;
    char **names; /* [classes], owned */
    float mean[3], deviation[3];
    uint64_t seed;
} jsni_model_card;

/* Of a run about to start. */
JSN_MUST_CHECK jsn_status jsni_model_card_make(jsni_model_card *card,
                                               const jsn_train_config *config,
                                               const jsni_problem *problem);
JSN_MUST_CHECK jsn_status jsni_model_card_write(const jsni_model_card *card,
                                                const jsni_run_folder *folder);
/* JSN_ERR_DATA when `folder` is no run folder. */
JSN_MUST_CHECK jsn_status jsni_model_card_read(jsni_model_card *card,
                                               const char *folder);
void jsni_model_card_release(jsni_model_card *card);

#endif /* JSNI_TRAIN_MODEL_CARD_H */
