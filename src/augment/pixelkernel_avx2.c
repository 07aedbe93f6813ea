/* augment/pixelkernel_avx2.c - the pixel loops for x86 with AVX2. */
#include "augment/pixelkernel_body.h"

static bool usable(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

const jsni_pixelkernel jsni_pixelkernel_avx2 = PIXELKERNEL("avx2");
