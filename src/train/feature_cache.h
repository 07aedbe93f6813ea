/* train/feature_cache.h - features of images in the cache, so that a run that goes on, runs
 * with other labels, losses or rates, and runs on more images of the same folder need not
 * compute them again.
 *
 *     CACHE/features/KEY      the values of one image, and a checksum
 *
 * KEY stands for all that the values depend on, so a file is right or not there. The oldest
 * go when there are more than JSNI_FEATURE_CACHE_BYTES.
 */
#ifndef JSNI_TRAIN_FEATURE_CACHE_H
#define JSNI_TRAIN_FEATURE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sha256.h"
#include "jensen/status.h"

#define JSNI_FEATURE_CACHE_BYTES ((uint64_t)1 << 30)

typedef struct jsni_feature_cache {
    char *folder; /* owned; NULL: the cache is off */
    size_t stored;
} jsni_feature_cache;

/* JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_feature_cache_open(jsni_feature_cache *cache);

/* Removes what is too much after storing. */
void jsni_feature_cache_close(jsni_feature_cache *cache);

/* Whether there were features of that key; they are copied. */
bool jsni_feature_cache_load(const jsni_feature_cache *cache,
                             const char key[JSNI_SHA256_HEX], float *to, size_t count);

/* JSN_ERR_IO: the folder cannot be written. */
JSN_MUST_CHECK jsn_status jsni_feature_cache_store(jsni_feature_cache *cache,
                                                   const char key[JSNI_SHA256_HEX],
                                                   const float *from, size_t count);

#endif /* JSNI_TRAIN_FEATURE_CACHE_H */
