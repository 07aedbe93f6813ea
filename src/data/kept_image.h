/* data/kept_image.h - decoded images that a data set keeps while it has memory for them.
 * An image may be kept several times, once for each divisor that it was decoded with:
 * coarse pixels are never made from finer ones, so what is kept changes no result. */
#ifndef JSNI_DATA_KEPT_IMAGE_H
#define JSNI_DATA_KEPT_IMAGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/image_part.h"
#include "jensen/image.h"

typedef struct jsni_kept_image jsni_kept_image;

/* Those of one sample; zero-initialise. Any number of threads may find and add. */
typedef _Atomic(jsni_kept_image *) jsni_kept_list;

void jsni_kept_release(jsni_kept_list *list);

/* The size of the whole image; false when nothing is kept of it. */
bool jsni_kept_measure(const jsni_kept_list *list, size_t *width, size_t *height);

/* What decoding with this divisor gives, or NULL. Lives as long as the list. */
const jsni_kept_image *jsni_kept_find(const jsni_kept_list *list, unsigned divisor);

/* Whether `left` bytes are enough to keep an image of this size. */
bool jsni_kept_fits(const atomic_size_t *left, size_t width, size_t height,
                    unsigned divisor);

/* Keeps a copy of `part`, which must be all of its image, and takes its bytes off *left.
 * `divides`: other divisors would give other pixels. Failing to is no failure. */
void jsni_kept_add(jsni_kept_list *list, atomic_size_t *left,
                   const jsni_image_part *part, bool divides);

/* What a decoder that was asked for `want`, with the divisor of `from`, gives. `name` is
 * for sentences. */
JSN_MUST_CHECK jsn_status jsni_kept_copy(const jsni_kept_image *from,
                                         const jsni_image_want *want, const char *name,
                                         jsni_image_part *part);

/* The same out of any image that is all there: `whole` with pixels that are borrowed. */
JSN_MUST_CHECK jsn_status jsni_part_copy(const jsni_image_part *whole,
                                         const jsni_image_want *want, const char *name,
                                         jsni_image_part *part);

#endif /* JSNI_DATA_KEPT_IMAGE_H */
