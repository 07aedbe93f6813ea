/* data/cifar_read.c - see data/cifar_read.h.
 *
 * A record is one or two label bytes, then 1024 red, 1024 green and 1024 blue bytes, rows
 * top to bottom. The published files hold 10,000 or 50,000 records; any number is read.
 */
#include "data/cifar_read.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/limit.h"
#include "data/folder_layout.h"

enum { IMAGE_BYTES = 3 * JSNI_CIFAR_PIXELS };

/* The largest published file has 153.7 MB. */

static void interleave(const uint8_t *planes, uint8_t *pixels)
{
    for (size_t i = 0; i < JSNI_CIFAR_PIXELS; i++) {
        pixels[3 * i] = planes[i];
        pixels[3 * i + 1] = planes[JSNI_CIFAR_PIXELS + i];
        pixels[3 * i + 2] = planes[2 * JSNI_CIFAR_PIXELS + i];
    }
}

jsn_status jsni_cifar_add_records(jsn_dataset *data, jsn_split split,
                                  const jsni_cifar_layout *layout, const uint8_t *bytes,
                                  size_t length, const char *file, size_t *seen)
{
    const size_t record = layout->label_bytes + IMAGE_BYTES;
    const size_t records = length / record;
    if (records == 0 || length % record != 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: %zu bytes, not a whole number of records of %zu", file,
                         length, record);
    jsni_split *s = &data->splits[split];
    uint8_t *pixels = jsni_realloc(s->owned_pixels, s->samples + records, IMAGE_BYTES);
    JSNI_TRY_ALLOC(pixels);
    s->owned_pixels = pixels;
    s->pixels = pixels;
    data->traits.width = data->traits.height = JSNI_CIFAR_SIDE;
    for (size_t i = 0; i < records; i++) {
        const uint8_t *from = bytes + i * record;
        const size_t label = from[layout->label_bytes - 1];
        if (label >= layout->class_count)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: record %zu has label %zu of %zu classes", file, i,
                             label, layout->class_count);
        char name[80];
        (void)snprintf(name, sizeof name, "%s/%s/%04zu.jpg", jsn_split_name(split),
                       layout->classes[label], seen[label]++);
        interleave(from + layout->label_bytes, pixels + s->samples * IMAGE_BYTES);
        JSNI_TRY(jsni_dataset_add(data, split, name, (int32_t)label));
    }
    return JSN_OK;
}

static jsn_status add_file(jsn_dataset *data, jsn_split split,
                           const jsni_cifar_layout *layout, const char *folder,
                           const char *name, size_t *seen)
{
    char *bytes = NULL;
    size_t length = 0;
    char *path = jsni_path_join(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = jsni_limit_read(JSNI_LIMIT_FILE, NULL, path, &bytes, &length);
    if (status == JSN_OK)
        status = jsni_cifar_add_records(data, split, layout, (const uint8_t *)bytes,
                                        length, path, seen);
    jsni_free(bytes);
    jsni_free(path);
    return status;
}

/* Whether `folder` holds `name`. */
static jsn_status find_file(const char *folder, const char *name, bool *there)
{
    char path[JSNI_DATASET_MAX_NAME];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    *there = false;
    return length > 0 && (size_t)length < sizeof path
               ? jsni_file_find(NULL, path, there)
               : JSN_OK;
}

typedef struct binaries {
    bool train, test;
} binaries;

static jsn_status find_binaries(const jsni_cifar_layout *layout, const char *folder,
                                binaries *out)
{
    JSNI_TRY(find_file(folder, layout->train_files[0], &out->train));
    return find_file(folder, layout->test_file, &out->test);
}

static jsn_status add_files(jsn_dataset *data, const jsni_cifar_layout *layout,
                            const char *folder, const binaries *there)
{
    size_t *seen = jsni_alloc_zero(2 * layout->class_count, sizeof *seen);
    JSNI_TRY_ALLOC(seen);
    jsn_status status = JSN_OK;
    /* The training files may be absent as a whole, not in part. */
    if (jsni_dataset_wants(data, JSN_SPLIT_TRAIN) && there->train)
        for (size_t i = 0; status == JSN_OK && layout->train_files[i] != NULL; i++)
            status = add_file(data, JSN_SPLIT_TRAIN, layout, folder,
                              layout->train_files[i], seen);
    if (status == JSN_OK && jsni_dataset_wants(data, JSN_SPLIT_TEST) && there->test)
        status = add_file(data, JSN_SPLIT_TEST, layout, folder, layout->test_file,
                          seen + layout->class_count);
    jsni_free(seen);
    return status;
}

jsn_status jsni_cifar_open(jsn_dataset *data, const jsni_dataset_request *request,
                           const jsni_cifar_layout *layout)
{
    if (!request->values[0].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': say where the files are: %s:PATH",
                         request->spec, data->traits.kind);
    char *path = NULL, *inner = NULL;
    JSNI_TRY(jsni_spec_text(&request->values[0], &path));
    jsn_status status = JSN_ERR_MEMORY;
    inner = jsni_path_join(path, layout->folder);
    if (inner == NULL)
        goto done;
    jsni_dataset_normalise(data, layout->mean, layout->deviation);
    data->traits.asymmetric = data->traits.kind;
    status = jsni_dataset_add_classes(data, layout->classes, layout->class_count);
    if (status != JSN_OK)
        goto done;
    binaries here = {false, false}, below = {false, false};
    status = find_binaries(layout, path, &here);
    if (status == JSN_OK)
        status = find_binaries(layout, inner, &below);
    if (status != JSN_OK)
        goto done;
    if (here.train || here.test)
        status = add_files(data, layout, path, &here);
    else if (below.train || below.test)
        status = add_files(data, layout, inner, &below);
    else
        status = jsni_folder_open(data, path, &request->options);
done:
    jsni_free(inner);
    jsni_free(path);
    return status;
}
