/* Fuzz target: list files, a path and a class number a line, as WebVision and ImageNet have
 * them.
 * covers: data/text_lines.c data/listing.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/text_lines.h"
#include "fuzz/fuzz_folder.h"

enum { PATH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH];
    jsn_dataset *set = jsni_alloc_zero(1, sizeof *set);
    FUZZ_CHECK(set != NULL);
    fuzz_folder_begin();
    fuzz_folder_put("input.txt", data, size);
    (void)snprintf(path, sizeof path, "%s/input.txt", fuzz_folder);
    jsn_status status = jsni_dataset_number_classes(set, 50);
    const jsni_sample_list list = {set, JSN_SPLIT_TRAIN, "images/", 50};
    if (status == JSN_OK)
        status = jsni_dataset_add_list(&list, path);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (size_t i = 0; i < jsn_dataset_samples(set, JSN_SPLIT_TRAIN); i++) {
        const char *name = jsn_dataset_path(set, JSN_SPLIT_TRAIN, i);
        FUZZ_CHECK(strncmp(name, "images/", 7) == 0 && strstr(name, "/../") == NULL);
    }
    jsn_dataset_close(set);
    return 0;
}
