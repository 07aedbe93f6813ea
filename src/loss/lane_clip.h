/* loss/lane_clip.h - logits that are clipped by their norm before the softmax, and the
 * gradient behind it; part of lane_driver.c.
 *
 *     z' = z min(1, tau / ||z||_p)
 *     dL/dz_k = f (g_k - h_k sum_i g_i z'_i),  g = dL/dz',  f = tau / ||z||_p,
 *     h_k = |z'_k|^(p-1) sign(z'_k) / tau^p                 where the norm exceeds tau
 *
 * after Wei et al., "Mitigating Memorization of Noisy Labels by Clipping the Model
 * Prediction", ICML 2023. */
#ifndef JSNI_LOSS_LANE_CLIP_H
#define JSNI_LOSS_LANE_CLIP_H

#include "loss/lane_io.h"
#include "loss/row.h"

/* What a view was clipped by. */
typedef struct lane_clip {
    jsni_real factor; /* f, 1 where the norm is small */
    jsni_real top;    /* the largest of z' */
    jsni_real on;     /* 1 where it was clipped, else 0 */
} lane_clip;

/* |x|^power, 0 at 0. */
static inline jsni_real clip_power(jsni_real x, jsni_scalar power)
{
    const jsni_real size = jsni_abs(x), tiny = jsni_fill(R(JSNI_TINY));
    if (power == R(1))
        return size;
    if (power == R(2))
        return x * x;
    return jsni_less(tiny, size, jsni_pow(jsni_max(tiny, size), power),
                     jsni_fill(R(0)));
}

/* Lanes of the last group that hold no class become 0; `left` is 0 where all do. */
static inline jsni_real clip_keep(const jsni_row *row, size_t chunk, size_t left,
                                  jsni_real x)
{
    return left != 0 && chunk + 1 == row->chunks ? jsni_keep(x, left) : x;
}

/* The sum of |x|^power over x = d * scale. */
static inline jsni_real clip_sum(const jsni_row *row, jsni_scalar power, size_t left,
                                 const jsni_real *d, jsni_real scale)
{
    jsni_real sum = jsni_fill(R(0));
    for (size_t c = 0; c < row->chunks; c++)
        sum = sum + clip_keep(row, c, left, clip_power(d[c] * scale, power));
    return jsni_total(row, sum);
}

/* `factor` is what the norm asks for, and `top` the largest logit; 0 * sum is 0, or NaN where a
 * logit is, which the maxima may lose. */
static inline lane_clip clip_by(jsni_real factor, jsni_real sum, jsni_real top)
{
    const jsni_real one = jsni_fill(R(1));
    lane_clip out;
    out.on = jsni_less(factor, one, one, jsni_fill(R(0)));
    out.factor = jsni_less(factor, one, factor, one) + R(0) * sum;
    out.top = out.factor * top;
    return out;
}

/* What the logits in `d` are to be scaled by; lanes without a class repeat one that has.
 * The norm is taken of their quotients by the largest, which neither overflow nor vanish. */
static lane_clip clip_any(const jsni_row *row, const jsni_loss_clip *clip, size_t left,
                          const jsni_real *d)
{
    const jsni_real one = jsni_fill(R(1)), tiny = jsni_fill(R(JSNI_SMALL));
    jsni_real low = d[0], top = d[0];
    for (size_t c = 1; c < row->chunks; c++) {
        low = jsni_less(d[c], low, d[c], low);
        top = jsni_max(top, d[c]);
    }
    top = jsni_highest(row, top);
    const jsni_real most = jsni_max(tiny, jsni_max(top, jsni_highest(row, -low)));
    const jsni_real scale = one / most;
    const jsni_real sum = clip_sum(row, R(clip->power), left, d, scale);
    const jsni_real root =
        jsni_max(one, clip->power == 2.0 ? jsni_sqrt(sum)
                                         : clip_power(sum, R(1.0 / clip->power)));
    return clip_by(R(clip->tau) / most / root, sum, top);
}

/* The same for the usual norm of logits whose squares are far from overflow, by one pass; `sum`
 * becomes the sum of their squares. That of small ones may vanish, which clips none. */
static inline lane_clip clip_squares(const jsni_row *row, const jsni_loss_clip *clip,
                                     size_t left, const jsni_real *d, jsni_real *sum)
{
    jsni_real top = d[0], squares = jsni_fill(R(0));
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real z = clip_keep(row, c, left, d[c]);
        top = jsni_max(top, d[c]);
        squares = jsni_fma(z, z, squares);
    }
    *sum = jsni_total(row, squares);
    const jsni_real root = jsni_sqrt(jsni_max(jsni_fill(R(JSNI_SMALL)), *sum));
    return clip_by(R(clip->tau) / root, *sum, jsni_highest(row, top));
}

/* As clip_any(), which lanes with very large logits need; what a lane gets does not depend on
 * the others. */
static lane_clip clip_logits(const jsni_row *row, const jsni_loss_clip *clip,
                             size_t left, const jsni_real *d)
{
    if (clip->power != 2.0)
        return clip_any(row, clip, left, d);
    const jsni_real most = jsni_fill(R(JSNI_LARGE)), zero = jsni_fill(R(0));
    jsni_real sum;
    lane_clip by = clip_squares(row, clip, left, d, &sum);
    if (!(jsni_lane_max(jsni_less(sum, most, zero, jsni_fill(R(1)))) > R(0)))
        return by;
    const lane_clip any = clip_any(row, clip, left, d);
    by.factor = jsni_less(sum, most, by.factor, any.factor);
    by.top = jsni_less(sum, most, by.top, any.top);
    by.on = jsni_less(sum, most, by.on, any.on);
    return by;
}

/* From the gradient of z' in `total` to that of z, in `to`; `kept` is z' less its largest, and
 * `dot` the sum over both, without the lanes that hold no class. */
static inline void clip_scale(const jsni_row *row, const jsni_loss_clip *clip,
                              const lane_clip *by, jsni_real dot, const jsni_real *kept,
                              const jsni_real *total, jsni_real *to)
{
    const jsni_scalar scale = R(1.0 / clip->tau);
    const jsni_real zero = jsni_fill(R(0));
    dot = by->on * jsni_total(row, dot);
    if (clip->power == 2.0) { /* h = z' / tau^2 */
        const jsni_real slope = by->factor * dot * (scale * scale);
        for (size_t c = 0; c < row->chunks; c++)
            to[c] = by->factor * total[c] - slope * (kept[c] + by->top);
        return;
    }
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real z = (kept[c] + by->top) * scale;
        const jsni_real size =
            clip->power == 1.0 ? jsni_fill(R(1)) : clip_power(z, R(clip->power - 1.0));
        const jsni_real slope =
            scale * jsni_less(z, zero, -size, jsni_less(zero, z, size, zero));
        to[c] = by->factor * (total[c] - slope * dot);
    }
}

/* The same of a gradient that lies in `total` already. */
static void clip_gradient(const jsni_row *row, const jsni_loss_clip *clip,
                          const lane_clip *by, size_t left, const jsni_real *kept,
                          jsni_real *total)
{
    jsni_real dot = jsni_fill(R(0));
    for (size_t c = 0; c < row->chunks; c++)
        dot = dot + clip_keep(row, c, left, total[c] * (kept[c] + by->top));
    clip_scale(row, clip, by, dot, kept, total, total);
}

#endif /* JSNI_LOSS_LANE_CLIP_H */
