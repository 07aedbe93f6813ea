/* train/classifier_impl.h - the inside of jensen/classifier.h: classifier.c opens it and
 * predicts, classifier_score.c evaluates it on labelled data. */
#ifndef JSNI_TRAIN_CLASSIFIER_IMPL_H
#define JSNI_TRAIN_CLASSIFIER_IMPL_H

#include "jensen/augment.h"
#include "jensen/classifier.h"
#include "jensen/model.h"
#include "train/model_card.h"

struct jsn_classifier {
    char *folder;  /* of the run, or NULL */
    char *weights; /* the file instead of a run's, or NULL */
    jsni_model_card card;
    size_t batch;
    size_t views;       /* of an image, whose probabilities are averaged */
    jsn_model **models; /* [members] */
    jsn_augment *plain, *augment;
    jsn_augment_scratch *scratch;
    float *images; /* [batch][3][size][size] */
    float *view;   /* the same, of one of several views */
    float *logits; /* [batch][classes] */
};

#endif /* JSNI_TRAIN_CLASSIFIER_IMPL_H */
