/* data/dataset_part.h - images of a data set otherwise than one by one and whole. */
#ifndef JSNI_DATA_DATASET_PART_H
#define JSNI_DATA_DATASET_PART_H

#include "core/image_part.h"
#include "jensen/dataset.h"

/* The pixels of a whole split as one block, [samples][height][width][3], when they are
 * in memory and all of one size, else NULL. Lives as long as the handle. */
const uint8_t *jsni_dataset_pixels(const jsn_dataset *data, jsn_split split);

/* The same for the part of the sample that `fn` wants (NULL: all of it), which is faster for JPEGs that
 * are not kept in memory; see jsni_image_decoder_part(). A file's first decoding is always
 * of all of it, so that a broken one is refused whatever part is wanted of it. The part's
 * pixels do not depend on that, nor on what is kept.
 *   JSN_ERR_RANGE   also: a part that is empty or not inside
 *   and what `fn` returns */
JSN_MUST_CHECK jsn_status jsni_dataset_image_part(const jsn_dataset *data,
                                                  jsn_split split, size_t index,
                                                  jsni_image_want_fn *fn, void *user,
                                                  jsni_image_part *part);

#endif /* JSNI_DATA_DATASET_PART_H */
