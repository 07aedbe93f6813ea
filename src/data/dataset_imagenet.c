/* data/dataset_imagenet.c - ImageNet (ILSVRC 2012), mostly its validation images as a
 * test set.
 *
 * Either val/WNID/NAME.JPEG, with classes numbered in the order of the sorted WNIDs, or all
 * images in val/ and a list val.txt beside it ("ILSVRC2012_val_00000001.JPEG 65", numbers
 * in the same order; synsets.txt, where there is one, has the WNIDs). train/<wnid>/ is the training split where it exists. classes=50
 * keeps the first 50. The validation images are the test split.
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "data/class_alike.h"
#include "data/listing.h"
#include "data/text_lines.h"

enum { FOLDER, CLASSES };

static const jsn_param_info params[] = {
    {"DIR",
     "the folder with val/ (and train/), one folder per WNID; or val/ and val.txt", 0,
     0, 0, JSN_PARAM_POSITIONAL},
    {"classes", "keep this many classes, the first by WNID", 1000, 2, 1000,
     JSN_PARAM_REAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status add_class_images(jsn_dataset *data, jsn_split split, const char *root,
                                   const char *below, int32_t label)
{
    char path[2 * JSNI_DATASET_MAX_NAME], name[JSNI_DATASET_MAX_NAME];
    (void)snprintf(path, sizeof path, "%s/%s", root, below);
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    JSNI_TRY(jsni_folder_list(path, &entries, &count));
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        if (entries[i].folder || !jsni_is_image_name(entries[i].name))
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", below, entries[i].name);
        status = jsni_is_utf8(name)
                     ? jsni_dataset_add(data, split, name, label)
                     : jsni_fail(JSN_ERR_DATA, "%s: a name is not UTF-8", path);
    }
    jsni_folder_free(entries, count);
    return status;
}

/* Folders named by WNID below `part`. The first split read sets the classes. */
static jsn_status add_folders(jsn_dataset *data, jsn_split split, const char *root,
                              const char *part, size_t keep, bool *found)
{
    char path[2 * JSNI_DATASET_MAX_NAME], below[300];
    (void)snprintf(path, sizeof path, "%s/%s", root, part);
    bool there = false;
    *found = false;
    JSNI_TRY(jsni_folder_find(NULL, path, &there));
    if (!there)
        return JSN_OK;
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    JSNI_TRY(jsni_folder_list(path, &entries, &count));
    jsn_status status = JSN_OK;
    const bool fresh = data->traits.classes == 0;
    size_t label = 0;
    for (size_t i = 0; status == JSN_OK && i < count && label < keep; i++) {
        if (!entries[i].folder ||
            jsni_class_wnid(entries[i].name) != strlen(entries[i].name))
            continue;
        if (fresh)
            status = jsni_dataset_add_class(data, entries[i].name);
        else if (label >= data->traits.classes ||
                 strcmp(data->classes[label], entries[i].name) != 0)
            status = jsni_fail(JSN_ERR_DATA,
                               "%s: its class folders differ from those "
                               "of the other split at '%s'",
                               path, entries[i].name);
        (void)snprintf(below, sizeof below, "%s/%s", part, entries[i].name);
        if (status == JSN_OK && jsni_dataset_wants(data, split))
            status = add_class_images(data, split, root, below, (int32_t)label);
        *found = true;
        label++;
    }
    jsni_folder_free(entries, count);
    return status;
}

static jsn_status add_flat(jsn_dataset *data, const char *root, size_t keep)
{
    char *path = jsni_path_join(root, "val.txt");
    JSNI_TRY_ALLOC(path);
    bool there = false;
    jsn_status status = jsni_file_find(NULL, path, &there);
    if (status == JSN_OK && !there) {
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: holds neither val/WNID/ folders nor val/ with val.txt",
                           root);
    } else if (status == JSN_OK) {
        const jsni_sample_list list = {data, JSN_SPLIT_TEST, "val/", keep};
        if (data->traits.classes == 0)
            status = jsni_dataset_add_synsets(&list, root, "synsets.txt");
        if (status == JSN_OK)
            status = jsni_dataset_add_list(&list, path);
    }
    jsni_free(path);
    return status;
}

static jsn_status open_imagenet(jsn_dataset *data, const jsni_dataset_request *request)
{
    char *root = NULL;
    JSNI_TRY(jsni_dataset_take_folder(data, request, &root));
    const size_t keep = (size_t)request->values[CLASSES].real;
    bool train = false, val = false;
    jsn_status status = JSN_OK;
    if (strlen(root) >= JSNI_DATASET_MAX_NAME)
        status = jsni_fail(JSN_ERR_DATA, "%.60s...: the path is too long", root);
    if (status == JSN_OK)
        status = add_folders(data, JSN_SPLIT_TRAIN, root, "train", keep, &train);
    if (status == JSN_OK)
        status = add_folders(data, JSN_SPLIT_TEST, root, "val", keep, &val);
    if (status == JSN_OK && !val)
        status = add_flat(data, root, keep);
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, JSN_SPLIT_TRAIN, root);
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, JSN_SPLIT_TEST, root);
    jsni_free(root);
    return status;
}

const jsni_dataset_def jsni_dataset_imagenet = {
    {"imagenet", "ImageNet's validation images, all or the first classes", params,
     sizeof params / sizeof params[0]},
    open_imagenet,
};
