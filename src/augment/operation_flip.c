/* augment/operation_flip.c - left and right exchanged. */
#include "augment/operation.h"
#include "augment/pixelkernel.h"

static void flip_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                     size_t width, size_t height)
{
    (void)op;
    for (size_t y = 0; y < height; y++)
        jsni_pixelkernel_best()->mirror(in + y * width * 3, out + y * width * 3, width);
}

JSNI_OPERATION_IMAGE(flip, "Flip", flip_run);
