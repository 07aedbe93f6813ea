/* augment/pixelkernel_avx2.c - the pixel loops for x86 with AVX2. */
#include "augment/pixelkernel_body.h"

const jsni_pixelkernel jsni_pixelkernel_avx2 = PIXELKERNEL("avx2", JSNI_ISA_AVX2);
