/* augment/operation_translate_x.c - moved sideways by a number of pixels. */
#include "augment/operation.h"

static void translate_x_resolve(jsni_pixel_op *op, double value, double width,
                                double height)
{
    (void)width, (void)height;
    jsni_warp_translate(op, value, 0.0);
}

JSNI_OPERATION_WARP(translate_x, "TranslateXabs", 0, 100, JSNI_DRAWS_SIGN,
                    translate_x_resolve);
