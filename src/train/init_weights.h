/* train/init_weights.h - what --init names: a file of weights, or the folder of a run. */
#ifndef JSNI_TRAIN_INIT_WEIGHTS_H
#define JSNI_TRAIN_INIT_WEIGHTS_H

#include <stddef.h>

#include "jensen/status.h"

/* The file of weights, as an owned text: of a run those that it ended with.
 *   JSN_ERR_DATA  a folder that is no run, not finished, or an ensemble's */
JSN_MUST_CHECK jsn_status jsni_init_path(const char *init, char **out);

/* The network that the weights are of (empty: not known) and, of a run, the side of its
 * input (0: not known). */
JSN_MUST_CHECK jsn_status jsni_init_look(const char *init, char *network, size_t room,
                                         size_t *image_size);

#endif /* JSNI_TRAIN_INIT_WEIGHTS_H */
