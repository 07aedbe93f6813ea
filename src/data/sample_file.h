/* data/sample_file.h - where the image of a sample lies. */
#ifndef JSNI_DATA_SAMPLE_FILE_H
#define JSNI_DATA_SAMPLE_FILE_H

#include <stddef.h>

#include "core/sha256.h"
#include "jensen/dataset.h"

/* The path of the sample's own file as an owned text; NULL when it has none, as in an
 * archive, or when there is no memory. */
char *jsni_sample_file(const jsn_dataset *data, jsn_split split, size_t index);

/* Adds by what the image of a sample is known again: what is in memory by its bytes, a file
 * by its place, size and times. JSN_ERR_DATA, JSN_ERR_IO: it cannot be looked at. */
JSN_MUST_CHECK jsn_status jsni_sample_identify(const jsn_dataset *data, jsn_split split,
                                               size_t index, jsni_sha256 *sha);

/* The folder that the names of a split's samples are relative to, borrowed; NULL when they
 * have no files of their own. */
const char *jsni_sample_root(const jsn_dataset *data, jsn_split split);

#endif /* JSNI_DATA_SAMPLE_FILE_H */
