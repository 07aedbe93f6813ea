/* augment/operation_sharpness.c - away from or towards the smoothed image; the border stays. */
#include "augment/operation.h"
#include "augment/pixel_op.h"

JSNI_HD static inline void sharpness_pixel(const jsni_pixel_op *op, const uint8_t *p,
                                           int x, int y, int width, int height,
                                           uint8_t *out)
{
    if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= height)
        return;
    for (int c = 0; c < 3; c++) {
        int sum = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sum += p[(dy * width + dx) * 3 + c];
        out[c] = jsni_blend(jsni_smooth(sum, p[c]), p[c], op->factor);
    }
}

static void sharpness_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                          size_t width, size_t height)
{
    jsni_sharpen(in, out, width, height, op->factor);
}

JSNI_OPERATION_PIXEL(sharpness, "Sharpness", 0.1, 1.9, 0, sharpness_pixel,
                     sharpness_run);
