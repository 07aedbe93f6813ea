/* data/sample_gone.h - whether the file of a sample has disappeared since its data set was
 * opened: a disk that was unmounted or a folder that was moved, not a broken image. */
#ifndef JSNI_DATA_SAMPLE_GONE_H
#define JSNI_DATA_SAMPLE_GONE_H

#include <stdbool.h>
#include <stddef.h>

#include "jensen/dataset.h"

/* To be asked of a sample that could not be read. Certain of files that were read before or
 * found by going through folders. A file that only a table names may never have been there: it
 * is called gone when its folder has changed since the data was opened. Any thread. */
bool jsni_sample_gone(const jsn_dataset *data, jsn_split split, size_t index);

#endif /* JSNI_DATA_SAMPLE_GONE_H */
