/* augment/operation_saturation.c - what torchvision calls Color. */
#include "augment/operation.h"
#include "augment/pixelkernel.h"

static void saturation_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                           size_t width, size_t height)
{
    jsni_pixelkernel_best()->color(in, out, width * height, op->factor);
}

JSNI_OPERATION_IMAGE(saturation, "Saturation", saturation_run);
