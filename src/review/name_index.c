/* review/name_index.c - see name_index.h. */
#include "review/name_index.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

static int by_name(const void *left, const void *right)
{
    const jsni_name_place *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->at < b->at ? -1 : a->at > b->at);
}

jsn_status jsni_name_index_make(jsni_name_index *out, const char *const *names,
                                size_t count)
{
    *out = (jsni_name_index){0};
    JSNI_TRY_ALLOC(out->list = jsni_alloc(count, sizeof *out->list));
    out->count = count;
    for (size_t i = 0; i < count; i++)
        out->list[i] = (jsni_name_place){names[i], (uint32_t)i};
    qsort(out->list, count, sizeof *out->list, by_name);
    return JSN_OK;
}

void jsni_name_index_release(jsni_name_index *index)
{
    jsni_free(index->list);
    *index = (jsni_name_index){0};
}

static int name_order(const void *key, const void *entry)
{
    return strcmp(key, ((const jsni_name_place *)entry)->name);
}

int64_t jsni_name_index_find(const jsni_name_index *index, const char *name)
{
    const jsni_name_place *found =
        index->count == 0
            ? NULL
            : bsearch(name, index->list, index->count, sizeof *index->list, name_order);
    return found == NULL ? -1 : (int64_t)found->at;
}
