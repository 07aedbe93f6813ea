/* data/sample_file.h - where the image of a sample lies. */
#ifndef JSNI_DATA_SAMPLE_FILE_H
#define JSNI_DATA_SAMPLE_FILE_H

#include <stddef.h>

#include "jensen/dataset.h"

/* The path of the sample's own file as an owned text; NULL when it has none, as in an
 * archive, or when there is no memory. */
char *jsni_sample_file(const jsn_dataset *data, jsn_split split, size_t index);

#endif /* JSNI_DATA_SAMPLE_FILE_H */
