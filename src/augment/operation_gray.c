/* augment/operation_gray.c - the grey image in all three channels. */
#include "augment/operation.h"

static void gray_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                     size_t width, size_t height)
{
    (void)op;
    for (size_t i = 0; i < width * height * 3; i += 3)
        out[i] = out[i + 1] = out[i + 2] = jsni_gray(in[i], in[i + 1], in[i + 2]);
}

JSNI_OPERATION_IMAGE(gray, "Gray", gray_run);
