/* backend/ref/refconv.c - see refconv.h. */
#include "backend/ref/refconv.h"

#include "core/hd.h"

#define ROW(id) &jsni_refconv_##id,
static const refconv *const table[] = {REFCONV_LIST(ROW)};
#undef ROW

const refconv *jsni_refconv_at(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index] : NULL;
}

const refconv *jsni_refconv_best(void)
{
    size_t best = JSNI_COUNT_OF(table) - 1;
    while (!jsni_isa_usable(table[best]->isa))
        best--;
    return table[best];
}
