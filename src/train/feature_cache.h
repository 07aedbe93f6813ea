/* train/feature_cache.h - features in the cache, so that a run that goes on, and runs on the
 * same images with other labels, losses or rates, need not compute them again.
 *
 *     CACHE/features/KEY.safetensors
 *
 * KEY stands for all that the values depend on, so a file is right or not there. The oldest
 * files go when there are more than JSNI_FEATURE_CACHE_BYTES of them.
 */
#ifndef JSNI_TRAIN_FEATURE_CACHE_H
#define JSNI_TRAIN_FEATURE_CACHE_H

#include "core/sha256.h"
#include "jensen/log.h"
#include "jensen/status.h"
#include "train/features.h"

#define JSNI_FEATURE_CACHE_BYTES ((uint64_t)1 << 30)

/* Fills features of the right counts. *found is false when there are none of that key, or
 * none that can be read. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_feature_cache_load(const char key[JSNI_SHA256_HEX],
                                                  jsni_features *features, bool *found);

/* Keeps features of which no image is missing. What cannot be kept is said to `logger`, or
 * NULL, and no failure. */
void jsni_feature_cache_store(const char key[JSNI_SHA256_HEX],
                              const jsni_features *features, const jsn_logger *logger);

#endif /* JSNI_TRAIN_FEATURE_CACHE_H */
