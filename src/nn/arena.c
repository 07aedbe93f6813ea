/* nn/arena.c - see nn/arena.h. Quadratic in the number of items, which is a few
 * hundred. */
#include "nn/arena.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/fail.h"

enum { ALIGN = 16 };

static bool alive_together(const jsni_arena_item *a, const jsni_arena_item *b)
{
    return a->born <= b->dies && b->born <= a->dies;
}

/* Whether [offset, offset+floats) is free of items[0..count) that live with `item`; if
 * not, *next is the end of one that is in the way. */
static bool is_free(const jsni_arena_item *items, size_t count,
                    const jsni_arena_item *item, size_t offset, size_t *next)
{
    for (size_t i = 0; i < count; i++) {
        const jsni_arena_item *other = &items[i];
        if (other->floats == 0 || !alive_together(item, other))
            continue;
        if (offset < other->offset + other->floats &&
            other->offset < offset + item->floats) {
            *next = other->offset + other->floats;
            return false;
        }
    }
    return true;
}

jsn_status jsni_arena_place(jsni_arena_item *items, size_t count, size_t *total)
{
    *total = 0;
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].floats > SIZE_MAX / 8 - ALIGN - sum)
            return jsni_fail(JSN_ERR_RANGE, "%zu values and more do not fit memory",
                             items[i].floats);
        items[i].floats = (items[i].floats + ALIGN - 1) / ALIGN * ALIGN;
        sum += items[i].floats;
    }
    for (size_t i = 0; i < count; i++) {
        jsni_arena_item *item = &items[i];
        item->offset = 0;
        while (item->floats > 0 &&
               !is_free(items, i, item, item->offset, &item->offset))
            continue;
        if (item->offset + item->floats > *total)
            *total = item->offset + item->floats;
    }
    return JSN_OK;
}
