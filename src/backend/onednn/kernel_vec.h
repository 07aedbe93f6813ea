/* backend/onednn/kernel_vec.h - the vectors of the kernels, and how many of them their products keep
 * in registers. */
#ifndef JSNI_BACKEND_ONEDNN_KERNEL_VEC_H
#define JSNI_BACKEND_ONEDNN_KERNEL_VEC_H

/* A vector is a block of channels: of the layout nChw16c, else of nChw8c. */
#define JSNI_VEC_PLAIN 8
#include "core/vec.h"

/* Rows times (TILE_COLS vectors) of a product in registers: accumulators, TILE_COLS weights and
 * a broadcast of the 32 registers of AVX-512, 16 of AVX2. GRADIENT_ROWS, the same for the
 * weight gradient, divides VEC. */
#if defined(JSNI_LEVEL_AVX512)
enum { TILE_ROWS = 8, TILE_COLS = 2, GRADIENT_ROWS = 8 };
#elif defined(JSNI_LEVEL_AVX2)
enum { TILE_ROWS = 6, TILE_COLS = 2, GRADIENT_ROWS = 4 };
#else
enum { TILE_ROWS = 2, TILE_COLS = 2, GRADIENT_ROWS = 2 };
#endif

#endif /* JSNI_BACKEND_ONEDNN_KERNEL_VEC_H */
