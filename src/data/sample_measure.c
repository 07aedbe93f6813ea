/* data/sample_measure.c - see sample_measure.h; and whether all images have one size. */
#include "data/sample_measure.h"

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_start.h"
#include "core/limit.h"
#include "data/dataset_impl.h"
#include "data/image_decoder.h"

enum {
    PROBES = 64, /* images looked at to learn whether all have one size */
    HEAD = 32768 /* bytes that hold the header of most files, with its thumbnail */
};

typedef struct size {
    size_t width, height;
} size;

static jsn_status measure_file(jsni_image_decoder *decoder, const char *path, size *out)
{
    char *bytes = jsni_alloc(HEAD, 1);
    JSNI_TRY_ALLOC(bytes);
    size_t length = jsni_file_start(path, bytes, HEAD);
    jsni_image_input input = {(const uint8_t *)bytes, length, path};
    jsn_status status =
        length == 0
            ? JSN_ERR_DATA
            : jsni_image_decoder_measure(decoder, &input, &out->width, &out->height);
    jsni_free(bytes);
    if (status != JSN_ERR_DATA)
        return status;
    /* All of it: a longer header, or what is wrong with the file. */
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, path, &bytes, &length));
    input = (jsni_image_input){(const uint8_t *)bytes, length, path};
    status = jsni_image_decoder_measure(decoder, &input, &out->width, &out->height);
    jsni_free(bytes);
    return status;
}

static jsn_status measure_with(const jsn_dataset *data, jsni_image_decoder *decoder,
                               const jsni_split *split, size_t index, size *out)
{
    const char *name = data->names + split->names[index];
    if (split->blobs != NULL) {
        const jsni_image_input input = {split->blobs[index].bytes,
                                        split->blobs[index].length, name};
        return jsni_image_decoder_measure(decoder, &input, &out->width, &out->height);
    }
    char *path = jsni_path_join(split->root, name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = measure_file(decoder, path, out);
    jsni_free(path);
    return status;
}

jsn_status jsni_sample_measure(const jsn_dataset *data, jsn_split split, size_t index,
                               size_t *width, size_t *height)
{
    const jsni_split *s = &data->splits[split];
    size found = {data->traits.width, data->traits.height};
    if (s->pixels == NULL) {
        jsni_image_decoder *decoder = NULL;
        JSNI_TRY(jsni_decoder_pool_take(data->decoders, &decoder));
        const jsn_status status = measure_with(data, decoder, s, index, &found);
        jsni_decoder_pool_give(data->decoders, decoder);
        JSNI_TRY(status);
    }
    *width = found.width;
    *height = found.height;
    return JSN_OK;
}

/* Whether the images of a split that are looked at have one size, which must be that of
 * *all unless this is 0. A bad file is found, with its path, when it is read. */
static jsn_status probe_split(const jsn_dataset *data, jsn_split split, size *all,
                              bool *equal)
{
    const size_t samples = data->splits[split].samples;
    const size_t probes = samples < PROBES ? samples : PROBES;
    for (size_t i = 0; *equal && i < probes; i++) {
        size one = {0, 0};
        const jsn_status status = jsni_sample_measure(data, split, i * samples / probes,
                                                      &one.width, &one.height);
        if (status == JSN_ERR_DATA || status == JSN_ERR_UNSUPPORTED)
            continue;
        JSNI_TRY(status);
        *equal =
            all->width == 0 || (one.width == all->width && one.height == all->height);
        *all = one;
    }
    return JSN_OK;
}

/* Sizes of images on disk are not known without opening each; a spread of them tells
 * well enough whether to treat the set as one of equal images. */
jsn_status jsni_dataset_probe_size(jsn_dataset *data)
{
    size all = {0, 0};
    bool equal = true;
    for (int s = 0; equal && s < JSN_SPLITS; s++)
        if (data->splits[s].samples > 0 && data->splits[s].root != NULL)
            JSNI_TRY(probe_split(data, (jsn_split)s, &all, &equal));
    data->traits.width = equal ? all.width : 0;
    data->traits.height = equal ? all.height : 0;
    return JSN_OK;
}
