/* backend/ref/refconv_base.c - the convolution for any machine. */
#include "backend/ref/refconv_body.h"

const refconv jsni_refconv_base = REFCONV("base", JSNI_ISA_PLAIN);
