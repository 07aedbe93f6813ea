/* train/init_weights.h - what --init names: weights in the cache, a file of weights, or the
 * folder of a run. A name with a '/' is a path. */
#ifndef JSNI_TRAIN_INIT_WEIGHTS_H
#define JSNI_TRAIN_INIT_WEIGHTS_H

#include <stddef.h>

#include <stdbool.h>

#include "store/record_card.h"

/* The file of weights, as an owned text: of a run those that it ended with.
 *   JSN_ERR_DATA  a folder that is no run, not finished, or an ensemble's */
JSN_MUST_CHECK jsn_status jsni_init_path(const char *init, char **out);

/* The card of a run or of weights in the cache; !*there: it is a file. Release it. */
JSN_MUST_CHECK jsn_status jsni_init_card(const char *init, jsni_model_card *card,
                                         bool *there);

/* The network that the weights are of (empty: not known) and, of a run, the side of its
 * input (0: not known). *note is that of jsni_weight_file_open(). */
JSN_MUST_CHECK jsn_status jsni_init_look(const char *init, char *network, size_t room,
                                         size_t *image_size, const char **note);

#endif /* JSNI_TRAIN_INIT_WEIGHTS_H */
