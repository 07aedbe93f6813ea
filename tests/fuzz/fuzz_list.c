/* Fuzz target: list files, a path and a class number a line, as WebVision and ImageNet have
 * them.
 * covers: data/text_lines.c data/listing.c */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/text_lines.h"
#include "fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    jsn_dataset *set = jsni_alloc_zero(1, sizeof *set);
    FUZZ_CHECK(set != NULL);
    fuzz_file(path, ".txt", data, size);
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
    fuzz_file_remove(path);
    return 0;
}
