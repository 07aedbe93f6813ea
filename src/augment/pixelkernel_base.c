/* augment/pixelkernel_base.c - the pixel loops for any machine. */
#include "augment/pixelkernel_body.h"

const jsni_pixelkernel jsni_pixelkernel_base = PIXELKERNEL("base", JSNI_ISA_PLAIN);
