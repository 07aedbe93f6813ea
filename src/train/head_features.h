/* train/head_features.h - the features of the images of a run, computed by the body of its
 * network or taken from the cache. */
#ifndef JSNI_TRAIN_HEAD_FEATURES_H
#define JSNI_TRAIN_HEAD_FEATURES_H

#include "jensen/model.h"
#include "train/features.h"
#include "train/problem.h"

struct jsni_run;

/* Features of `floats` values of each image of a part: as it is, and of copies - 1 augmented
 * copies. A part without images leaves *out empty; release it also after a failure.
 *   JSN_ERR_DATA, JSN_ERR_IO, JSN_ERR_MEMORY, JSN_ERR_STOPPED */
JSN_MUST_CHECK jsn_status jsni_head_features(struct jsni_run *run, jsn_model *body,
                                             const jsni_part *part, size_t floats,
                                             size_t copies, jsni_features *out);
void jsni_features_release(jsni_features *features);

#endif /* JSNI_TRAIN_HEAD_FEATURES_H */
