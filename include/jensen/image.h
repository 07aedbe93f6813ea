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
