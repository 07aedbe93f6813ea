/* train/features.h - what a network's body made of the images of a part: the loader hands
 * these out in place of images. */
#ifndef JSNI_TRAIN_FEATURES_H
#define JSNI_TRAIN_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jsni_features {
    size_t count, floats, copies;
    float *values; /* [copies][count][floats], owned; copy 0 is of the image as it is */
    bool *there;   /* [count], owned; false: the image is broken */
} jsni_features;

/* The features of a view of a sample: the views of an epoch are different copies, as long as
 * there are so many, drawn for seed, epoch and sample. */
const float *jsni_features_view(const jsni_features *features, uint64_t seed,
                                uint32_t epoch, uint32_t position, size_t view);

#endif /* JSNI_TRAIN_FEATURES_H */
