/* loss/lanes_double.h - one double a group: the definition of every loss. */
#ifndef JSNI_LOSS_LANES_DOUBLE_H
#define JSNI_LOSS_LANES_DOUBLE_H

#include <math.h>

typedef double jsni_real;
typedef double jsni_scalar;

enum { JSNI_LANES = 1, JSNI_EXACT = 1 };
#define JSNI_LEVELED(name) name##_double

#define JSNI_TINY  1e-305 /* below it a probability is as good as 0 */
#define JSNI_SMALL 1e-290 /* 1 / JSNI_SMALL is finite with room */
#define JSNI_LARGE 1e306  /* beyond it a loss counts as infinite */

static inline jsni_real jsni_fill(jsni_scalar s)
{
    return s;
}

static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return a * b + c;
}

static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return a > b ? a : b;
}

static inline jsni_real jsni_min(jsni_real a, jsni_real b)
{
    return a < b ? a : b;
}

static inline jsni_real jsni_sqrt(jsni_real x)
{
    return sqrt(x);
}

static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x, jsni_real y)
{
    return a < b ? x : y;
}

static inline jsni_real jsni_abs(jsni_real x)
{
    return fabs(x);
}

static inline jsni_real jsni_exp(jsni_real x)
{
    return exp(x);
}

static inline jsni_real jsni_expm1(jsni_real x)
{
    return expm1(x);
}

static inline jsni_real jsni_log(jsni_real x)
{
    return log(x);
}

static inline jsni_real jsni_log1p(jsni_real x)
{
    return log1p(x);
}

static inline jsni_scalar jsni_lane_sum(jsni_real x)
{
    return x;
}

static inline jsni_scalar jsni_lane_max(jsni_real x)
{
    return x;
}

static inline jsni_real jsni_same(jsni_real a, jsni_real b, jsni_real x)
{
    return a == b ? x : 0.0;
}

static inline int jsni_any_above(jsni_real x, jsni_scalar s)
{
    return x > s;
}

static inline jsni_real jsni_load(const jsni_scalar *from)
{
    return *from;
}

static inline void jsni_store(jsni_scalar *to, jsni_real x)
{
    *to = x;
}

#endif /* JSNI_LOSS_LANES_DOUBLE_H */
