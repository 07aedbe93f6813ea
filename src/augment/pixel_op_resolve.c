/* augment/pixel_op_resolve.c - from a value to an operation. */
#include <math.h>

#include "augment/operation.h"
#include "augment/pixel_op.h"

void jsni_pixel_op_resolve(jsni_pixel_op *op, int kind, double value, int sign,
                           size_t width, size_t height, double x, double y)
{
    const jsni_operation *operation = jsni_operation_at((size_t)kind);
    *op = (jsni_pixel_op){.kind = kind,
                          .form = (int32_t)operation->form,
                          .needs = (int32_t)operation->needs,
                          .draws = operation->draws,
                          .sign = sign < 0 ? -1 : 1,
                          .value = value,
                          .factor = (float)value};
    if (operation->resolve != NULL)
        operation->resolve(op, sign < 0 ? -value : value, (double)width,
                           (double)height);
    if (operation->draws & JSNI_DRAWS_PLACE)
        op->box = jsni_pixel_box_at(x, y, value, (int32_t)width, (int32_t)height);
}

/* The rule of Pillow's scaling path: coordinates are summed up in double, negative ones
 * are outside, the others truncated. */
static bool is_plain_shift(double shift, size_t size)
{
    double v = shift + 0.5;
    const double whole = floor(v);
    for (size_t i = 0; i < size; i++) {
        if (floor(v) != whole + (double)i)
            return false;
        v += 1.0;
    }
    return true;
}

bool jsni_pixel_op_is_plain(const jsni_pixel_op *op, size_t width, size_t height)
{
    return (op->shift_x == 0.0 || is_plain_shift(op->shift_x, width)) &&
           (op->shift_y == 0.0 || is_plain_shift(op->shift_y, height));
}
