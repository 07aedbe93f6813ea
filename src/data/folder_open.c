/* data/folder_open.c - a folder of images on disk, or the same inside an archive; see
 * data/folder_layout.h. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/progress.h"
#include "data/folder_layout.h"
#include "data/pack.h"

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

static jsn_status open_folder(jsn_dataset *data, const char *path,
                              const jsn_logger *logger)
{
    jsni_listing files = {0}, folders = {0}, lost = {0};
    jsni_folder_layout layout = {0};
    jsn_status status =
        jsni_listing_walk(&files, &folders, &lost, path, jsni_is_image_name);
    if (status == JSN_OK)
        status = jsni_folder_layout_make(&layout, data, path, &files, &folders, false,
                                         logger);
    if (status == JSN_OK && lost.count > 0)
        jsni_say(logger, JSN_LOG_WARNING,
                 "%s: links that lead nowhere, or entries that cannot be "
                 "opened: %zu, such as '%.100s'",
                 path, lost.count, jsni_listing_name(&lost, 0));
    if (status == JSN_OK)
        status = add_rows(data, &layout, &files);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        if (data->splits[s].samples > 0)
            status = jsni_dataset_set_root(data, (jsn_split)s, path);
    if (status == JSN_OK)
        status = jsni_dataset_probe_size(data);
    jsni_folder_layout_release(&layout);
    jsni_listing_release(&lost);
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

static jsn_status attach_blobs(jsni_split *split, const jsni_pack *pack,
                               const jsni_layout_row *rows)
{
    split->blobs = jsni_alloc(split->samples, sizeof *split->blobs);
    JSNI_TRY_ALLOC(split->blobs);
    for (size_t i = 0; i < split->samples; i++) {
        const jsni_piece piece = pack->pieces[rows[i].file];
        split->blobs[i] = (jsni_blob){pack->bytes + piece.offset, piece.length};
    }
    return JSN_OK;
}

static jsn_status open_archive(jsn_dataset *data, const char *path,
                               const jsn_dataset_options *options)
{
    jsni_pack *pack = NULL;
    jsni_folder_layout layout = {0};
    JSNI_TRY(jsni_dataset_add_pack(data, &pack));
    JSNI_TRY(jsni_pack_open(pack, path, JSNI_PACK_IMAGES, options));
    jsn_status status = jsni_folder_layout_make(&layout, data, path, &pack->files,
                                                &pack->folders, true, options->logger);
    if (status == JSN_OK)
        status = add_rows(data, &layout, &pack->files);
    const jsni_layout_row *rows = layout.rows;
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++) {
        jsni_split *split = &data->splits[s];
        if (split->samples == 0)
            continue;
        status = pack->pixels != NULL ? attach_pixels(split, pack, rows)
                                      : attach_blobs(split, pack, rows);
        rows += split->samples;
    }
    data->traits.width = pack->width;
    data->traits.height = pack->height;
    jsni_folder_layout_release(&layout);
    return status;
}

jsn_status jsni_folder_open(jsn_dataset *data, const char *path,
                            const jsn_dataset_options *options)
{
    bool there = false;
    JSNI_TRY(jsni_folder_find(NULL, path, &there));
    if (there)
        return open_folder(data, path, options->logger);
    JSNI_TRY(jsni_file_find(NULL, path, &there));
    if (there)
        return open_archive(data, path, options);
    return jsni_fail(JSN_ERR_DATA, "%s: no such file or folder", path);
}
