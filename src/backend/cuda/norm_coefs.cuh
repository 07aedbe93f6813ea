/* backend/cuda/norm_coefs.cuh - from the channel sums of a BatchNorm to its coefficients, in
 * double: shared by the kernels that do just this and by the convolutions that begin so. */
#ifndef JSNI_BACKEND_CUDA_NORM_COEFS_CUH
#define JSNI_BACKEND_CUDA_NORM_COEFS_CUH

#include "backend/cuda/exact_sums.cuh"
#include "backend/cuda/norm_kernels.h"

/* Of a channel in a view. */
struct norm_moments {
    double mean, var;
};

/* Sums of x - shift and of its squares. What is not finite stays so, also where the squares
 * alone are too large for a float. */
static __device__ __forceinline__ norm_moments moments_of(double sum, double squares,
                                                          double n, double shift)
{
    const double d = sum / n, var = squares / n - d * d;
    return {shift + d, !isfinite(var) ? nan("") : var > 0.0 ? var : 0.0};
}

/* y = a*x + b */
struct norm_scale {
    double a, b, rstd;
};

static __device__ __forceinline__ norm_scale scale_of(const jsni_norm_args &A, int c,
                                                      const norm_moments &m)
{
    const double rstd = 1.0 / sqrt(m.var + A.epsilon), a = A.weight[c] * rstd;
    return {a, A.bias[c] - m.mean * a, rstd};
}

static __device__ __forceinline__ void keep_scale(const jsni_norm_args &A, int view,
                                                  int c, const norm_moments &m,
                                                  const norm_scale &s)
{
    const int at = view * A.channels + c;
    A.k.a[at] = (float)s.a;
    A.k.b[at] = (float)s.b;
    A.k.mean[at] = (float)m.mean;
    A.k.rstd[at] = (float)s.rstd;
}

/* The running statistics of a channel, which see the views in order. */
struct norm_running {
    double mean, var;

    __device__ __forceinline__ norm_running(const jsni_norm_args &A, int c)
        : mean(A.running_mean[c]), var(A.running_var[c])
    {
    }
    __device__ __forceinline__ void see(const jsni_norm_args &A, const norm_moments &m)
    {
        const double n = (double)A.pixels;
        const double unbiased = m.var * (n / (n > 1 ? n - 1 : 1));
        mean += A.momentum * (m.mean - mean);
        var += A.momentum * (unbiased - var);
    }
    __device__ __forceinline__ void keep(const jsni_norm_args &A, int c) const
    {
        A.running_mean[c] = (float)mean;
        A.running_var[c] = (float)var;
    }
};

/* Backwards: dx = a*g + gb*x + gd = a*g + gb*(x-mean) + ge, and a view's parts of the
 * gradients of weight and bias. */
struct norm_slope {
    double a, gb, gd, ge, weight_grad, bias_grad;
};

/* Sums of g and of g*x, or of g*(x-mean) where they are `centred`. */
static __device__ __forceinline__ norm_slope slope_of(const jsni_norm_args &A, int view,
                                                      int c, double sum,
                                                      double products, bool centred)
{
    const int at = view * A.channels + c;
    const double n = (double)A.pixels;
    const double a = A.k.a[at], mean = A.k.mean[at], rstd = A.k.rstd[at];
    const double product = (centred ? products : products - mean * sum) * rstd;
    const double gb = -a * rstd * product / n, ge = -a * sum / n;
    return {a, gb, ge - gb * mean, ge, product, sum};
}

/* ---- from exact sums ---- */

static __device__ __forceinline__ double exact_of(const jsni_norm_args &A, int view,
                                                  int sum, int c)
{
    return read_exactly(exact_sum(A.exact, A.channels, view, sum, c), A.channels);
}

static __device__ __forceinline__ norm_moments exact_moments(const jsni_norm_args &A,
                                                             int view, int c)
{
    return moments_of(exact_of(A, view, 0, c), exact_of(A, view, 1, c),
                      (double)A.pixels, 0.0);
}

static __device__ __forceinline__ norm_slope exact_slope(const jsni_norm_args &A,
                                                         int view, int c)
{
    return slope_of(A, view, c, exact_of(A, view, 0, c), exact_of(A, view, 1, c),
                    false);
}

/* What the channel leaves for others: all views' coefficients and running statistics. */
static __device__ __forceinline__ void leave_scales(const jsni_norm_args &A, int c)
{
    norm_running running(A, c);
#pragma unroll 1
    for (int view = 0; view < A.views; view++) {
        const norm_moments m = exact_moments(A, view, c);
        keep_scale(A, view, c, m, scale_of(A, c, m));
        running.see(A, m);
    }
    running.keep(A, c);
}

/* And backwards: the gradients of weight and bias. */
static __device__ __forceinline__ void leave_gradients(const jsni_norm_args &A, int c)
{
    double weight_grad = 0.0, bias_grad = 0.0;
#pragma unroll 1
    for (int view = 0; view < A.views; view++) {
        const norm_slope s = exact_slope(A, view, c);
        weight_grad += s.weight_grad;
        bias_grad += s.bias_grad;
    }
    A.weight_grad[c] = (float)weight_grad;
    A.bias_grad[c] = (float)bias_grad;
}

#endif /* JSNI_BACKEND_CUDA_NORM_COEFS_CUH */
