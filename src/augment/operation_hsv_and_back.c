/* augment/operation_hsv_and_back.c - through HSV bytes: what that rounds away is lost. */
#include "augment/operation.h"
#include "augment/pixel_op.h"

static void hsv_and_back_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                             size_t width, size_t height)
{
    (void)op;
    jsni_rgb_to_hsv(in, out, width * height);
    jsni_hsv_to_rgb(out, out, width * height);
}

JSNI_OPERATION_IMAGE(hsv_and_back, "HSV_and_back", hsv_and_back_run);
