/* train/class_scores.h - how well each class is found. */
#ifndef JSNI_TRAIN_CLASS_SCORES_H
#define JSNI_TRAIN_CLASS_SCORES_H

#include "jensen/classifier.h"

/* Fills per_class, balanced_accuracy and macro_f1 from [classes][classes] counts, label to
 * predicted. */
JSN_MUST_CHECK jsn_status jsni_class_scores_make(const uint64_t *confusion,
                                                 size_t classes,
                                                 jsn_classifier_scores *out);

#endif /* JSNI_TRAIN_CLASS_SCORES_H */
