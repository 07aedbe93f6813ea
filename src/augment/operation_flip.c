/* augment/operation_flip.c - left and right exchanged. */
#include "augment/operation.h"

static void flip_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                     size_t width, size_t height)
{
    (void)op;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < 3; c++)
                out[(y * width + x) * 3 + c] = in[(y * width + width - 1 - x) * 3 + c];
}

JSNI_OPERATION_IMAGE(flip, "Flip", flip_run);
