/* augment/pixelkernel_base.c - the pixel loops for any machine. */
#include "augment/pixelkernel_body.h"

static bool usable(void)
{
    return true;
}

const jsni_pixelkernel jsni_pixelkernel_base = PIXELKERNEL("base");
