/* data/cifar_read.h - the binary CIFAR files, for both data sets. */
#ifndef JSNI_DATA_CIFAR_READ_H
#define JSNI_DATA_CIFAR_READ_H

#include "data/dataset_impl.h"

enum { JSNI_CIFAR_SIDE = 32, JSNI_CIFAR_PIXELS = 32 * 32 };

typedef struct jsni_cifar_layout {
    const char *const *classes; /* in label order */
    size_t class_count;
    const char *folder;             /* that the published archive unpacks to */
    const char *const *train_files; /* ended by NULL */
    const char *test_file;
    size_t label_bytes; /* before the pixels; the last one is the label */
    float mean[3];
    float deviation[3];
} jsni_cifar_layout;

/* Opens the first parameter's path. */
JSN_MUST_CHECK jsn_status jsni_cifar_open(jsn_dataset *data,
                                          const jsni_dataset_request *request,
                                          const jsni_cifar_layout *layout);

/* Appends the records of one file to a split, whose pixels come as colour planes and are
 * stored interleaved. `seen` counts the samples of each class in this split, which is
 * what names them. `file` is for error sentences. */
JSN_MUST_CHECK jsn_status jsni_cifar_add_records(jsn_dataset *data, jsn_split split,
                                                 const jsni_cifar_layout *layout,
                                                 const uint8_t *bytes, size_t length,
                                                 const char *file, size_t *seen);

#endif /* JSNI_DATA_CIFAR_READ_H */
