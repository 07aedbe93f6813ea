/* Fuzz target: tables that training reads by path: the label file of --labels, and the
 * labels.csv of a run whose posteriors are taken.
 * covers: train/problem_labels.c noise/label_file.c train/posteriors.c */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "fuzz/fuzz_folder.h"
#include "jensen/array.h"
#include "store/run_folder.h"
#include "train/problem.h"

enum { ROWS = 2, CLASSES = 3, PATH = 100 };

/* Three images of three classes. */
static void open_data(jsni_problem *p)
{
    static const char table[] = "path,label\na.png,x\nb.png,y\nc/d.png,z\n";
    static const char *names[CLASSES];
    char spec[PATH];
    const jsn_dataset_options options = {
        .cache = "off", .threads = 1, .memory = 1 << 20};
    fuzz_folder_put("data.csv", table, sizeof table - 1);
    (void)snprintf(spec, sizeof spec, "csv:%s/data.csv", fuzz_folder);
    FUZZ_CHECK(jsn_dataset_open(&p->data, spec, &options) == JSN_OK);
    p->classes = jsn_dataset_about(p->data)->classes;
    FUZZ_CHECK(p->classes == CLASSES);
    for (size_t i = 0; i < CLASSES; i++)
        names[i] = jsn_dataset_class(p->data, i);
    p->names = names;
}

static void put_posteriors(void)
{
    char path[PATH];
    jsn_array array = {0};
    const size_t shape[2] = {ROWS, CLASSES};
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, JSNI_RUN_POSTERIORS);
    FUZZ_CHECK(jsn_array_create(&array, JSN_DTYPE_FLOAT32, 2, shape) == JSN_OK);
    for (size_t i = 0; i < ROWS * CLASSES; i++)
        ((float *)array.data)[i] = (float)(1 + i);
    FUZZ_CHECK(jsn_array_write(&array, path) == JSN_OK);
    jsn_array_release(&array);
}

static void read_labels(jsni_problem *p)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_folder, JSNI_RUN_LABELS);
    const jsn_status status = jsni_problem_read_labels(p, path, NULL);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (size_t i = 0; status == JSN_OK && i < 3; i++)
        FUZZ_CHECK(p->own.label[JSN_SPLIT_TRAIN][i] >= -2 &&
                   p->own.label[JSN_SPLIT_TRAIN][i] < CLASSES);
    jsni_own_labels_release(&p->own);
}

static void read_posteriors(void)
{
    static const char *const paths[] = {"a.png", "c/d.png"};
    jsn_array found = {0};
    const jsn_status status =
        jsn_run_posteriors(fuzz_folder, paths, 2, CLASSES, &found);
    FUZZ_CHECK(status == JSN_OK || status == JSN_ERR_DATA);
    for (size_t i = 0; status == JSN_OK && i < 2; i++) {
        const float first = ((const float *)found.data)[i * CLASSES];
        FUZZ_CHECK(first == 1.0F || first == 1.0F + CLASSES);
    }
    jsn_array_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jsni_problem problem;
    if (problem.data == NULL) {
        fuzz_folder_begin();
        open_data(&problem);
        put_posteriors();
    }
    fuzz_folder_put(JSNI_RUN_LABELS, data, size);
    read_labels(&problem);
    read_posteriors();
    return 0;
}
