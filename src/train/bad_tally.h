/* train/bad_tally.h - the broken images that all loaders of a run have met, of its parts
 * for training, validation and test together. An image counts once, however many loaders
 * of its part meet it. */
#ifndef JSNI_TRAIN_BAD_TALLY_H
#define JSNI_TRAIN_BAD_TALLY_H

#include <stdbool.h>

#include "train/problem.h"

typedef struct jsni_bad_tally jsni_bad_tally;

JSN_MUST_CHECK jsn_status jsni_bad_tally_create(jsni_bad_tally **out);
void jsni_bad_tally_destroy(jsni_bad_tally *tally); /* accepts NULL */

/* Counts the image at `position` of a part, unless it was; false when that would make more
 * than `most`. Any number of threads may call it. */
bool jsni_bad_tally_add(jsni_bad_tally *tally, const jsni_part *part, uint32_t position,
                        size_t most);

#endif /* JSNI_TRAIN_BAD_TALLY_H */
