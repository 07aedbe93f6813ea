/* augment/operation_hue.c - turns the hue of ColorJitter by a fraction of the circle. */
#include "augment/operation.h"
#include "augment/pixel_op.h"

static void hue_run(const jsni_pixel_op *op, const uint8_t *in, uint8_t *out,
                    size_t width, size_t height)
{
    jsni_hue_shift(in, out, width * height, op->value);
}

JSNI_OPERATION_IMAGE(hue, "Hue", hue_run);
