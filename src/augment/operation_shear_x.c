/* augment/operation_shear_x.c - rows moved by their height. */
#include "augment/operation.h"

static void shear_x_resolve(jsni_pixel_op *op, double value, double width,
                            double height)
{
    (void)width, (void)height;
    op->warp = jsni_warp_shear(value, 0.0);
}

JSNI_OPERATION_WARP(shear_x, "ShearX", 0, 0.3, JSNI_DRAWS_SIGN, shear_x_resolve);
