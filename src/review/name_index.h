/* review/name_index.h - finds names of a list: paths of images, classes. */
#ifndef JSNI_REVIEW_NAME_INDEX_H
#define JSNI_REVIEW_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "jensen/status.h"

typedef struct jsni_name_place {
    const char *name; /* borrowed */
    uint32_t at;
} jsni_name_place;

typedef struct jsni_name_index {
    jsni_name_place *list; /* [count], owned: by name */
    size_t count;
} jsni_name_index;

/* The names are borrowed. JSN_ERR_MEMORY. */
JSN_MUST_CHECK jsn_status jsni_name_index_make(jsni_name_index *out,
                                               const char *const *names, size_t count);
void jsni_name_index_release(jsni_name_index *index); /* a zeroed one is fine */

/* The place of a name in its list, -1 when there is none. */
int64_t jsni_name_index_find(const jsni_name_index *index, const char *name);

#endif /* JSNI_REVIEW_NAME_INDEX_H */
