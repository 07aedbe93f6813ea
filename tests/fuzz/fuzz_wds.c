/* Fuzz target: WebDataset shards: tar files of images and what is said of them.
 * covers: data/dataset_wds.c data/archive_read.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "data/dataset_impl.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/limit.h"

enum { PATH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[PATH];
    jsn_dataset *set = NULL;
    jsn_image image = {0};
    const jsn_dataset_options options = {
        .cache = "off", .threads = 1, .memory = 1 << 20};
    FUZZ_CHECK(jsn_limit_set("member=64KiB,archive=1MiB") == JSN_OK); /* fast */
    fuzz_folder_begin();
    fuzz_folder_put("input-0.tar", data, size);
    (void)snprintf(spec, sizeof spec, "wds:%s/input-{0..0}.tar", fuzz_folder);
    const jsn_status status = jsn_dataset_open(&set, spec, &options);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (size_t i = 0;
         status == JSN_OK && i < jsn_dataset_samples(set, JSN_SPLIT_TRAIN); i++) {
        FUZZ_CHECK((size_t)jsn_dataset_label(set, JSN_SPLIT_TRAIN, i) <
                   jsn_dataset_about(set)->classes);
        (void)!jsn_dataset_image(set, JSN_SPLIT_TRAIN, i, &image);
    }
    jsn_image_release(&image);
    jsn_dataset_close(set);
    return 0;
}
