/* Fuzz target: CIFAR binary files and IDX files, as bytes. The first byte chooses.
 * covers: data/cifar_read.c data/idx_read.c */
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/cifar_read.h"
#include "data/idx_read.h"

static const char *const classes[] = {"a", "b", "c"};
static const char *const files[] = {"train", NULL};

static jsn_status add_idx(jsn_dataset *data, const uint8_t *bytes, size_t size)
{
    /* The second byte says how much belongs to the labels. */
    const size_t cut = size < 1 ? 0 : (size_t)bytes[0] % (size + 1);
    return jsni_idx_add(data, JSN_SPLIT_TRAIN,
                        &(jsni_idx_file){"images", bytes + cut, size - cut},
                        &(jsni_idx_file){"labels", bytes, cut});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const jsni_cifar_layout layout = {.classes = classes,
                                             .class_count = 3,
                                             .folder = "f",
                                             .train_files = files,
                                             .test_file = "test",
                                             .label_bytes = 2};
    size_t seen[3] = {0};
    jsn_dataset *set = jsni_alloc_zero(1, sizeof *set);
    if (size == 0 || set == NULL) {
        jsni_free(set);
        return 0;
    }
    jsn_status status = JSN_OK;
    if (data[0] % 2 == 0) {
        status = jsni_dataset_add_classes(set, classes, 3);
        if (status == JSN_OK)
            status = jsni_cifar_add_records(set, JSN_SPLIT_TRAIN, &layout, data + 1,
                                            size - 1, "fuzz", seen);
    } else {
        status = add_idx(set, data + 1, size - 1);
    }
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (size_t i = 0;
         status == JSN_OK && i < jsn_dataset_samples(set, JSN_SPLIT_TRAIN); i++)
        FUZZ_CHECK((size_t)jsn_dataset_label(set, JSN_SPLIT_TRAIN, i) <
                   set->traits.classes);
    jsn_dataset_close(set);
    return 0;
}
