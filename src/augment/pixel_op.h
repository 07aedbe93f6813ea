/* augment/pixel_op.h - the image operations on the host: resolving a value into an
 * operation, running one on an image. */
#ifndef JSNI_AUGMENT_PIXEL_OP_H
#define JSNI_AUGMENT_PIXEL_OP_H

#include <stdbool.h>
#include <stddef.h>

#include "augment/draw.h"

/* The operation `kind` with `value` (negated when sign < 0) for images of the given
 * size. x and y are the drawn centre of CutoutAbs. */
void jsni_pixel_op_resolve(jsni_pixel_op *op, int kind, double value, int sign,
                           size_t width, size_t height, double x, double y);

/* Pillow adds up the coordinates of a translation in double. Whether that is the same
 * as the fixed-point shift of the operation's warp, as it is for all but contrived
 * values. True for every other kind. */
bool jsni_pixel_op_is_plain(const jsni_pixel_op *op, size_t width, size_t height);

/* Whether the operation is a table a channel; fills it from the image's statistics. */
bool jsni_pixel_op_table(const jsni_pixel_op *op, const uint8_t *in, size_t pixels,
                         uint8_t table[3][256]);

/* The record of an operation; NULL beyond the last. */
const struct jsni_operation *jsni_operation_at(size_t kind);

/* out (not in) is [height][width][3], as is in. */
void jsni_pixel_op_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                       size_t width, size_t height);

/* Blends with the smoothed image; the border stays. */
void jsni_sharpen(const uint8_t *in, uint8_t *out, size_t width, size_t height,
                  float factor);
void jsni_warp_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                   size_t width, size_t height);

/* The HSV bytes of Pillow, pixel by pixel; in == out is fine. */
void jsni_rgb_to_hsv(const uint8_t *in, uint8_t *out, size_t pixels);
void jsni_hsv_to_rgb(const uint8_t *in, uint8_t *out, size_t pixels);
void jsni_hue_shift(const uint8_t *in, uint8_t *out, size_t pixels, double factor);

#endif /* JSNI_AUGMENT_PIXEL_OP_H */
