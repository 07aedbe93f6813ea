/* train/classifier_impl.h - the inside of jensen/classifier.h: classifier.c opens it and
 * predicts, classifier_stream.c reads the images of many files, classifier_score.c evaluates it
 * on labelled data. */
#ifndef JSNI_TRAIN_CLASSIFIER_IMPL_H
#define JSNI_TRAIN_CLASSIFIER_IMPL_H

#include "backend/backend_impl.h"
#include "jensen/augment.h"
#include "jensen/classifier.h"
#include "jensen/model.h"
#include "train/model_card.h"

struct jsn_classifier {
    char *folder;  /* of the run, or NULL */
    char *weights; /* the file instead of a run's, or NULL */
    jsni_model_card card;
    size_t batch;
    size_t threads;     /* that read images; 0: one a core */
    size_t views;       /* of an image, whose probabilities are averaged */
    jsn_model **models; /* [members] */
    jsn_augment *plain, *augment;
    jsn_augment_scratch *scratch;
    float *images; /* [batch][3][size][size] */
    float *view;   /* the same, of one of several views */
    float *logits; /* [batch][classes] */
    double *row;   /* [classes] */
};

/* How many workers ask a source for images (backend_impl.h), 0: it takes none; and for how
 * many images at most in one call: some batches. */
size_t jsni_classifier_source_workers(const jsn_classifier *classifier);
size_t jsni_classifier_source_images(const jsn_classifier *classifier);

/* jsn_classifier_predict_tensors() of images from a source; *there counts the rows of
 * `probabilities` and `logits`. */
JSN_MUST_CHECK jsn_status jsni_classifier_predict_from(jsn_classifier *classifier,
                                                       const jsni_source *source,
                                                       size_t count, size_t *there,
                                                       double *probabilities,
                                                       float *logits);

/* Evaluates on a data set: its test split, else its validation split, else all it has
 * (",split=train" picks one). Images that cannot be read are told to `logger`. Its classes go
 * by their names: they may be some of the network's, in any order; the confusion counts
 * the network's. `consistency` non-zero measures that as well. `logger` may be NULL. On
 * failure nothing is held.
 *   JSN_ERR_DATA     a class that the network does not have, unreadable data, no image
 *                    that can be used
 *   JSN_ERR_NUMERIC  the network's output for a sample is not finite */
JSN_MUST_CHECK jsn_status jsni_classifier_evaluate(jsn_classifier *classifier,
                                                   const char *data, int consistency,
                                                   const jsn_logger *logger,
                                                   jsn_classifier_scores *scores);

#endif /* JSNI_TRAIN_CLASSIFIER_IMPL_H */
