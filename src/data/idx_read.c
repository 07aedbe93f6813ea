/* data/idx_read.c - see data/idx_read.h. */
#include "data/idx_read.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/words.h"

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The sizes of a file of bytes with `dimensions` dimensions, its length checked. */
static jsn_status read_sizes(const jsni_idx_file *file, unsigned dimensions,
                             size_t *sizes)
{
    const size_t head = 4 + 4 * (size_t)dimensions;
    if (file->length < head || big_endian(file->bytes) != (0x0800u | dimensions))
        return jsni_fail(JSN_ERR_DATA,
                         "%s: not an IDX file of bytes with %u dimensions", file->name,
                         dimensions);
    uint64_t total = 1;
    for (unsigned i = 0; i < dimensions; i++) {
        sizes[i] = big_endian(file->bytes + 4 + 4 * i);
        if (sizes[i] == 0 || sizes[i] > JSNI_DATASET_MAX_SAMPLES ||
            (total *= sizes[i]) > ((uint64_t)1 << 40))
            return jsni_fail(JSN_ERR_DATA, "%s: a size of %zu in its header",
                             file->name, sizes[i]);
    }
    if (total != file->length - head)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu bytes of values, its header says %llu",
                         file->name, file->length - head, (unsigned long long)total);
    return JSN_OK;
}

/* As many classes as the labels need. */
static jsn_status grow_classes(jsn_dataset *data, const uint8_t *labels, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = labels[i] > most ? labels[i] : most;
    for (size_t k = data->traits.classes; k <= most; k++) {
        char name[8];
        (void)snprintf(name, sizeof name, "%zu", k);
        JSNI_TRY(jsni_dataset_add_class(data, name));
    }
    return JSN_OK;
}

jsn_status jsni_idx_add(jsn_dataset *data, jsn_split split, const jsni_idx_file *images,
                        const jsni_idx_file *labels)
{
    size_t sizes[3], count = 0;
    jsni_split *s = &data->splits[split];
    JSNI_TRY(read_sizes(images, 3, sizes));
    JSNI_TRY(read_sizes(labels, 1, &count));
    const size_t pixels = sizes[1] * sizes[2];
    if (count != sizes[0])
        return jsni_fail(JSN_ERR_DATA, "%s: %zu %s for the %zu %s of %s", labels->name,
                         count, jsni_noun(count, "label", "labels"), sizes[0],
                         jsni_noun(sizes[0], "image", "images"), images->name);
    if (sizes[1] > JSN_IMAGE_MAX_SIDE || sizes[2] > JSN_IMAGE_MAX_SIDE ||
        (data->traits.width > 0 &&
         (data->traits.width != sizes[2] || data->traits.height != sizes[1])))
        return jsni_fail(
            JSN_ERR_DATA,
            "%s: images of %zu x %zu, too large or unlike the other split's",
            images->name, sizes[2], sizes[1]);
    JSNI_TRY(grow_classes(data, labels->bytes + 8, count));
    data->traits.width = sizes[2];
    data->traits.height = sizes[1];
    s->owned_pixels = jsni_alloc(count, pixels * JSN_IMAGE_CHANNELS);
    JSNI_TRY_ALLOC(s->owned_pixels);
    s->pixels = s->owned_pixels;
    for (size_t i = 0; i < count * pixels; i++)
        memset(s->owned_pixels + 3 * i, images->bytes[16 + i], 3);
    size_t seen[256] = {0};
    for (size_t i = 0; i < count; i++) {
        const uint8_t label = labels->bytes[8 + i];
        char name[64];
        (void)snprintf(name, sizeof name, "%s/%u/%04zu.png", jsn_split_name(split),
                       (unsigned)label, seen[label]++);
        JSNI_TRY(jsni_dataset_add(data, split, name, label));
    }
    return JSN_OK;
}
