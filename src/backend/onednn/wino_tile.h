/* backend/onednn/wino_tile.h - the transforms of Winograd's F(4x4,3x3).
 *
 * Points 0, +-a, +-b, infinity with a = 5/8, b = 3/2, which halve the rounding errors of
 * the usual 0, +-1, +-2. For one dimension, d six inputs, w three weights, y four
 * results:
 *
 *     y = A^T [ (G w) * (B^T d) ]     gradient of w = G^T [ (A g) * (B^T d) ]
 *
 * and twice that, for rows and columns, in two dimensions. G carries the divisors, so
 * B^T and A have only a, b and their powers.
 *
 * Rounding. Let |.| be row sums of absolute values. One dimension amplifies a relative
 * error e of the products to at most e * |A^T| |G| |B^T| / |y|; for these points the sums
 * are |A^T| <= 10, |G| <= 1.4, |B^T| <= 7.1, and random data in two dimensions give a root
 * mean square error of 1.1e-6 relative to the largest result for 32 to 128 channels,
 * against 1e-7 for a direct sum. Everything is held to 1e-5 of the largest result.
 *
 * Functions below take and give `step`-strided arrays of vectors, one lane a channel.
 */
#ifndef JSNI_BACKEND_ONEDNN_WINO_TILE_H
#define JSNI_BACKEND_ONEDNN_WINO_TILE_H

#include "backend/onednn/kernel_vec.h"

#define WINO_A 0.625f
#define WINO_B 1.5f

enum {
    WINO_PLANES = 36,
    WINO_GAP = 16 /* floats between planes: keeps 36 streams out of one cache set */
};

/* G: 1/(a^2 b^2) at 0, (1, p, p^2) / (2 p^2 (p^2 - q^2)) at +-p, 1 at infinity. */
static const float wino_g[6][3] = {
    {1.13777777777778f, 0.0f, 0.0f},
    {-0.688403361344538f, -0.430252100840336f, -0.26890756302521f},
    {-0.688403361344538f, 0.430252100840336f, -0.26890756302521f},
    {0.119514472455649f, 0.179271708683473f, 0.26890756302521f},
    {0.119514472455649f, -0.179271708683473f, 0.26890756302521f},
    {0.0f, 0.0f, 1.0f}};

/* t = B^T d */
VEC_INLINE void wino_input_line(const vec *d, int from, vec *t, int step)
{
    const float a2 = WINO_A * WINO_A, b2 = WINO_B * WINO_B;
    const vec d0 = d[0], d1 = d[from], d2 = d[2 * from], d3 = d[3 * from],
              d4 = d[4 * from], d5 = d[5 * from];
    const vec e = vec_fnma(vec_set(b2), d2, d4), f = vec_fnma(vec_set(b2), d1, d3);
    const vec g = vec_fnma(vec_set(a2), d2, d4), h = vec_fnma(vec_set(a2), d1, d3);
    t[0] = vec_fma(vec_set(a2 * b2), d0, vec_fnma(vec_set(a2 + b2), d2, d4));
    t[step] = vec_fma(vec_set(WINO_A), f, e);
    t[2 * step] = vec_fnma(vec_set(WINO_A), f, e);
    t[3 * step] = vec_fma(vec_set(WINO_B), h, g);
    t[4 * step] = vec_fnma(vec_set(WINO_B), h, g);
    t[5 * step] = vec_fma(vec_set(a2 * b2), d1, vec_fnma(vec_set(a2 + b2), d3, d5));
}

/* y = A^T m */
VEC_INLINE void wino_output_line(const vec *m, int from, vec *y, int step)
{
    const vec s = vec_add(m[from], m[2 * from]), d = vec_sub(m[from], m[2 * from]);
    const vec p = vec_add(m[3 * from], m[4 * from]),
              q = vec_sub(m[3 * from], m[4 * from]);
    y[0] = vec_add(vec_add(m[0], s), p);
    y[step] = vec_fma(vec_set(WINO_B), q, vec_mul(vec_set(WINO_A), d));
    y[2 * step] =
        vec_fma(vec_set(WINO_B * WINO_B), p, vec_mul(vec_set(WINO_A * WINO_A), s));
    y[3 * step] = vec_fma(vec_set(WINO_B * WINO_B * WINO_B), q,
                          vec_fma(vec_set(WINO_A * WINO_A * WINO_A), d, m[5 * from]));
}

/* t = A g */
VEC_INLINE void wino_gradient_line(const vec *g, int from, vec *t, int step)
{
    const vec g0 = g[0], g1 = g[from], g2 = g[2 * from], g3 = g[3 * from];
    const vec e = vec_fma(vec_set(WINO_A * WINO_A), g2, g0);
    const vec f =
        vec_fma(vec_set(WINO_A * WINO_A * WINO_A), g3, vec_mul(vec_set(WINO_A), g1));
    const vec p = vec_fma(vec_set(WINO_B * WINO_B), g2, g0);
    const vec q =
        vec_fma(vec_set(WINO_B * WINO_B * WINO_B), g3, vec_mul(vec_set(WINO_B), g1));
    t[0] = g0;
    t[step] = vec_add(e, f);
    t[2 * step] = vec_sub(e, f);
    t[3 * step] = vec_add(p, q);
    t[4 * step] = vec_sub(p, q);
    t[5 * step] = g3;
}

#endif /* JSNI_BACKEND_ONEDNN_WINO_TILE_H */
