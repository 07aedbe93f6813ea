/* Fuzz target: tables of images and labels, as data sets (csv:FILE) and as label files of
 * noise (file:PATH). The first byte chooses.
 * covers: data/dataset_csv.c data/samples.c noise/noise_file.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include "core/alloc.h"
#include "data/dataset_impl.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/noise.h"

enum { PATH = 100 };

static void open_table(const char *path)
{
    char spec[PATH + 8];
    jsn_dataset *set = NULL;
    const jsn_dataset_options options = {
        .cache = "off", .threads = 1, .memory = 1 << 20};
    (void)snprintf(spec, sizeof spec, "csv:%s", path);
    const jsn_status status = jsn_dataset_open(&set, spec, &options);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
        for (size_t i = 0; i < jsn_dataset_samples(set, (jsn_split)s); i++) {
            const char *name = jsn_dataset_path(set, (jsn_split)s, i);
            FUZZ_CHECK((size_t)jsn_dataset_label(set, (jsn_split)s, i) <
                       jsn_dataset_about(set)->classes);
            FUZZ_CHECK(name[0] != '/' && strstr(name, "../") != name);
        }
    jsn_dataset_close(set);
}

static void apply_labels(const char *path)
{
    static const char *const paths[] = {"a.png", "b.png", "c/d.png"};
    static const char *const names[] = {"x", "y"};
    static const int32_t labels[] = {0, 1, 0};
    char spec[PATH + 24];
    jsn_noise *noise = NULL;
    jsn_noise_input in;
    jsn_noise_result result = {0};
    (void)snprintf(spec, sizeof spec, "file:%s,missing=val", path);
    jsn_status status = jsn_noise_create(&noise, spec);
    jsn_noise_input_init(&in);
    in.labels = labels;
    in.samples = 3;
    in.classes = 2;
    in.paths = paths;
    in.class_names = names;
    if (status == JSN_OK)
        status = jsn_noise_apply(noise, &in, &result);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA || status == JSN_ERR_RANGE ||
               status == JSN_ERR_ARGUMENT);
    for (size_t i = 0; status == JSN_OK && i < 3; i++)
        FUZZ_CHECK(result.labels[i] >= 0 && result.labels[i] < 2);
    jsn_noise_result_release(&result);
    jsn_noise_destroy(noise);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH];
    const size_t before = jsni_alloc_live();
    if (size == 0)
        return 0;
    fuzz_folder_begin();
    fuzz_folder_put("input.csv", data + 1, size - 1);
    (void)snprintf(path, sizeof path, "%s/input.csv", fuzz_folder);
    if (data[0] % 2 == 0)
        open_table(path);
    else
        apply_labels(path);
    FUZZ_CHECK(jsni_alloc_live() == before);
    return 0;
}
