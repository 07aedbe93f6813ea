/* data/sample_measure.h - the size of a sample's image without decoding it. */
#ifndef JSNI_DATA_SAMPLE_MEASURE_H
#define JSNI_DATA_SAMPLE_MEASURE_H

#include "jensen/dataset.h"

/* From the header alone: what follows it may still be broken. Of a file on disk only the
 * beginning is read, if that is enough.
 *   JSN_ERR_DATA  no image, or one that is not read; the sentence says which and why
 *   JSN_ERR_UNSUPPORTED, JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_sample_measure(const jsn_dataset *data, jsn_split split,
                                              size_t index, size_t *width,
                                              size_t *height);

#endif /* JSNI_DATA_SAMPLE_MEASURE_H */
