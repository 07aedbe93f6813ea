/* augment/operation_shear_y.c - columns moved by their distance from the left. */
#include "augment/operation.h"

static void shear_y_resolve(jsni_pixel_op *op, double value, double width,
                            double height)
{
    (void)width, (void)height;
    op->warp = jsni_warp_shear(0.0, value);
}

JSNI_OPERATION_WARP(shear_y, "ShearY", 0, 0.3, JSNI_DRAWS_SIGN, shear_y_resolve);
