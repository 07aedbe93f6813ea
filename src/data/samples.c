/* data/samples.c - building the lists of a data set; see data/dataset_impl.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/limit.h"
#include "data/dataset_impl.h"
#include "data/pack.h"

/* `old` with room for one more element, twice as large when it is full; NULL when there
 * is no memory, with `old` untouched. */
static void *grow(void *old, size_t used, size_t *room, size_t size)
{
    if (used < *room)
        return old;
    const size_t wanted = *room == 0 ? 64 : *room * 2;
    void *larger = jsni_realloc(old, wanted, size);
    if (larger != NULL)
        *room = wanted;
    return larger;
}

jsn_status jsni_dataset_add_class(jsn_dataset *data, const char *name)
{
    if (data->traits.classes >= jsni_limit(JSNI_LIMIT_CLASSES))
        return jsni_limit_fail(JSNI_LIMIT_CLASSES, "'%s'", data->spec);
    char **classes =
        grow(data->classes, data->traits.classes, &data->class_room, sizeof *classes);
    JSNI_TRY_ALLOC(classes);
    data->classes = classes;
    char *copy = jsni_text_copy(name);
    JSNI_TRY_ALLOC(copy);
    data->classes[data->traits.classes++] = copy;
    return JSN_OK;
}

jsn_status jsni_dataset_add_classes(jsn_dataset *data, const char *const *names,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(jsni_dataset_add_class(data, names[i]));
    return JSN_OK;
}

/* Copies a name behind the others and returns where. */
static jsn_status add_name(jsn_dataset *data, const char *name, size_t *out)
{
    const size_t length = strlen(name) + 1;
    if (length > JSNI_DATASET_MAX_NAME)
        return jsni_fail(JSN_ERR_DATA, "'%s': a sample's name has %zu bytes: %.60s...",
                         data->spec, length - 1, name);
    while (data->names_room - data->names_length < length) {
        const size_t wanted = data->names_room == 0 ? 65536 : data->names_room * 2;
        char *larger = jsni_realloc(data->names, wanted, 1);
        JSNI_TRY_ALLOC(larger);
        data->names = larger;
        data->names_room = wanted;
    }
    memcpy(data->names + data->names_length, name, length);
    *out = data->names_length;
    data->names_length += length;
    return JSN_OK;
}

jsn_status jsni_dataset_add(jsn_dataset *data, jsn_split split, const char *name,
                            int32_t label)
{
    jsni_split *s = &data->splits[split];
    if (label < 0 || (size_t)label >= data->traits.classes)
        return jsni_fail(JSN_ERR_DATA, "'%s': %s has label %d, beyond the %zu classes",
                         data->spec, name, (int)label, data->traits.classes);
    if (s->samples >= jsni_limit(JSNI_LIMIT_ROWS))
        return jsni_limit_fail(JSNI_LIMIT_ROWS, "'%s'", data->spec);
    size_t room = s->capacity;
    int32_t *labels = grow(s->labels, s->samples, &room, sizeof *labels);
    JSNI_TRY_ALLOC(labels);
    s->labels = labels;
    size_t *names = grow(s->names, s->samples, &s->capacity, sizeof *names);
    JSNI_TRY_ALLOC(names);
    s->names = names;
    JSNI_TRY(add_name(data, name, &s->names[s->samples]));
    s->labels[s->samples++] = label;
    return JSN_OK;
}

jsn_status jsni_dataset_add_soft(jsn_dataset *data, jsn_split split, const char *name,
                                 const float *soft)
{
    jsni_split *s = &data->splits[split];
    const size_t classes = data->traits.classes;
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (soft[k] > soft[best])
            best = k;
    float *rows = grow(s->soft, s->samples, &s->soft_capacity, classes * sizeof *rows);
    JSNI_TRY_ALLOC(rows);
    s->soft = rows;
    memcpy(s->soft + s->samples * classes, soft, classes * sizeof *soft);
    return jsni_dataset_add(data, split, name, (int32_t)best);
}

bool jsni_dataset_wants(const jsn_dataset *data, jsn_split split)
{
    return data->wanted < 0 || data->wanted == (int)split;
}

void jsni_dataset_normalise(jsn_dataset *data, const float mean[3],
                            const float deviation[3])
{
    memcpy(data->traits.mean, mean, sizeof data->traits.mean);
    memcpy(data->traits.deviation, deviation, sizeof data->traits.deviation);
}

jsn_status jsni_dataset_add_pack(jsn_dataset *data, jsni_pack **out)
{
    jsni_pack *packs = jsni_realloc(data->packs, data->pack_count + 1, sizeof *packs);
    JSNI_TRY_ALLOC(packs);
    data->packs = packs;
    packs[data->pack_count] = (jsni_pack){0};
    *out = &packs[data->pack_count++];
    return JSN_OK;
}

jsn_status jsni_dataset_set_root(jsn_dataset *data, jsn_split split, const char *root)
{
    jsni_split *s = &data->splits[split];
    jsni_file_identity identity = {0};
    const jsn_status found = jsni_file_identify(root, &identity);
    if (found != JSN_ERR_DATA) /* a table may name a folder that is not there */
        JSNI_TRY(found);
    s->root_device = identity.device;
    s->root_inode = identity.inode;
    s->root = jsni_text_copy(root);
    return s->root == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

void jsni_split_release(jsni_split *split)
{
    for (size_t i = 0; split->kept != NULL && i < split->samples; i++)
        jsni_kept_release(&split->kept[i]);
    jsni_free(split->kept);
    jsni_free(split->whole);
    jsni_free(split->root);
    jsni_free(split->blobs);
    jsni_free(split->owned_pixels);
    jsni_free(split->soft);
    jsni_free(split->names);
    jsni_free(split->labels);
    *split = (jsni_split){0};
}
