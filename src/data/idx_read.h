/* data/idx_read.h - IDX files in memory; see data/dataset_idx.c. */
#ifndef JSNI_DATA_IDX_READ_H
#define JSNI_DATA_IDX_READ_H

#include "data/dataset_impl.h"

typedef struct jsni_idx_file {
    const char *name; /* for error sentences */
    const uint8_t *bytes;
    size_t length;
} jsni_idx_file;

/* Adds a split from an image and a label file. Classes are numbered up to the largest
 * label, and grow with a split that has more. */
JSN_MUST_CHECK jsn_status jsni_idx_add(jsn_dataset *data, jsn_split split,
                                       const jsni_idx_file *images,
                                       const jsni_idx_file *labels);

#endif /* JSNI_DATA_IDX_READ_H */
