/* Fuzz target: archives as data sets, through libarchive and the folder layout.
 * covers: data/archive_read.c data/archive_link.c data/folder_layout.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "data/dataset_impl.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[100];
    jsn_dataset *set = NULL;
    const jsn_dataset_options options = {
        .cache = "off", .threads = 1, .memory = 1 << 20};
    FUZZ_CHECK(jsn_limit_set("member=64KiB,archive=1MiB") == JSN_OK); /* fast */
    fuzz_folder_begin();
    fuzz_folder_put("input", data, size);
    (void)snprintf(path, sizeof path, "%s/input", fuzz_folder);
    const jsn_status status = jsn_dataset_open(&set, path, &options);
    jsn_image image = {0};
    for (size_t i = 0;
         status == JSN_OK && i < jsn_dataset_samples(set, JSN_SPLIT_TRAIN); i++)
        (void)!jsn_dataset_image(set, JSN_SPLIT_TRAIN, i, &image);
    jsn_image_release(&image);
    jsn_dataset_close(set);
    return 0;
}
