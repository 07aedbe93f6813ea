/* weights/weight_record.h - what the files of the weights' cache share. */
#ifndef JSNI_WEIGHTS_WEIGHT_RECORD_H
#define JSNI_WEIGHTS_WEIGHT_RECORD_H

#include <stdbool.h>

#include "core/sha256.h"
#include "jensen/weights.h"

#define JSNI_WEIGHTS_RECORD "weights.json"

/* Whether a text can be the name of weights. */
bool jsni_weights_is_name(const char *name);

/* The SHA-256 of a file. JSN_ERR_DATA: it cannot be read. */
JSN_MUST_CHECK jsn_status jsni_weights_sum(const char *path, char hex[JSNI_SHA256_HEX]);

/* As jsn_weights_import() of `file`, whose source is told as `source`. */
JSN_MUST_CHECK jsn_status jsni_weights_import(const char *file, const char *source,
                                              const char *name, jsn_weights_info *info);

/* What a folder of weights tells. JSN_ERR_DATA: damaged. */
JSN_MUST_CHECK jsn_status jsni_weights_read(const char *folder, const char *name,
                                            jsn_weights_info *out);

#endif /* JSNI_WEIGHTS_WEIGHT_RECORD_H */
