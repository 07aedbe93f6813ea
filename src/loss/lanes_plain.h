/* loss/lanes_plain.h - four floats, on any machine: no instruction set is named, the
 * compiler uses what its target always has. */
#ifndef JSNI_LOSS_LANES_PLAIN_H
#define JSNI_LOSS_LANES_PLAIN_H

typedef float jsni_real __attribute__((vector_size(16)));
typedef int32_t jsni_bits __attribute__((vector_size(16)));

enum { JSNI_LANES = 4 };
#define JSNI_LEVELED(name) name##_plain

static inline jsni_real jsni_fill(float s)
{
    const jsni_real x = {s, s, s, s};
    return x;
}

static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return a * b + c;
}

static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x, jsni_real y)
{
    const jsni_bits yes = a < b;
    return (jsni_real)(((jsni_bits)x & yes) | ((jsni_bits)y & ~yes));
}

static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return jsni_less(b, a, a, b);
}

/* x * 2^n for integral n in [-126, 127]. */
static inline jsni_real jsni_scale(jsni_real x, jsni_real n)
{
    return x * (jsni_real)((__builtin_convertvector(n, jsni_bits) + 127) << 23);
}

/* The same where x >= cut or x is not a number, elsewhere 0. */
static inline jsni_real jsni_scale_cut(jsni_real y, jsni_real n, jsni_real x,
                                       jsni_real cut)
{
    return jsni_less(x, cut, jsni_fill(0.0f), jsni_scale(y, n));
}

static inline jsni_real jsni_count(jsni_bits n)
{
    return __builtin_convertvector(n, jsni_real);
}

static inline jsni_real jsni_load(const float *from)
{
    jsni_real x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void jsni_store(float *to, jsni_real x)
{
    memcpy(to, &x, sizeof x);
}

/* The first `count` < JSNI_LANES floats, the other lanes `fill`. */
static inline jsni_real jsni_load_part(const float *from, size_t count, float fill)
{
    float part[JSNI_LANES] = {fill, fill, fill, fill};
    for (size_t i = 0; i < count; i++)
        part[i] = from[i];
    return jsni_load(part);
}

static inline void jsni_store_part(float *to, jsni_real x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = x[i];
}

/* The lanes from `count` on become 0. */
static inline jsni_real jsni_keep(jsni_real x, size_t count)
{
    for (size_t i = count; i < JSNI_LANES; i++)
        x[i] = 0.0f;
    return x;
}

/* Past the caches where the machine can; `to` is aligned to the group. */
static inline void jsni_stream(float *to, jsni_real x)
{
    jsni_store(to, x);
}

static inline void jsni_stream_end(void)
{
}

static inline float jsni_lane_sum(jsni_real x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

static inline float jsni_lane_max(jsni_real x)
{
    float top = x[0];
    for (size_t i = 1; i < JSNI_LANES; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

/* Four columns of JSNI_LANES rows that lie `stride` apart, to and from groups. */
static inline void jsni_columns_load(const float *from, size_t stride, jsni_real *to)
{
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < JSNI_LANES; r++)
            to[c][r] = from[r * stride + c];
}

static inline void jsni_columns_store(float *to, size_t stride, const jsni_real *from)
{
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < JSNI_LANES; r++)
            to[r * stride + c] = from[c][r];
}

#endif /* JSNI_LOSS_LANES_PLAIN_H */
