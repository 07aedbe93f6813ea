/* nn/arena.h - places buffers with known lifetimes in one block, so that buffers that
 * are never alive together share memory. */
#ifndef JSNI_NN_ARENA_H
#define JSNI_NN_ARENA_H

#include <stddef.h>

#include "jensen/status.h"

typedef struct jsni_arena_item {
    size_t floats;     /* 0: needs no place */
    size_t born, dies; /* times at which it is first and last used; born <= dies */
    size_t offset;     /* out: in floats, a multiple of 16 */
} jsni_arena_item;

/* First fit in the order of the items. *total is the length of the block in floats.
 * JSN_ERR_RANGE when it overflows. */
JSN_MUST_CHECK jsn_status jsni_arena_place(jsni_arena_item *items, size_t count,
                                           size_t *total);

#endif /* JSNI_NN_ARENA_H */
