/* augment/operation_hsv.c - hue, saturation and value as bytes. */
#include "augment/operation.h"
#include "augment/pixel_op.h"

static void hsv_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                    size_t width, size_t height)
{
    (void)op;
    jsni_rgb_to_hsv(in, out, width * height);
}

JSNI_OPERATION_IMAGE(hsv, "HSV", hsv_run);
