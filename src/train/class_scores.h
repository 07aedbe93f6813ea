/* train/class_scores.h - how well each class is found. */
#ifndef JSNI_TRAIN_CLASS_SCORES_H
#define JSNI_TRAIN_CLASS_SCORES_H

#include "jensen/classifier.h"
#include "train/metrics.h"

/* Fills per_class, balanced_accuracy and macro_f1 from what was counted by class. */
JSN_MUST_CHECK jsn_status jsni_class_scores_make(const jsni_evaluation *e,
                                                 jsn_classifier_scores *out);

#endif /* JSNI_TRAIN_CLASS_SCORES_H */
