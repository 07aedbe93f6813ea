/* jensen/image.h - an 8-bit RGB image in memory: what data sets hand out, what
 * augmentations work on. Rows top to bottom, pixels interleaved R G B. */
#ifndef JENSEN_IMAGE_H
#define JENSEN_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JSN_IMAGE_CHANNELS = 3 };

/* Largest width or height that any reader accepts. */
#define JSN_IMAGE_MAX_SIDE 65535u
/* Largest number of pixels that any reader accepts (guards against bombs). */
#define JSN_IMAGE_MAX_PIXELS ((size_t)1 << 28)

typedef struct jsn_image {
    uint8_t *data; /* [height][width][3], contiguous; owned when made by create */
    size_t width;
    size_t height;
} jsn_image;

/* What is wanted of an image: a part of it, and how coarse it may be. Positions and sizes
 * are in pixels of the whole image, upright. */
typedef struct jsn_image_want {
    size_t left, top, width, height;
    unsigned divisor; /* 1, 2, 4 or 8: a pixel may stand for so many a side */
} jsn_image_want;

/* A part of an image as it was decoded; all of it where a format knows no parts. */
typedef struct jsn_image_part {
    jsn_image image;      /* released by jsn_image_release() */
    size_t width, height; /* of the whole image */
    /* Where `image` begins, in pixels of the whole image. Below 0 when a coarse pixel
     * reaches beyond the edge. */
    ptrdiff_t left, top;
    unsigned divisor; /* a pixel of `image` stands for so many of the whole, a side */
} jsn_image_part;

/* Says what is wanted of an image, now that its size is known. *want comes in as all of
 * it with divisor 1; the part must lie inside. What it returns, if not JSN_OK, is what
 * the call that asked returns. */
typedef jsn_status jsn_image_want_fn(void *user, size_t width, size_t height,
                                     jsn_image_want *want);

/* Memory for a picture, contents undefined. On failure *out is zeroed.
 *   JSN_ERR_RANGE   a side is 0 or too large, or too many pixels
 *   JSN_ERR_MEMORY */
JSN_API JSN_MUST_CHECK jsn_status jsn_image_create(jsn_image *out, size_t width,
                                                   size_t height);

/* Frees the data and zeroes the struct; a zeroed struct is fine. */
JSN_API void jsn_image_release(jsn_image *image);

#ifdef __cplusplus
}
#endif

#endif /* JENSEN_IMAGE_H */
