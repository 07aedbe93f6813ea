/* data/dataset_food101n.c - Food-101N (Lee et al. 2018) for training, with Food-101
 * (Bossard et al. 2014) as its clean test set.
 *
 *     DIR/meta/classes.txt      a header, then one class a line
 *     DIR/meta/imagelist.tsv    a header, then "class_name/file.jpg"
 *     DIR/images/class_name/...
 *     TEST/meta/test.txt        "class_name/id", the image being images/class_name/id.jpg
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "data/listing.h"
#include "data/text_lines.h"

enum { FOLDER, TEST };

static const jsn_param_info params[] = {
    {"DIR", "the folder of Food-101N, with meta/ and images/", 0, 0, 0,
     JSN_PARAM_POSITIONAL},
    {"test", "the folder of Food-101, with meta/test.txt and images/", 0, 0, 0,
     JSN_PARAM_TEXT},
    JSNI_DATASET_SPLIT_PARAM,
};

typedef struct reading {
    jsn_dataset *data;
    jsn_split split;
    const char *path;
    const char *ending; /* that the list leaves off */
    bool header;
} reading;

static jsn_status add_class(void *user, size_t number, char *line)
{
    reading *r = user;
    const size_t known = r->data->traits.classes;
    if (number == 1)
        return JSN_OK;
    for (size_t k = 0; k < known; k++)
        if (strcmp(r->data->classes[k], line) == 0)
            return jsni_line_fail(r->path, number, "this class was named before");
    return jsni_dataset_add_class(r->data, line);
}

/* Number of the class in front of the slash, or -1. */
static int32_t find_class(const jsn_dataset *data, const char *line)
{
    const size_t length = strcspn(line, "/");
    for (size_t k = 0; k < data->traits.classes && line[length] == '/'; k++)
        if (strlen(data->classes[k]) == length &&
            memcmp(data->classes[k], line, length) == 0)
            return (int32_t)k;
    return -1;
}

static jsn_status add_line(void *user, size_t number, char *line)
{
    const reading *r = user;
    char name[2 * JSNI_DATASET_MAX_NAME], plain[JSNI_DATASET_MAX_NAME];
    if (number == 1 && r->header)
        return JSN_OK;
    line[strcspn(line, "\t")] = '\0';
    const int32_t label = find_class(r->data, line);
    if (label < 0)
        return jsni_line_fail(r->path, number,
                              "expected class_name/file, of a class "
                              "that classes.txt names");
    if (strlen(line) >= JSNI_DATASET_MAX_NAME)
        return jsni_line_fail(r->path, number, "the path is too long");
    (void)snprintf(name, sizeof name, "images/%s%s", line, r->ending);
    JSNI_TRY(jsni_path_plain(r->path, name, plain));
    return jsni_dataset_add(r->data, r->split, plain, label);
}

static jsn_status read_list(reading *r, const char *root, const char *name,
                            jsni_line_fn *fn)
{
    char *path = jsni_path_join(root, name);
    JSNI_TRY_ALLOC(path);
    r->path = path;
    const jsn_status status = jsni_lines_read(path, fn, r);
    jsni_free(path);
    return status;
}

static jsn_status open_food101n(jsn_dataset *data, const jsni_dataset_request *request)
{
    char *root = NULL, *test = NULL;
    JSNI_TRY(jsni_dataset_take_folder(data, request, &root));
    reading r = {data, JSN_SPLIT_TRAIN, NULL, "", true};
    jsn_status status = jsni_spec_text(&request->values[TEST], &test);
    if (status == JSN_OK)
        status = read_list(&r, root, "meta/classes.txt", add_class);
    if (status == JSN_OK && jsni_dataset_wants(data, JSN_SPLIT_TRAIN))
        status = read_list(&r, root, "meta/imagelist.tsv", add_line);
    if (status == JSN_OK)
        status = jsni_dataset_set_root(data, JSN_SPLIT_TRAIN, root);
    if (status == JSN_OK && test != NULL && jsni_dataset_wants(data, JSN_SPLIT_TEST)) {
        r = (reading){data, JSN_SPLIT_TEST, NULL, ".jpg", false};
        status = read_list(&r, test, "meta/test.txt", add_line);
        if (status == JSN_OK)
            status = jsni_dataset_set_root(data, JSN_SPLIT_TEST, test);
    }
    jsni_free(test);
    jsni_free(root);
    return status;
}

const jsni_dataset_def jsni_dataset_food101n = {
    {"food101n", "Food-101N, tested on Food-101 (test=DIR)", params,
     sizeof params / sizeof params[0]},
    open_food101n,
};
