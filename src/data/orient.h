/* data/orient.h - EXIF orientation: how a camera was held. */
#ifndef JSNI_DATA_ORIENT_H
#define JSNI_DATA_ORIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jensen/image.h"
#include "jensen/status.h"

/* The orientation, 1..8, that an EXIF block (TIFF header first) states for its image; 1,
 * upright, when it states none or is damaged. */
int jsni_exif_orientation(const uint8_t *tiff, size_t length);

/* Whether width and height change places. */
static inline bool jsni_orientation_turns(int orientation)
{
    return orientation >= 5;
}

/* Whether the stored columns, rows run backwards in the upright image. */
static inline bool jsni_orientation_flips_x(int orientation)
{
    return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
}

static inline bool jsni_orientation_flips_y(int orientation)
{
    return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}

/* Makes the image upright, in place. */
JSN_MUST_CHECK jsn_status jsni_image_orient(jsn_image *image, int orientation);

/* Lays RGBA pixels over white. */
void jsni_image_flatten(const uint8_t *rgba, uint8_t *rgb, size_t pixels);

#endif /* JSNI_DATA_ORIENT_H */
