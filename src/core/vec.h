/* core/vec.h - a vector of VEC floats: the one place that knows how an instruction set works on
 * several numbers at once. For files that are compiled once for each set; the build defines
 * JSNI_LEVEL_AVX512, JSNI_LEVEL_AVX2 or neither, and core/isa.h says which of them runs here.
 *
 * The vectors are those of gcc and clang (vector_size), so + - * / work on them and on their
 * bits. They are not __m512 itself, which may alias everything: addresses and sums that a loop
 * reads would be read again after each store. What a compiler does not find by itself is in
 * vec_<level>.h:
 *
 *   vec_set(s)                every lane s
 *   vec_fma(a, b, c)          a * b + c, rounded once where the machine can
 *   vec_fnma(a, b, c)         c - a * b, as vec_fma
 *   vec_max, vec_min(a, b)    b when either is not a number, so a NaN in b goes on
 *   vec_sqrt(a)
 *   vec_less, vec_equal(a, b) a mask; false where either is not a number
 *   vec_keep(mask, a)         a where the mask is set, else 0
 *   vec_select(mask, a, b)    a where the mask is set, else b
 *   vec_load, vec_store       at addresses that are aligned to the vector
 *   vec_load_any, _store_any  at any address
 *   vec_load_part(p, n, fill) the first n < VEC floats, the other lanes `fill`
 *   vec_store_part(p, a, n)   the first n < VEC lanes
 *   vec_keep_part(a, n)       the lanes from n on become 0
 *   vec_stream(p, a)          past the caches where the machine can; p is aligned
 *   vec_stream_end()          after the last of them
 *   vec_sum, vec_top(a)       over the lanes: their sum in a fixed order, the largest
 *   vec_scale(x, n)           x * 2^n for integral n in [-126, 127]
 *   vec_scale_cut(y, n, x, c) the same of y where x >= c or x is not a number, elsewhere 0
 *   vec_count(bits)           integers as floats
 *   vec_columns_load, _store  four columns of VEC rows `stride` apart, to and from vectors
 *   vec_columns_load_8, ...   eight of them, where VEC_COLUMNS_8 is defined
 *   vec_add_double(to, a)     to[0..VEC) += a; `to` is aligned
 *
 * The names are short since nothing of it is a symbol. */
#ifndef JSNI_CORE_VEC_H
#define JSNI_CORE_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VEC_INLINE static inline __attribute__((always_inline))

#if defined(JSNI_LEVEL_AVX512)
#include "core/vec_avx512.h"
#elif defined(JSNI_LEVEL_AVX2)
#include "core/vec_avx2.h"
#else
#include "core/vec_plain.h"
#endif

VEC_INLINE vec vec_zero(void)
{
    return (vec){0};
}
VEC_INLINE vec vec_add(vec a, vec b)
{
    return a + b;
}
VEC_INLINE vec vec_sub(vec a, vec b)
{
    return a - b;
}
VEC_INLINE vec vec_mul(vec a, vec b)
{
    return a * b;
}
VEC_INLINE vec_mask vec_greater(vec a, vec b)
{
    return vec_less(b, a);
}
/* Into the second-level cache. */
VEC_INLINE void vec_fetch(const float *p)
{
    __builtin_prefetch(p, 0, 2);
}

#endif /* JSNI_CORE_VEC_H */
