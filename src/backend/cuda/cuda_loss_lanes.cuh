/* backend/cuda/cuda_loss_lanes.cuh - the number type of loss/lanes.h on a device: each
 * thread holds one number; JSNI_CUDA_DOUBLE makes it a double. */
#ifndef JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH
#define JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH

#include <cuda_runtime.h>

#ifdef JSNI_CUDA_DOUBLE
typedef double jsni_real;
enum { JSNI_EXACT = 1 };
#define JSNI_TINY          1e-305
#define JSNI_SMALL         1e-290
#define JSNI_LARGE         1e306
#define JSNI_LEVELED(name) name##_f64
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

/* JSNI_HELD: rows of so many chunks in registers, see cuda_loss_held.cuh; the build
 * names its launchers with JSNI_HELD_SUFFIX. */
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
    unsigned lanes;      \
    jsni_real *exchange; \
    size_t label;        \
    const float *soft_target;

/* CUDA C++ overloads exp, log and the others for float and double. */
__device__ static inline jsni_real jsni_fill(jsni_scalar s)
{
    return s;
}

__device__ static inline jsni_real jsni_fma(jsni_real a, jsni_real b, jsni_real c)
{
    return fma(a, b, c);
}

__device__ static inline jsni_real jsni_max(jsni_real a, jsni_real b)
{
    return a > b ? a : b;
}

__device__ static inline jsni_real jsni_less(jsni_real a, jsni_real b, jsni_real x,
                                             jsni_real y)
{
    return a < b ? x : y;
}

__device__ static inline jsni_real jsni_abs(jsni_real x)
{
    return fabs(x);
}

__device__ static inline jsni_real jsni_exp(jsni_real x)
{
    return exp(x);
}

__device__ static inline jsni_real jsni_expm1(jsni_real x)
{
    return expm1(x);
}

__device__ static inline jsni_real jsni_log(jsni_real x)
{
    return log(x);
}

__device__ static inline jsni_real jsni_log1p(jsni_real x)
{
    return log1p(x);
}

#endif /* JSNI_BACKEND_CUDA_CUDA_LOSS_LANES_CUH */
