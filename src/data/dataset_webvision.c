/* data/dataset_webvision.c - WebVision 1.0 (Li et al. 2017) from its file lists.
 *
 *     info/train_filelist_google.txt   "google/q0001/x.jpg 0"
 *     info/train_filelist_flickr.txt   the same, used with flickr=1
 *     info/val_filelist.txt            "val000001.jpg 3", images in val_images_256/
 *     info/synsets.txt                 classes, one a line: "n01440764 tench" (optional)
 *
 * classes=50 keeps the first 50 classes: "mini-WebVision". The validation images, which
 * papers report on, are the test split.
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/text_lines.h"

enum { FOLDER, CLASSES, FLICKR };

static const jsn_param_info params[] = {
    {"DIR", "the folder with info/, google/, flickr/, val_images_256/", 0, 0, 0,
     JSN_PARAM_POSITIONAL},
    {"classes", "keep this many of the 1000 classes, the first ones (mini: 50)", 1000,
     2, 1000, JSN_PARAM_REAL},
    {"flickr", "1 adds the images found by Flickr to those found by Google", 0, 0, 1,
     JSN_PARAM_REAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status add_list(const jsni_sample_list *list, const char *folder,
                           const char *name)
{
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    const jsn_status status = jsni_dataset_add_list(list, path);
    jsni_free(path);
    return status;
}

static jsn_status open_webvision(jsn_dataset *data, const jsni_dataset_request *request)
{
    char *folder = NULL;
    JSNI_TRY(jsni_dataset_take_folder(data, request, &folder));
    jsni_sample_list list = {data, JSN_SPLIT_TRAIN, "",
                             (size_t)request->values[CLASSES].real};
    jsn_status status = jsni_dataset_add_synsets(&list, folder, "info/synsets.txt");
    if (status == JSN_OK && jsni_dataset_wants(data, JSN_SPLIT_TRAIN)) {
        status = add_list(&list, folder, "info/train_filelist_google.txt");
        if (status == JSN_OK && request->values[FLICKR].real > 0)
            status = add_list(&list, folder, "info/train_filelist_flickr.txt");
    }
    list.split = JSN_SPLIT_TEST;
    list.prefix = "val_images_256/";
    if (status == JSN_OK && jsni_dataset_wants(data, JSN_SPLIT_TEST))
        status = add_list(&list, folder, "info/val_filelist.txt");
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, JSN_SPLIT_TRAIN, folder);
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, JSN_SPLIT_TEST, folder);
    jsni_free(folder);
    return status;
}

const jsni_dataset_def jsni_dataset_webvision = {
    {"webvision", "WebVision 1.0 by its file lists; classes=50 is mini-WebVision",
     params, sizeof params / sizeof params[0]},
    open_webvision,
};
