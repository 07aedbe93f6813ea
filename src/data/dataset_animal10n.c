/* data/dataset_animal10n.c - ANIMAL-10N (Song, Kim, Lee 2019): 50,000 training images with
 * about 8% wrong labels, 5,000 clean test images, 64x64.
 *
 * training/ and testing/ hold files named <label>_<id>.jpg; the label is the number before
 * the first underscore.
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/number.h"
#include "data/listing.h"
#include "data/text_lines.h"

static const char *const classes[] = {"cat",     "lynx",      "wolf",       "coyote",
                                      "cheetah", "jaguar",    "chimpanzee", "orangutan",
                                      "hamster", "guinea pig"};

static const jsn_param_info params[] = {
    {"DIR", "the folder with training/ and testing/", 0, 0, 0, JSN_PARAM_POSITIONAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status add_image(jsn_dataset *data, jsn_split split, const char *path,
                            const char *part, const char *file)
{
    char name[JSNI_DATASET_MAX_NAME];
    int64_t label = 0;
    const size_t digits = strcspn(file, "_");
    if (file[digits] != '_' || !jsni_number_int(file, digits, &label) || label < 0 ||
        label > 9 || !jsni_is_utf8(file))
        return jsni_fail(JSN_ERR_DATA, "%s: '%s' is not named <label 0..9>_<id>.jpg",
                         path, file);
    (void)snprintf(name, sizeof name, "%s/%s", part, file);
    return jsni_dataset_add(data, split, name, (int32_t)label);
}

static jsn_status add_split(jsn_dataset *data, jsn_split split, const char *root,
                            const char *part)
{
    if (!jsni_dataset_wants(data, split))
        return JSN_OK;
    char *path = jsni_path_join(root, part);
    JSNI_TRY_ALLOC(path);
    jsni_folder_entry *entries = NULL;
    size_t count = 0;
    jsn_status status = jsni_folder_list(path, &entries, &count);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        if (!entries[i].folder && jsni_is_image_name(entries[i].name))
            status = add_image(data, split, path, part, entries[i].name);
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, split, root);
    jsni_folder_free(entries, count);
    jsni_free(path);
    return status;
}

static jsn_status open_animal10n(jsn_dataset *data, const jsni_dataset_request *request)
{
    char *root = NULL;
    JSNI_TRY(jsni_dataset_take_folder(data, request, &root));
    jsn_status status =
        jsni_dataset_add_classes(data, classes, sizeof classes / sizeof classes[0]);
    if (status == JSN_OK)
        status = add_split(data, JSN_SPLIT_TRAIN, root, "training");
    if (status == JSN_OK)
        status = add_split(data, JSN_SPLIT_TEST, root, "testing");
    if (status == JSN_OK)
        status = jsni_dataset_probe_size(data);
    jsni_free(root);
    return status;
}

const jsni_dataset_def jsni_dataset_animal10n = {
    {"animal10n", "ANIMAL-10N: training/ and testing/, <label>_<id>.jpg", params,
     sizeof params / sizeof params[0]},
    open_animal10n,
};
