/* augment/pixel_op_resolve.c - from a value to an operation: affine matrices as Pillow makes
 * them, in 16.16 fixed point. */
#include <math.h>

#include "augment/pixel_op.h"

/* x, |x| <= 1, rounded to 15 decimals exactly as Python's round() does: the product is
 * held as a sum of two doubles, so the nearest integer is the true one. */
static double round15(double x)
{
    const double high = x * 1e15;
    const double low = fma(x, 1e15, -high);
    double nearest = nearbyint(high);
    const double rest = (high - nearest) + low;
    if (rest > 0.5)
        nearest += 1.0;
    else if (rest < -0.5)
        nearest -= 1.0;
    return nearest / 1e15;
}

static int64_t fixed(double v)
{
    return (int64_t)floor(v * 65536.0 + 0.5);
}

/* Output (x, y) reads input at m * (x + 0.5, y + 0.5). */
static jsni_warp warp_of(const double m[6])
{
    const jsni_warp warp = {
        fixed(m[2] + m[0] * 0.5 + m[1] * 0.5), fixed(m[0]), fixed(m[1]),
        fixed(m[5] + m[3] * 0.5 + m[4] * 0.5), fixed(m[3]), fixed(m[4])};
    return warp;
}

static jsni_warp rotation(double degrees, double width, double height)
{
    double turn = fmod(degrees, 360.0);
    if (turn < 0.0)
        turn += 360.0;
    const double angle = -(turn * (3.14159265358979323846 / 180.0));
    double m[6] = {round15(cos(angle)),  round15(sin(angle)), 0.0,
                   round15(-sin(angle)), round15(cos(angle)), 0.0};
    const double cx = width / 2.0, cy = height / 2.0;
    m[2] = m[0] * -cx + m[1] * -cy + m[2] + cx;
    m[5] = m[3] * -cx + m[4] * -cy + m[5] + cy;
    return warp_of(m);
}

static jsni_warp shear(double sx, double sy)
{
    const double m[6] = {1.0, sx, 0.0, sy, 1.0, 0.0};
    return warp_of(m);
}

static jsni_warp translation(double tx, double ty)
{
    /* floor() first: the fraction must not be rounded to 1/65536. */
    const jsni_warp warp = {(int64_t)floor(tx + 0.5) * 65536, 65536, 0,
                            (int64_t)floor(ty + 0.5) * 65536, 0,     65536};
    return warp;
}

void jsni_pixel_op_resolve(jsni_pixel_op *op, int kind, double value, int sign,
                           size_t width, size_t height, double x, double y)
{
    const double signed_value = sign < 0 ? -value : value;
    *op = (jsni_pixel_op){.kind = kind,
                          .sign = sign < 0 ? -1 : 1,
                          .value = value,
                          .factor = (float)value};
    switch (kind) {
    case JSNI_PIXEL_ROTATE:
        op->warp = rotation(signed_value, (double)width, (double)height);
        break;
    case JSNI_PIXEL_SHEAR_X:
        op->warp = shear(signed_value, 0.0);
        break;
    case JSNI_PIXEL_SHEAR_Y:
        op->warp = shear(0.0, signed_value);
        break;
    case JSNI_PIXEL_TRANSLATE_X:
        op->warp = translation(signed_value, 0.0);
        break;
    case JSNI_PIXEL_TRANSLATE_Y:
        op->warp = translation(0.0, signed_value);
        break;
    case JSNI_PIXEL_CUTOUT_ABS:
        op->box = jsni_pixel_box_at(x, y, value, (int32_t)width, (int32_t)height);
        break;
    default:
        break;
    }
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
    const double shift = op->sign < 0 ? -op->value : op->value;
    if (op->kind == JSNI_PIXEL_TRANSLATE_X)
        return is_plain_shift(shift, width);
    if (op->kind == JSNI_PIXEL_TRANSLATE_Y)
        return is_plain_shift(shift, height);
    return true;
}
