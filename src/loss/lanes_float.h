/* loss/lanes_float.h - a vector of floats a group: the fast paths.
 *
 * core/vec.h has the vectors. Functions of a number are polynomials over a reduced range, fitted
 * here for least relative error; measured over every float of their range, exp is
 * within 1.5 and log within 1.2 units in the last place (tests/loss/test_loss_lanes.c).
 */
#ifndef JSNI_LOSS_LANES_FLOAT_H
#define JSNI_LOSS_LANES_FLOAT_H

#include "core/vec.h"

typedef float jsni_scalar;

enum { JSNI_EXACT = 0 };

#define JSNI_TINY  1e-37f
#define JSNI_SMALL 1e-30f
#define JSNI_LARGE 1e37f

typedef vec jsni_real;
typedef vec_bits jsni_bits;

enum { JSNI_LANES = VEC };
#define JSNI_LEVELED(name) VEC_LEVELED(name)

static inline jsni_real jsni_fill(float s)
{
    return vec_set(s);
}

static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return vec_fma(a, b, c);
}

static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return vec_max(a, b);
}

static inline jsni_real jsni_min(jsni_real a, jsni_real b)
{
    return vec_min(a, b);
}

static inline jsni_real jsni_sqrt(jsni_real x)
{
    return vec_sqrt(x);
}

static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x, jsni_real y)
{
    return vec_select(vec_less(a, b), x, y);
}

static inline jsni_real jsni_same(jsni_real a, jsni_real b, jsni_real x)
{
    return vec_keep(vec_equal(a, b), x);
}

static inline int jsni_any_above(jsni_real x, float s)
{
    return vec_top(x) > s;
}

static inline jsni_real jsni_load(const float *from)
{
    return vec_load_any(from);
}

/* vec_store_any() may write to anything: what a loop reads would be read again behind it. */
typedef jsni_real jsni_loose __attribute__((aligned(4)));

static inline void jsni_store(float *to, jsni_real x)
{
    *(jsni_loose *)to = x;
}

static inline float jsni_lane_sum(jsni_real x)
{
    return vec_sum(x);
}

static inline float jsni_lane_max(jsni_real x)
{
    return vec_top(x);
}

/* The bits of a group. */
static inline jsni_bits jsni_to_bits(jsni_real x)
{
    return (jsni_bits)x;
}

static inline jsni_real jsni_from_bits(jsni_bits x)
{
    return (jsni_real)x;
}

static inline jsni_real jsni_abs(jsni_real x)
{
    return jsni_from_bits(jsni_to_bits(x) & 0x7fffffff);
}

/* Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits. */
#define JSNI_ROUNDER 12582912.0f

/* Splits x = n log 2 + r with |r| <= log(2)/2; returns r, sets *n. log 2 is taken in two
 * parts, the first short enough that n times it is exact. */
static inline jsni_real jsni_reduce(jsni_real x, jsni_real *n)
{
    const jsni_real rounded =
        jsni_fma(x, jsni_fill(1.44269504f), jsni_fill(JSNI_ROUNDER));
    *n = rounded - JSNI_ROUNDER;
    const jsni_real r = jsni_fma(*n, jsni_fill(-0.693359375f), x);
    return jsni_fma(*n, jsni_fill(2.12194440e-4f), r);
}

/* (e^r - 1 - r) / r^2 for |r| <= log(2)/2. */
static inline jsni_real jsni_exp_tail(jsni_real r)
{
    jsni_real q = jsni_fill(1.381449627e-3f);
    q = jsni_fma(q, r, jsni_fill(8.368780278e-3f));
    q = jsni_fma(q, r, jsni_fill(4.166839378e-2f));
    q = jsni_fma(q, r, jsni_fill(1.666652011e-1f));
    return jsni_fma(q, r, jsni_fill(4.999999341e-1f));
}

/* Zero below e^-80: a probability that small changes no digit of any result, and the
 * cut keeps every product with it out of the slow range of subnormal numbers. */
static inline jsni_real jsni_exp(jsni_real x)
{
    jsni_real n;
    const jsni_real r = jsni_reduce(x, &n);
    const jsni_real q = jsni_fma(jsni_exp_tail(r), r, jsni_fill(1.0f));
    return vec_scale_cut(jsni_fma(q, r, jsni_fill(1.0f)), n, x, jsni_fill(-80.0f));
}

static inline jsni_real jsni_expm1(jsni_real x)
{
    jsni_real n;
    const jsni_real r = jsni_reduce(jsni_max(jsni_fill(-80.0f), x), &n);
    const jsni_real small = jsni_fma(jsni_exp_tail(r) * r, r, r);
    const jsni_real power = vec_scale(jsni_fill(1.0f), n);
    return jsni_fma(small, power, power - 1.0f);
}

static inline jsni_real jsni_log(jsni_real x)
{
    /* x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). */
    const jsni_bits offset = jsni_to_bits(x) - 0x3f3504f3;
    const jsni_bits n = offset >> 23;
    const jsni_real f = jsni_from_bits(jsni_to_bits(x) - (n << 23)) - 1.0f;
    const jsni_real f2 = f * f;
    jsni_real p = jsni_fill(8.735834903e-2f);
    p = jsni_fma(p, f, jsni_fill(-1.419524086e-1f));
    p = jsni_fma(p, f, jsni_fill(1.48664938e-1f));
    p = jsni_fma(p, f, jsni_fill(-1.658581691e-1f));
    p = jsni_fma(p, f, jsni_fill(1.996925098e-1f));
    p = jsni_fma(p, f, jsni_fill(-2.500112812e-1f));
    p = jsni_fma(p, f, jsni_fill(3.333371268e-1f));
    p = jsni_fma(p, f, jsni_fill(-0.5f));
    return jsni_fma(vec_count(n), jsni_fill(0.69314718f), jsni_fma(p, f2, f));
}

static inline jsni_real jsni_log1p(jsni_real x)
{
    /* What rounding 1 + x lost, as a first-order correction. */
    const jsni_real y = x + 1.0f;
    return jsni_log(y) + (x - (y - 1.0f)) / y;
}

#endif /* JSNI_LOSS_LANES_FLOAT_H */
