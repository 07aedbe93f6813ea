/* train/tail.h - training the last blocks of a network (--finetune last) as head.h does the
 * classifier: what the layers before them make of an image is computed once, and the model of
 * the run is the tail alone. */
#ifndef JSNI_TRAIN_TAIL_H
#define JSNI_TRAIN_TAIL_H

#include "jensen/model.h"
#include "jensen/train.h"

struct jsni_head;
struct jsni_run;

/* Whether a run trains the last blocks. */
bool jsni_tail_wanted(const jsn_train_config *config);

/* Fills the size of the features and where they are made, and makes the model of the layers
 * before: from `whole`, the network with the weights that the run begins with.
 *   JSN_ERR_ARGUMENT  the network has too few blocks
 *   JSN_ERR_MEMORY    also when the features would not fit */
JSN_MUST_CHECK jsn_status jsni_tail_front(const struct jsni_run *run,
                                          struct jsni_head *head, jsn_model *whole,
                                          jsn_model **out);

/* The model of the tail, in place of jsn_model_create(). */
JSN_MUST_CHECK jsn_status jsni_tail_model(const struct jsni_head *head,
                                          const jsn_model_options *options,
                                          jsn_model **out);

/* The weights of the tail between the model of a run and a whole network. */
JSN_MUST_CHECK jsn_status jsni_tail_take(const struct jsni_run *run, jsn_model *whole);
JSN_MUST_CHECK jsn_status jsni_tail_put(const struct jsni_run *run, jsn_model *whole);

#endif /* JSNI_TRAIN_TAIL_H */
