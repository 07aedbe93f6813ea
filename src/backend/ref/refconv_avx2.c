/* backend/ref/refconv_avx2.c - the convolution for x86 with AVX2. */
#include "backend/ref/refconv_body.h"

const refconv jsni_refconv_avx2 = REFCONV("avx2", JSNI_ISA_AVX2);
