/* backend/ref/refconv_base.c - the convolution for any machine. */
#include "backend/ref/refconv_body.h"

static bool usable(void)
{
    return true;
}

const refconv jsni_refconv_base = REFCONV("base");
