/* data/split.h - cuts labelled samples into a training and a validation part. */
#ifndef JSNI_DATA_SPLIT_H
#define JSNI_DATA_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

/* Class by class: the class's samples are shuffled, the first round((1 - fraction) n)
 * go to training and the rest to validation; both parts are then shuffled whole, as the
 * paper's code does. The draws come from the stream (seed, JSNI_RNG_SPLIT, 0, class, 0).
 * `fraction` in (0, 1); each class keeps at least one training sample. Where all classes
 * are so small that this leaves nothing for validation, that fraction of all samples goes
 * there instead, at most one of a class, that of random classes. The two arrays hold
 * sample numbers and are the caller's (jsni_free); on failure they are NULL.
 *   JSN_ERR_DATA    no class has more than one sample
 *   JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_split_stratified(const int32_t *labels, size_t samples,
                                                size_t classes, double fraction,
                                                uint64_t seed, uint32_t **train,
                                                size_t *train_count, uint32_t **val,
                                                size_t *val_count);

#endif /* JSNI_DATA_SPLIT_H */
