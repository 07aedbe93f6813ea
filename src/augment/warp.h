/* augment/warp.h - the maps of operations that move pixels, as Pillow makes them, in 16.16
 * fixed point. Host code. */
#ifndef JSNI_AUGMENT_WARP_H
#define JSNI_AUGMENT_WARP_H

#include <math.h>

#include "augment/draw.h"

static inline int64_t jsni_warp_fixed(double v)
{
    return (int64_t)floor(v * 65536.0 + 0.5);
}

/* Output (x, y) reads input at m * (x + 0.5, y + 0.5). */
static inline jsni_warp jsni_warp_of(const double m[6])
{
    const jsni_warp warp = {jsni_warp_fixed(m[2] + m[0] * 0.5 + m[1] * 0.5),
                            jsni_warp_fixed(m[0]),
                            jsni_warp_fixed(m[1]),
                            jsni_warp_fixed(m[5] + m[3] * 0.5 + m[4] * 0.5),
                            jsni_warp_fixed(m[3]),
                            jsni_warp_fixed(m[4])};
    return warp;
}

static inline jsni_warp jsni_warp_shear(double sx, double sy)
{
    const double m[6] = {1.0, sx, 0.0, sy, 1.0, 0.0};
    return jsni_warp_of(m);
}

/* Pillow adds up the coordinates of a translation in double; jsni_pixel_op_is_plain()
 * tells whether the fixed-point shift is the same. */
static inline void jsni_warp_translate(jsni_pixel_op *op, double tx, double ty)
{
    /* floor() first: the fraction must not be rounded to 1/65536. */
    const jsni_warp warp = {(int64_t)floor(tx + 0.5) * 65536, 65536, 0,
                            (int64_t)floor(ty + 0.5) * 65536, 0,     65536};
    op->warp = warp;
    op->shift_x = tx;
    op->shift_y = ty;
}

#endif /* JSNI_AUGMENT_WARP_H */
