/* augment/operation_translate_y.c - moved up or down by a number of pixels. */
#include "augment/operation.h"

static void translate_y_resolve(jsni_pixel_op *op, double value, double width,
                                double height)
{
    (void)width, (void)height;
    jsni_warp_translate(op, 0.0, value);
}

JSNI_OPERATION_WARP(translate_y, "TranslateYabs", 0, 100, JSNI_DRAWS_SIGN,
                    translate_y_resolve);
