/* backend/ref/refconv_avx2.c - the convolution for x86 with AVX2. */
#include "backend/ref/refconv_body.h"

static bool usable(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

const refconv jsni_refconv_avx2 = REFCONV("avx2");
