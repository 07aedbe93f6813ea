/* Fuzz target: the lists of Clothing1M. The input is the names of the classes, the noisy labels and
 * their keys, then the clean labels and the keys of validation and test, with a line "@" between
 * them.
 * covers: data/dataset_clothing1m.c data/text_lines.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/dataset_impl.h"
#include "fuzz/fuzz_folder.h"

static const char *const parts[] = {
    "category_names_eng.txt", "noisy_label_kv.txt",     "noisy_train_key_list.txt",
    "clean_label_kv.txt",     "clean_val_key_list.txt", "clean_test_key_list.txt"};

static void check_split(const jsn_dataset *set, jsn_split split)
{
    for (size_t i = 0; i < jsn_dataset_samples(set, split); i++) {
        const char *name = jsn_dataset_path(set, split, i);
        FUZZ_CHECK(name[0] != '/' && strncmp(name, "../", 3) != 0 &&
                   strstr(name, "/../") == NULL);
        FUZZ_CHECK(jsn_dataset_label(set, split, i) <
                   (int32_t)jsn_dataset_about(set)->classes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t before = jsni_alloc_live();
    const jsn_dataset_options options = {.cache = "off", .threads = 1};
    char spec[100];
    jsn_dataset *set = NULL;
    fuzz_folder_begin();
    fuzz_folder_put_parts(parts, sizeof parts / sizeof parts[0], data, size);
    (void)snprintf(spec, sizeof spec, "clothing1m:%s", fuzz_folder);
    const jsn_status status = jsn_dataset_open(&set, spec, &options);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (int split = 0; status == JSN_OK && split < JSN_SPLITS; split++)
        check_split(set, (jsn_split)split);
    jsn_dataset_close(set);
    FUZZ_CHECK(jsni_alloc_live() == before);
    return 0;
}
