/* augment/pixelkernel.c - see pixelkernel.h. */
#include "augment/pixelkernel.h"

#include "core/hd.h"

#define ROW(id) &jsni_pixelkernel_##id,
static const jsni_pixelkernel *const table[] = {JSNI_PIXELKERNEL_LIST(ROW)};
#undef ROW

const jsni_pixelkernel *jsni_pixelkernel_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index] : NULL;
}

const jsni_pixelkernel *jsni_pixelkernel_best(void)
{
    size_t best = JSNI_COUNT_OF(table) - 1;
    while (!jsni_isa_usable(table[best]->isa))
        best--;
    return table[best];
}
