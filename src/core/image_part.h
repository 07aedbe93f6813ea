/* core/image_part.h - parts of images: what a reader is asked for, and what it gives. */
#ifndef JSNI_CORE_IMAGE_PART_H
#define JSNI_CORE_IMAGE_PART_H

#include <stddef.h>

#include "jensen/image.h"
#include "jensen/status.h"

/* What is wanted of an image: a part of it, and how coarse it may be. Positions and sizes
 * are in pixels of the whole image, upright. */
typedef struct jsni_image_want {
    size_t left, top, width, height;
    unsigned divisor; /* 1, 2, 4 or 8: a pixel may stand for so many a side */
} jsni_image_want;

/* A part of an image as it was decoded; all of it where a format knows no parts. */
typedef struct jsni_image_part {
    jsn_image image;      /* released by jsn_image_release() */
    size_t width, height; /* of the whole image */
    /* Where `image` begins, in pixels of the whole image. Below 0 when a coarse pixel
     * reaches beyond the edge. */
    ptrdiff_t left, top;
    unsigned divisor; /* a pixel of `image` stands for so many of the whole, a side */
} jsni_image_part;

/* Says what is wanted of an image, now that its size is known. *want comes in as all of
 * it with divisor 1; the part must lie inside. What it returns, if not JSN_OK, is what
 * the call that asked returns. */
typedef jsn_status jsni_image_want_fn(void *user, size_t width, size_t height,
                                      jsni_image_want *want);

#endif /* JSNI_CORE_IMAGE_PART_H */
