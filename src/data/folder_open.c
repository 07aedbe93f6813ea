/* data/folder_open.c - a folder of images on disk, or the same inside an archive; see
 * data/folder_layout.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/folder_layout.h"
#include "data/pack.h"

enum { PROBES = 64 };

static jsn_status add_rows(jsn_dataset *data, const jsni_folder_layout *layout,
                           const jsni_listing *files)
{
    for (size_t i = 0; i < layout->count; i++) {
        const jsni_layout_row *row = &layout->rows[i];
        JSNI_TRY(jsni_dataset_add(data, row->split,
                                  jsni_listing_name(files, row->file) + layout->strip,
                                  row->label));
    }
    return JSN_OK;
}

/* Sizes of images on disk are not known without opening each; a spread of them tells
 * well enough whether to treat the set as one of equal images. */
static void probe_size(jsn_dataset *data)
{
    const jsni_split *split = &data->splits[jsn_dataset_main_split(data)];
    const size_t probes = split->samples < PROBES ? split->samples : PROBES;
    size_t width = 0, height = 0;
    bool equal = probes > 0;
    for (size_t i = 0; equal && i < probes; i++) {
        const size_t index = i * split->samples / probes;
        char *path = jsni_path_join(split->root, data->names + split->names[index]);
        char *bytes = NULL;
        size_t length = 0, w = 0, h = 0;
        if (path == NULL ||
            jsni_file_read(path, JSNI_IMAGE_FILE_LIMIT, &bytes, &length) != JSN_OK) {
            jsni_free(path);
            continue; /* a bad file is found, with its path, when it is read */
        }
        jsni_image_decoder *decoder = NULL;
        if (jsni_decoder_pool_take(data->decoders, &decoder) == JSN_OK) {
            const jsni_image_input input = {(const uint8_t *)bytes, length, path, 0};
            if (jsni_image_decoder_measure(decoder, &input, &w, &h) == JSN_OK) {
                equal = width == 0 || (w == width && h == height);
                width = w;
                height = h;
            }
            jsni_decoder_pool_give(data->decoders, decoder);
        }
        jsni_free(bytes);
        jsni_free(path);
    }
    data->traits.width = equal ? width : 0;
    data->traits.height = equal ? height : 0;
}

static jsn_status open_folder(jsn_dataset *data, const char *path)
{
    jsni_listing files = {0}, folders = {0};
    jsni_folder_layout layout = {0};
    jsn_status status = jsni_listing_walk(&files, &folders, path, jsni_is_image_name);
    if (status == JSN_OK)
        status = jsni_folder_layout_make(&layout, data, path, &files, &folders, false);
    if (status == JSN_OK)
        status = add_rows(data, &layout, &files);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        if (data->splits[s].samples > 0) {
            data->splits[s].root = jsni_text_copy(path);
            status = data->splits[s].root == NULL ? JSN_ERR_MEMORY : JSN_OK;
        }
    if (status == JSN_OK)
        probe_size(data);
    jsni_folder_layout_release(&layout);
    jsni_listing_release(&folders);
    jsni_listing_release(&files);
    return status;
}

/* The rows' pixels as one block: those of the pack where they lie in order, else copied
 * together. */
static jsn_status attach_pixels(jsni_split *split, const jsni_pack *pack,
                                const jsni_layout_row *rows)
{
    const size_t image = pack->width * pack->height * JSN_IMAGE_CHANNELS;
    bool in_order = true;
    for (size_t i = 1; i < split->samples && in_order; i++)
        in_order = rows[i].file == rows[0].file + i;
    if (in_order) {
        split->pixels = pack->pixels + rows[0].file * image;
        return JSN_OK;
    }
    split->owned_pixels = jsni_alloc(split->samples, image);
    JSNI_TRY_ALLOC(split->owned_pixels);
    for (size_t i = 0; i < split->samples; i++)
        memcpy(split->owned_pixels + i * image, pack->pixels + rows[i].file * image,
               image);
    split->pixels = split->owned_pixels;
    return JSN_OK;
}

static jsn_status attach_pieces(jsni_split *split, const jsni_pack *pack,
                                const jsni_layout_row *rows)
{
    split->pieces = jsni_alloc(split->samples, sizeof *split->pieces);
    JSNI_TRY_ALLOC(split->pieces);
    split->bytes = pack->bytes;
    for (size_t i = 0; i < split->samples; i++)
        split->pieces[i] = pack->pieces[rows[i].file];
    return JSN_OK;
}

static jsn_status open_archive(jsn_dataset *data, const char *path,
                               const jsn_dataset_options *options)
{
    jsni_pack pack;
    jsni_folder_layout layout = {0};
    JSNI_TRY(jsni_pack_open(&pack, path, JSNI_PACK_IMAGES, options));
    jsn_status status =
        jsni_folder_layout_make(&layout, data, path, &pack.files, &pack.folders, true);
    if (status == JSN_OK)
        status = add_rows(data, &layout, &pack.files);
    const jsni_layout_row *rows = layout.rows;
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++) {
        jsni_split *split = &data->splits[s];
        if (split->samples == 0)
            continue;
        status = pack.pixels != NULL ? attach_pixels(split, &pack, rows)
                                     : attach_pieces(split, &pack, rows);
        rows += split->samples;
    }
    data->traits.width = pack.width;
    data->traits.height = pack.height;
    /* The data set owns the memory from here on. */
    data->block = pack.owned;
    data->cached = pack.map;
    pack.owned = NULL;
    pack.map = (jsni_map){0};
    jsni_folder_layout_release(&layout);
    jsni_pack_release(&pack);
    return status;
}

jsn_status jsni_folder_open(jsn_dataset *data, const char *path,
                            const jsn_dataset_options *options)
{
    if (jsni_folder_exists(path))
        return open_folder(data, path);
    if (jsni_file_exists(path))
        return open_archive(data, path, options);
    return jsni_fail(JSN_ERR_DATA, "%s: no such file or folder", path);
}
