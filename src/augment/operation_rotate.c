/* augment/operation_rotate.c - turned around the centre, by degrees. */
#include "augment/operation.h"

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

static void rotate_resolve(jsni_pixel_op *op, double value, double width, double height)
{
    double turn = fmod(value, 360.0);
    if (turn < 0.0)
        turn += 360.0;
    const double angle = -(turn * (3.14159265358979323846 / 180.0));
    double m[6] = {round15(cos(angle)),  round15(sin(angle)), 0.0,
                   round15(-sin(angle)), round15(cos(angle)), 0.0};
    const double cx = width / 2.0, cy = height / 2.0;
    m[2] = m[0] * -cx + m[1] * -cy + m[2] + cx;
    m[5] = m[3] * -cx + m[4] * -cy + m[5] + cy;
    op->warp = jsni_warp_of(m);
}

JSNI_OPERATION_WARP(rotate, "Rotate", 0, 30, JSNI_DRAWS_SIGN, rotate_resolve);
