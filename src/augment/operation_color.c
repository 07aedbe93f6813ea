/* augment/operation_color.c - away from or towards the pixel's own grey. */
#include "augment/operation.h"
#include "augment/pixelkernel.h"

JSNI_HD static inline void color_pixel(const jsni_pixel_op *op, const uint8_t *p, int x,
                                       int y, int width, int height, uint8_t *out)
{
    const int base = jsni_gray(p[0], p[1], p[2]);
    (void)x, (void)y, (void)width, (void)height;
    for (int c = 0; c < 3; c++)
        out[c] = jsni_blend(base, p[c], op->factor);
}

static void color_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                      size_t width, size_t height)
{
    jsni_pixelkernel_best()->color(in, out, width * height, op->factor);
}

JSNI_OPERATION_PIXEL(color, "Color", 0.1, 1.9, 0, color_pixel, color_run);
