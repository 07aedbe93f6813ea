/* augment/operation_smooth.c - what Sharpness blends with. */
#include "augment/operation.h"
#include "augment/pixel_op.h"

static void smooth_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                       size_t width, size_t height)
{
    (void)op;
    jsni_sharpen(in, out, width, height, 0.0f);
}

JSNI_OPERATION_IMAGE(smooth, "Smooth", smooth_run);
