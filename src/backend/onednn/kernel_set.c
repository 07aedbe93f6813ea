/* backend/onednn/kernel_set.c - the choice of an instruction set when the program runs,
 * and the geometry that all of them share. */
#include "backend/onednn/kernel_set.h"

#include <string.h>

#include "backend/onednn/instruction_sets.h"

#define KERNEL_DECLARE(name, isa) extern const jsni_kernel_set jsni_kernel_set_##name;
JSNI_KERNEL_LIST(KERNEL_DECLARE)
#undef KERNEL_DECLARE

const jsni_kernel_set *jsni_kernel_set_at(size_t index)
{
    const jsni_kernel_set *sets[8] = {NULL};
    size_t count = 0;
#define KERNEL_ADD(name, isa) \
    if (jsni_isa_usable(isa)) \
        sets[count++] = &jsni_kernel_set_##name;
    JSNI_KERNEL_LIST(KERNEL_ADD)
#undef KERNEL_ADD
    return index < count ? sets[index] : NULL;
}

const jsni_kernel_set *jsni_kernel_set_find(const char *name)
{
    const jsni_kernel_set *set = NULL;
    for (size_t i = 0; (set = jsni_kernel_set_at(i)) != NULL; i++)
        if (strcmp(set->name, name) == 0)
            return set;
    return jsni_kernel_set_at(0);
}

jsni_wino jsni_wino_geometry(size_t lanes, size_t in_channels, size_t out_channels,
                             size_t height, size_t width)
{
    /* Measured: 64 tiles of 32 channels and 32 tiles of more keep the planes in a cache
     * of 1 MiB, and reuse the weights often enough. */
    enum { VALUES = 2048, FEWEST_TILES = 32 };
    jsni_wino w = {
        .in_blocks = (in_channels + lanes - 1) / lanes,
        .out_blocks = (out_channels + lanes - 1) / lanes,
        .height = height,
        .width = width,
        .tile_rows = (height + 3) / 4,
        .tile_cols = (width + 3) / 4,
    };
    const size_t widest =
        (w.in_blocks > w.out_blocks ? w.in_blocks : w.out_blocks) * lanes;
    size_t tiles = VALUES / widest;
    if (tiles < FEWEST_TILES)
        tiles = FEWEST_TILES;
    w.chunk = tiles / w.tile_cols;
    if (w.chunk == 0)
        w.chunk = 1;
    return w;
}
