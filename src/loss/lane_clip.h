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

/* What the logits in `d` are to be scaled by; lanes without a class repeat one that has.
 * The norm is taken of their quotients by the largest, which neither overflow nor vanish. */
static lane_clip clip_logits(const jsni_row *row, const jsni_loss_clip *clip,
                             size_t left, const jsni_real *d)
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
    const jsni_real sum = clip->power == 2.0
                              ? clip_sum(row, R(2), left, d, scale)
                              : clip_sum(row, R(clip->power), left, d, scale);
    const jsni_real root =
        jsni_max(one, clip->power == 2.0 ? jsni_sqrt(sum)
                                         : clip_power(sum, R(1.0 / clip->power)));
    const jsni_real factor = R(clip->tau) / most / root;
    lane_clip out;
    out.on = jsni_less(factor, one, one, jsni_fill(R(0)));
    /* A NaN among the logits would be lost in the maxima. */
    out.factor = jsni_less(factor, one, factor, one) + R(0) * sum;
    out.top = out.factor * top;
    return out;
}

/* From the gradient of z' in `total` to that of z; `kept` is z' less its largest. */
static void clip_gradient(const jsni_row *row, const jsni_loss_clip *clip,
                          const lane_clip *by, size_t left, const jsni_real *kept,
                          jsni_real *total)
{
    const jsni_scalar scale = R(1.0 / clip->tau);
    const jsni_real zero = jsni_fill(R(0));
    jsni_real dot = zero;
    for (size_t c = 0; c < row->chunks; c++)
        dot = dot + clip_keep(row, c, left, total[c] * (kept[c] + by->top));
    dot = by->on * jsni_total(row, dot);
    if (clip->power == 2.0) { /* h = z' / tau^2 */
        const jsni_real slope = by->factor * dot * (scale * scale);
        for (size_t c = 0; c < row->chunks; c++)
            total[c] = by->factor * total[c] - slope * (kept[c] + by->top);
        return;
    }
    for (size_t c = 0; c < row->chunks; c++) {
        const jsni_real z = (kept[c] + by->top) * scale;
        const jsni_real size =
            clip->power == 1.0 ? jsni_fill(R(1)) : clip_power(z, R(clip->power - 1.0));
        const jsni_real slope =
            scale * jsni_less(z, zero, -size, jsni_less(zero, z, size, zero));
        total[c] = by->factor * (total[c] - slope * dot);
    }
}

#endif /* JSNI_LOSS_LANE_CLIP_H */
