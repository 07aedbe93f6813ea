/* train/posteriors.h - class probabilities that an earlier run recorded, for labels with
 * instance-dependent noise (`instance:...,from=RUN`). */
#ifndef JSNI_TRAIN_POSTERIORS_H
#define JSNI_TRAIN_POSTERIORS_H

#include "train/problem.h"

/* Reads posteriors.npy of a run and puts its rows, matched by path with the run's
 * labels.csv, into the order of `part`. See jsni_posteriors_fn.
 *   JSN_ERR_DATA  not recorded, another number of classes, a sample missing */
jsn_status jsni_posteriors_of_run(const char *run, const jsni_part *part,
                                  size_t classes, float **out);

#endif /* JSNI_TRAIN_POSTERIORS_H */
