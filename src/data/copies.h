/* data/copies.h - images with the same pixels; see jsn_dataset_find_copies() in
 * jensen/dataset.h. */
#ifndef JSNI_DATA_COPIES_H
#define JSNI_DATA_COPIES_H

#include <stdint.h>

#include "jensen/image.h"

/* A number by which images of the same size and pixels are found; never 0. Others may
 * share it. */
uint64_t jsni_image_print(const jsn_image *image);

#endif /* JSNI_DATA_COPIES_H */
