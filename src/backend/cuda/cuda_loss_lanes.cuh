/* backend/cuda/cuda_loss_lanes.cuh - the number type of loss/lanes.h on a device: each
 * thread holds one number; JSNI_CUDA_DOUBLE makes it a double. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH

#include <cuda_runtime.h>

#ifdef JSNI_CUDA_DOUBLE
typedef double jsni_real;
enum { JSNI_EXACT = 1 };
#define JSNI_TINY  1e-305
#define JSNI_SMALL 1e-290
#define JSNI_LARGE 1e306
#ifdef JSNI_CUDA_CLIP
#define JSNI_LEVELED(name) name##_clip
#else
#define JSNI_LEVELED(name) name##_f64
#endif
#else
typedef float jsni_real;
enum { JSNI_EXACT = 0 };
#define JSNI_TINY  1e-37f
#define JSNI_SMALL 1e-30f
#define JSNI_LARGE 1e37f
#ifndef JSNI_HELD
#define JSNI_LEVELED(name) name##_f32
#endif
#endif
typedef jsni_real jsni_scalar;

/* JSNI_HELD: rows of so many chunks in registers of JSNI_HELD_LANES threads, see
 * cuda_loss_held.cuh; the build names its launchers with JSNI_HELD_SUFFIX. */
#ifdef JSNI_HELD
#define JSNI_HELD_JOIN(name, suffix)  name##suffix
#define JSNI_HELD_NAMED(name, suffix) JSNI_HELD_JOIN(name, suffix)
#define JSNI_LEVELED(name)            JSNI_HELD_NAMED(name, JSNI_HELD_SUFFIX)
#define JSNI_ROW_COUNTS                                             \
    static constexpr size_t views = JSNI_HELD_VIEWS;                \
    static constexpr size_t chunks = JSNI_HELD;                     \
    static constexpr size_t target_first = 0, target_last = chunks; \
    static constexpr int soft = 0;
#endif

/* Further fields of a row: the thread's number in its group, the group's size, a place
 * for the sums of a block's warps, the label and the soft target in device memory. */
#define JSNI_ROW_FIELDS  \
    unsigned lane;       \
    JSNI_ROW_LANES       \
    jsni_real *exchange; \
    size_t label;        \
    float *memory;       \
    JSNI_ROW_CLIP        \
    const float *soft_target;
/* JSNI_CUDA_CLIP: of clipped logits, see cuda_loss_clip.cuh. */
#ifdef JSNI_CUDA_CLIP
#define JSNI_ROW_CLIP                                \
    jsni_real tau, power;                            \
    jsni_real factor[JSN_LOSS_MAX_VIEWS]; /* of z */ \
    const float *logits[JSN_LOSS_MAX_VIEWS];
#else
#define JSNI_ROW_CLIP
#endif
#ifdef JSNI_HELD
#define JSNI_ROW_LANES static constexpr unsigned lanes = JSNI_HELD_LANES;
#else
#define JSNI_ROW_LANES unsigned lanes;
#endif

/* CUDA C++ overloads exp, log and the others for float and double. */
__device__ static inline jsni_real jsni_fill(jsni_scalar s)
{
    return s;
}

__device__ static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return fma(a, b, c);
}

/* One instruction in float; a NaN on either side is the result. */
__device__ static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
#if defined(__CUDA_ARCH__) && !defined(JSNI_CUDA_DOUBLE)
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
#else
    return a > b ? a : b;
#endif
}

__device__ static inline jsni_real jsni_min(jsni_real a, jsni_real b)
{
    return a < b ? a : b;
}

__device__ static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x,
                                             jsni_real y)
{
    return a < b ? x : y;
}

__device__ static inline jsni_real jsni_same(jsni_real a, jsni_real b, jsni_real x)
{
    return a == b ? x : R(0);
}

__device__ static inline int jsni_any_above(jsni_real x, jsni_scalar s)
{
    return x > s;
}

__device__ static inline jsni_real jsni_abs(jsni_real x)
{
    return fabs(x);
}

__device__ static inline jsni_real jsni_sqrt(jsni_real x)
{
    return sqrt(x);
}

__device__ static inline jsni_real jsni_exp(jsni_real x)
{
    return exp(x);
}

__device__ static inline jsni_real jsni_expm1(jsni_real x)
{
    return expm1(x);
}

/* In float for normal x > 0, where the library's logarithm spends half of its
 * instructions on other numbers: m * 2^e with m in [2/3, 4/3), and a polynomial in m - 1,
 * off by at most 1.0e-7 of the result. x * 0 hands a NaN on. */
__device__ static inline jsni_real jsni_log(jsni_real x)
{
#ifdef JSNI_CUDA_DOUBLE
    return log(x);
#else
    const int bits = __float_as_int(x);
    const int exponent = (bits - 0x3f2aaaab) & (int)0xff800000; /* e * 2^23 */
    const float f = __int_as_float(bits - exponent) - 1.0f;
    float r = fmaf(0.14374572f, f, -0.1537289f);
    r = fmaf(r, f, 0.13920805f);
    r = fmaf(r, f, -0.16419323f);
    r = fmaf(r, f, 0.2001607f);
    r = fmaf(r, f, -0.250076f);
    r = fmaf(r, f, 0.33333105f);
    r = fmaf(r, f, -0.4999994f);
    r = fmaf(r, f * f, f);
    r = fmaf((float)exponent, 8.262958e-8f, r); /* log(2) / 2^23 */
    return fmaf(x, 0.0f, r);
#endif
}

/* exp(x) of a softmax, x <= 0: off by |x| * 8e-8 of itself and two units in the last
 * place; the first is small where x is and where exp(x) is. */
__device__ static inline jsni_real jsni_softmax_exp(jsni_real x)
{
#if defined(__CUDA_ARCH__) && !defined(JSNI_CUDA_DOUBLE)
    float y = x * 1.44269504f;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(y));
    return y;
#else
    return exp(x);
#endif
}

__device__ static inline jsni_real jsni_log1p(jsni_real x)
{
    return log1p(x);
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH */
