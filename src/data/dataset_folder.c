/* data/dataset_folder.c - a folder or archive of images, one folder a class. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/folder_layout.h"

static const jsn_param_info params[] = {
    {"PATH", "folder, .tar, .tar.gz, .tar.xz or .zip with one folder per class", 0, 0,
     0, JSN_PARAM_POSITIONAL},
    JSNI_DATASET_SPLIT_PARAM,
};

static jsn_status open_folder(jsn_dataset *data, const jsni_dataset_request *request)
{
    if (!request->values[0].given)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%s': say where the images are: folder:PATH", request->spec);
    char *path = NULL;
    JSNI_TRY(jsni_spec_text(&request->values[0], &path));
    const size_t length = strlen(path);
    const jsn_status status =
        length > 4 && strcmp(path + length - 4, ".csv") == 0 && jsni_file_exists(path)
            ? jsni_fail(JSN_ERR_DATA,
                        "%s: this is a table, not a folder or archive of images; "
                        "csv:%s reads it",
                        path, path)
            : jsni_folder_open(data, path, &request->options);
    jsni_free(path);
    return status;
}

const jsni_dataset_def jsni_dataset_folder = {
    {"folder",
     "images in class folders, on disk or in an archive (torchvision's rules)", params,
     sizeof params / sizeof params[0]},
    open_folder,
};
