/* data/dataset_wds.c - WebDataset: tar shards in which files of one sample share a key.
 *
 *     0001.jpg 0001.cls 0002.jpg 0002.cls ...
 *
 * The key is the member's path up to the first dot of its last part. The image is the file
 * with an image's ending; the label is a whole number in .cls (or .cls.txt, .label), or
 * "label" in .json. wds:GLOB takes shards in sorted order; "train-{000..004}.tar" counts.
 * Samples are named shard/key.
 */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/number.h"
#include "data/pack.h"
#include "data/text_lines.h"
#include "jensen/option.h"

enum { GLOB, TEST };

static const jsn_param_info params[] = {
    {"GLOB", "training shards: a pattern with * or {000..010}", 0, 0, 0,
     JSN_PARAM_POSITIONAL},
    {"test", "test shards, likewise", 0, 0, 0, JSN_PARAM_TEXT},
    JSNI_DATASET_SPLIT_PARAM,
};

/* A sample that is being put together. */
typedef struct sample {
    const char *key;
    size_t length; /* of the key */
    const char *image_name;
    jsni_blob image;
    int64_t label; /* -1: none yet */
} sample;

typedef struct split_rows {
    jsni_listing names;
    int32_t *labels;
    jsni_blob *blobs;
    size_t count, room;
} split_rows;

static size_t key_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    return (size_t)(base - name) + strcspn(base, ".");
}

static jsn_status read_json_label(const char *name, jsni_blob blob, int64_t *label)
{
    jsni_json *doc = NULL;
    JSNI_TRY(jsni_json_parse(&doc, name, (const char *)blob.bytes, blob.length));
    double value = -1.0;
    jsn_status status = JSN_OK;
    if (jsni_json_get(doc, "label") != NULL) {
        status = jsni_json_get_real(doc, "label", &value);
        if (status == JSN_OK && (value != (double)(int64_t)value))
            status =
                jsni_fail(JSN_ERR_DATA, "%s: the label is not a whole number", name);
        *label = (int64_t)value;
    }
    jsni_json_destroy(doc);
    return status;
}

static jsn_status take_member(const char *shard, const char *name, jsni_blob blob,
                              sample *s)
{
    const char *ending = name + key_length(name);
    if (jsni_is_image_name(name)) {
        if (s->image_name != NULL)
            return jsni_fail(JSN_ERR_DATA, "%s: %s is a second image of its sample",
                             shard, name);
        s->image_name = name;
        s->image = blob;
    } else if (strcmp(ending, ".cls") == 0 || strcmp(ending, ".cls.txt") == 0 ||
               strcmp(ending, ".label") == 0) {
        size_t length = blob.length;
        while (length > 0 && strchr(" \r\n\t", blob.bytes[length - 1]) != NULL)
            length--;
        if (length > 20 ||
            !jsni_number_int((const char *)blob.bytes, length, &s->label) ||
            s->label < 0)
            return jsni_fail(JSN_ERR_DATA, "%s: %s is not a class number", shard, name);
    } else if (strcmp(ending, ".json") == 0) {
        JSNI_TRY(read_json_label(name, blob, &s->label));
    }
    return JSN_OK;
}

static jsn_status finish_sample(const char *shard, const sample *s, split_rows *rows)
{
    if (s->image_name == NULL)
        return JSN_OK; /* files about the shard, not about an image */
    if (s->label < 0 || s->label >= JSNI_DATASET_MAX_CLASSES)
        return jsni_fail(JSN_ERR_DATA, "%s: %s has no label in a .cls or .json file",
                         shard, s->image_name);
    if (rows->count == rows->room) {
        const size_t room = rows->room == 0 ? 256 : 2 * rows->room;
        int32_t *labels = jsni_realloc(rows->labels, room, sizeof *labels);
        JSNI_TRY_ALLOC(labels);
        rows->labels = labels;
        jsni_blob *blobs = jsni_realloc(rows->blobs, room, sizeof *blobs);
        JSNI_TRY_ALLOC(blobs);
        rows->blobs = blobs;
        rows->room = room;
    }
    const char *slash = strrchr(shard, '/');
    char name[2 * JSNI_DATASET_MAX_NAME];
    const int length = snprintf(name, sizeof name, "%.1000s/%s",
                                slash != NULL ? slash + 1 : shard, s->image_name);
    if (length < 0 || length >= JSNI_DATASET_MAX_NAME)
        return jsni_fail(JSN_ERR_DATA, "%s: a member's name is too long", shard);
    JSNI_TRY(jsni_listing_add(&rows->names, name));
    rows->labels[rows->count] = (int32_t)s->label;
    rows->blobs[rows->count++] = s->image;
    return JSN_OK;
}

/* The pack's files are sorted, so those of one key follow one another. */
static jsn_status add_shard(jsn_dataset *data, const char *shard, split_rows *rows,
                            const jsn_dataset_options *options)
{
    jsni_pack *pack = NULL;
    JSNI_TRY(jsni_dataset_add_pack(data, &pack));
    JSNI_TRY(jsni_pack_open(pack, shard, JSNI_PACK_FILES, options));
    sample s = {"", 0, NULL, {NULL, 0}, -1};
    for (size_t i = 0; i < pack->files.count; i++) {
        const char *name = jsni_listing_name(&pack->files, i);
        const size_t length = key_length(name);
        if (length != s.length || memcmp(name, s.key, length) != 0) {
            JSNI_TRY(finish_sample(shard, &s, rows));
            s = (sample){name, length, NULL, {NULL, 0}, -1};
        }
        const jsni_piece piece = pack->pieces[i];
        JSNI_TRY(take_member(
            shard, name, (jsni_blob){pack->bytes + piece.offset, piece.length}, &s));
    }
    return finish_sample(shard, &s, rows);
}

/* "{007..010}" in a pattern becomes four patterns; the digits say the width. */
static jsn_status expand(const char *pattern, jsn_texts *out)
{
    const char *open = strchr(pattern, '{');
    const char *dots = open == NULL ? NULL : strstr(open, "..");
    const char *close = open == NULL ? NULL : strchr(open, '}');
    int64_t first = 0, last = 0;
    if (open == NULL || dots == NULL || close == NULL)
        return jsni_path_glob(pattern, out);
    if (close < dots || !jsni_number_int(open + 1, (size_t)(dots - open) - 1, &first) ||
        !jsni_number_int(dots + 2, (size_t)(close - dots) - 2, &last) || first < 0 ||
        last < first || last - first > 100000)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "'%s': expected {first..last} in the pattern", pattern);
    for (int64_t i = first; i <= last; i++) {
        char path[JSNI_DATASET_MAX_NAME];
        const int length =
            snprintf(path, sizeof path, "%.*s%0*lld%s", (int)(open - pattern), pattern,
                     (int)(dots - open) - 1, (long long)i, close + 1);
        if (length < 0 || (size_t)length >= sizeof path)
            return jsni_fail(JSN_ERR_ARGUMENT, "'%s': the pattern is too long",
                             pattern);
        JSNI_TRY(jsn_texts_add(out, path));
    }
    return JSN_OK;
}

static jsn_status read_shards(jsn_dataset *data, const jsni_spec_value *value,
                              split_rows *rows, const jsn_dataset_options *options)
{
    char *pattern = NULL;
    jsn_texts shards = {0};
    if (!value->given)
        return JSN_OK;
    jsn_status status = jsni_spec_text(value, &pattern);
    if (status == JSN_OK)
        status = expand(pattern, &shards);
    if (status == JSN_OK && shards.count == 0)
        status = jsni_fail(JSN_ERR_DATA, "%s: no file has such a name", pattern);
    for (size_t i = 0; status == JSN_OK && i < shards.count; i++)
        status = add_shard(data, shards.items[i], rows, options);
    jsn_texts_release(&shards);
    jsni_free(pattern);
    return status;
}

/* Classes come first: their number is the largest label of all splits. */
static jsn_status move_rows(jsn_dataset *data, split_rows rows[JSN_SPLITS])
{
    size_t classes = 0;
    for (int s = 0; s < JSN_SPLITS; s++)
        for (size_t i = 0; i < rows[s].count; i++)
            if ((size_t)rows[s].labels[i] >= classes)
                classes = (size_t)rows[s].labels[i] + 1;
    JSNI_TRY(jsni_dataset_number_classes(data, classes));
    for (int s = 0; s < JSN_SPLITS; s++) {
        for (size_t i = 0; i < rows[s].count; i++)
            JSNI_TRY(jsni_dataset_add(data, (jsn_split)s,
                                      jsni_listing_name(&rows[s].names, i),
                                      rows[s].labels[i]));
        data->splits[s].blobs = rows[s].blobs;
        rows[s].blobs = NULL;
    }
    return JSN_OK;
}

static jsn_status open_wds(jsn_dataset *data, const jsni_dataset_request *request)
{
    split_rows rows[JSN_SPLITS] = {{{0}, NULL, NULL, 0, 0}};
    if (!request->values[GLOB].given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': say which shards: wds:GLOB",
                         request->spec);
    jsn_status status = read_shards(data, &request->values[GLOB],
                                    &rows[JSN_SPLIT_TRAIN], &request->options);
    if (status == JSN_OK)
        status = read_shards(data, &request->values[TEST], &rows[JSN_SPLIT_TEST],
                             &request->options);
    if (status == JSN_OK)
        status = move_rows(data, rows);
    for (int s = 0; s < JSN_SPLITS; s++) {
        jsni_listing_release(&rows[s].names);
        jsni_free(rows[s].labels);
        jsni_free(rows[s].blobs);
    }
    return status;
}

const jsni_dataset_def jsni_dataset_wds = {
    {"wds", "WebDataset: tar shards with key.jpg, key.cls", params,
     sizeof params / sizeof params[0]},
    open_wds,
};
