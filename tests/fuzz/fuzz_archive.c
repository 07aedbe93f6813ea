/* Fuzz target: archives as data sets, through libarchive and the folder layout.
 * covers: data/archive_read.c data/archive_link.c data/folder_layout.c */
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/dataset_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/jensen-fuzz-XXXXXX";
    const int fd = mkstemp(path);
    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
    jsn_dataset *set = NULL;
    const jsn_dataset_options options = {
        .cache = "off", .threads = 1, .memory = 1 << 26};
    const jsn_status status = jsn_dataset_open(&set, path, &options);
    jsn_image image = {0};
    for (size_t i = 0;
         status == JSN_OK && i < jsn_dataset_samples(set, JSN_SPLIT_TRAIN); i++)
        (void)!jsn_dataset_image(set, JSN_SPLIT_TRAIN, i, &image);
    jsn_image_release(&image);
    jsn_dataset_close(set);
    (void)unlink(path);
    return 0;
}
