/* loss/lanes.h - the number type that loss arithmetic is written in.
 *
 * jsni_real is a group of JSNI_LANES numbers that are worked on together: one double
 * (the definition), a vector of floats (an instruction set), or on a GPU the float of
 * one thread. + - * / and unary minus work on all of them, also with a jsni_scalar on
 * one side; R(0.5) writes a constant. The rest is in these functions, the same for all:
 *
 *   jsni_fill(s)          every lane s
 *   jsni_fma(a, b, c)     a * b + c, rounded once where the machine can
 *   jsni_max(a, b)        a > b ? a : b, hence b when either is not a number
 *   jsni_min(a, b)        a < b ? a : b, hence b when either is not a number
 *   jsni_less(a, b, x, y) a < b ? x : y, lane by lane
 *   jsni_same(a, b, x)    a == b ? x : 0, lane by lane
 *   jsni_any_above(x, s)  whether a lane is larger than s
 *   jsni_abs(x)
 *   jsni_sqrt(x)
 *   jsni_exp(x)           for x <= 80; exactly 0 far below the smallest normal number
 *   jsni_expm1(x)         for x <= 0
 *   jsni_log(x)           for normal x > 0
 *   jsni_log1p(x)         for x > -1
 *
 * JSNI_EXACT is 1 where every digit counts, and a longer form of an expression pays.
 */
#ifndef JSNI_LOSS_LANES_H
#define JSNI_LOSS_LANES_H

#include "core/hd.h"

/* JSNI_ROW marks a function that works on rows: on a device, code of the device. It is inlined,
 * so that what its caller knows is a constant there, and sums stay in registers.
 * JSNI_UNROLL stands before a loop over chunks: where their number is a constant there,
 * what the loop indexes can then live in registers. */
#ifdef __CUDACC__
#define JSNI_ROW    __device__ __attribute__((always_inline))
#define JSNI_UNROLL _Pragma("unroll")
#else
#define JSNI_ROW __attribute__((always_inline))
#define JSNI_UNROLL
#endif

#define R(value) ((jsni_scalar)(value))

/* A backend that compiles the loss files for its device names its own headers: this
 * one, JSNI_ROW_HEADER and JSNI_KERNEL_HEADER in row.h. */
#if defined(JSNI_LANES_HEADER)
#include JSNI_LANES_HEADER
#elif defined(JSNI_LEVEL_DOUBLE)
#include "loss/lanes_double.h"
#else
#include "loss/lanes_float.h"
#endif

#endif /* JSNI_LOSS_LANES_H */
