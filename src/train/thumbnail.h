/* train/thumbnail.h - small pictures of samples, for pages. */
#ifndef JSNI_TRAIN_THUMBNAIL_H
#define JSNI_TRAIN_THUMBNAIL_H

#include "jensen/dataset.h"

/* Shrinks an image that has a longer side to `side` pixels there.
 *   JSN_ERR_MEMORY  it is as it was */
JSN_MUST_CHECK jsn_status jsni_thumbnail_fit(jsn_image *image, size_t side);

/* Writes the sample as folder/name (core/file.h), a PNG of at most 96 pixels a side.
 *   JSN_ERR_DATA         the image is broken
 *   JSN_ERR_UNSUPPORTED  this build writes no PNG
 *   JSN_ERR_IO, JSN_ERR_MEMORY */
JSN_MUST_CHECK jsn_status jsni_thumbnail_write(const jsn_dataset *data, jsn_split split,
                                               size_t index, const char *folder,
                                               const char *name);

#endif /* JSNI_TRAIN_THUMBNAIL_H */
