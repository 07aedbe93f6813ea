/* data/dataset_idx.c - IDX files: MNIST, Fashion-MNIST and their kin.
 *
 * A file is a big-endian magic number 0x0000TTDD (type 08: bytes; DD dimensions), one
 * 32-bit size a dimension, then the values. Images are [n][rows][columns], labels [n].
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/idx_read.h"
#include "data/text_lines.h"
#include "format/compressed.h"

enum { PATH = JSNI_DATASET_MAX_NAME };

/* The first of the usual names that exists: "train-images-idx3-ubyte", the same with a
 * dot, each also with .gz. */
static jsn_status find_file(char path[PATH], const char *folder, const char *prefix,
                            const char *what, const char *kind, bool *found)
{
    static const char *const forms[][2] = {
        {"-", ""}, {".", ""}, {"-", ".gz"}, {".", ".gz"}};
    *found = false;
    for (size_t i = 0; !*found && i < sizeof forms / sizeof forms[0]; i++) {
        const int length = snprintf(path, PATH, "%s/%s-%s%s%s%s", folder, prefix, what,
                                    forms[i][0], kind, forms[i][1]);
        if (length > 0 && length < PATH)
            JSNI_TRY(jsni_file_find(NULL, path, found));
    }
    return JSN_OK;
}

static jsn_status add_split(jsn_dataset *data, jsn_split split, const char *folder,
                            const char *prefix)
{
    char images[PATH], labels[PATH];
    char *image_bytes = NULL, *label_bytes = NULL;
    size_t image_length = 0, label_length = 0;
    bool has_images = false, has_labels = false;
    JSNI_TRY(find_file(images, folder, prefix, "images", "idx3-ubyte", &has_images));
    JSNI_TRY(find_file(labels, folder, prefix, "labels", "idx1-ubyte", &has_labels));
    if (!has_images && !has_labels)
        return JSN_OK; /* no such split; a data set without any is refused later */
    if (!has_images || !has_labels)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: has only one of %s-images-idx3-ubyte and "
                         "%s-labels-idx1-ubyte",
                         folder, prefix, prefix);
    jsn_status status = jsni_file_read_any(images, &image_bytes, &image_length);
    if (status == JSN_OK)
        status = jsni_file_read_any(labels, &label_bytes, &label_length);
    if (status == JSN_OK)
        status = jsni_idx_add(
            data, split,
            &(jsni_idx_file){images, (const uint8_t *)image_bytes, image_length},
            &(jsni_idx_file){labels, (const uint8_t *)label_bytes, label_length});
    jsni_free(label_bytes);
    jsni_free(image_bytes);
    return status;
}

static const jsn_param_info params[] = {
    {"DIR", "folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-...", 0,
     0, 0, JSN_PARAM_POSITIONAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status open_idx(jsn_dataset *data, const jsni_dataset_request *request)
{
    static const float mean[3] = {0.1307f, 0.1307f, 0.1307f};
    static const float deviation[3] = {0.3081f, 0.3081f, 0.3081f};
    char *folder = NULL;
    JSNI_TRY(jsni_dataset_take_folder(data, request, &folder));
    jsni_dataset_normalise(data, mean, deviation);
    jsn_status status = add_split(data, JSN_SPLIT_TRAIN, folder, "train");
    if (status == JSN_OK)
        status = add_split(data, JSN_SPLIT_TEST, folder, "t10k");
    jsni_free(folder);
    return status;
}

const jsni_dataset_def jsni_dataset_idx = {
    {"idx", "IDX files: MNIST, Fashion-MNIST; grey, also as .gz", params,
     sizeof params / sizeof params[0]},
    open_idx,
};
