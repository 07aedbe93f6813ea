/* weights/weight_cache.h - the weights in the cache as folders. Each is as the folder of a
 * finished run to those who read model.json and model.safetensors; weights.json, written
 * last, tells where they come from. */
#ifndef JSNI_WEIGHTS_WEIGHT_CACHE_H
#define JSNI_WEIGHTS_WEIGHT_CACHE_H

#include "jensen/weights.h"

/* The folder of the weights of a name, as an owned text; *out is NULL when there are none,
 * or when `name` has a '/', is empty or no name at all. JSN_ERR_MEMORY, JSN_ERR_IO. */
JSN_MUST_CHECK jsn_status jsni_weights_folder(const char *name, char **out);

/* `name`, or the folder of the weights of that name: an owned text. */
JSN_MUST_CHECK jsn_status jsni_weights_or_path(const char *name, char **out);

/* Whether there is something of this name: weights, a file or a folder. What has a '/' or a '.'
 * is a path, of which whoever opens it says more.
 *   JSN_ERR_DATA  there is nothing; the sentence says how to get weights */
JSN_MUST_CHECK jsn_status jsni_weights_check_name(const char *name);

/* The folder that they are all in, made if it is not there: an owned text.
 *   JSN_ERR_IO  the cache is off, or cannot be written */
JSN_MUST_CHECK jsn_status jsni_weights_root(char **out);

#endif /* JSNI_WEIGHTS_WEIGHT_CACHE_H */
