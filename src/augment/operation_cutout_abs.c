/* augment/operation_cutout_abs.c - a grey square around a drawn centre. */
#include "augment/operation.h"

JSNI_HD static inline void cutout_abs_pixel(const jsni_pixel_op *op, const uint8_t *p,
                                            int x, int y, int width, int height,
                                            uint8_t *out)
{
    (void)p, (void)width, (void)height;
    if (x < op->box.x0 || x > op->box.x1 || y < op->box.y0 || y > op->box.y1)
        return;
    out[0] = JSNI_CUTOUT_ABS_R;
    out[1] = JSNI_CUTOUT_ABS_G;
    out[2] = JSNI_CUTOUT_ABS_B;
}

static void cutout_abs_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                           size_t width, size_t height)
{
    const jsni_pixel_box *box = &op->box;
    memcpy(out, in, width * height * 3);
    for (int32_t y = box->y0; y <= box->y1; y++)
        for (int32_t x = box->x0; x <= box->x1; x++) {
            uint8_t *to = out + ((size_t)y * width + (size_t)x) * 3;
            cutout_abs_pixel(op, to, x, y, (int)width, (int)height, to);
        }
}

JSNI_OPERATION_PIXEL(cutout_abs, "CutoutAbs", 0, 40, JSNI_DRAWS_PLACE, cutout_abs_pixel,
                     cutout_abs_run);
