/* weights/weight_file.c - see weight_file.h. */
#include "weights/weight_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/file_start.h"
#include "core/hd.h"
#include "core/limit.h"
#include "core/text.h"
#include "data/archive.h"
#include "format/compressed.h"
#include "format/pytorch.h"
#include "weights/weight_names.h"

/* Looks for the one file of weights in an archive. */
typedef struct search {
    const char *path;
    jsni_safetensors *found; /* of the first one */
    jsni_text names;
    char list[300]; /* of all of them; `names` is in it */
    size_t count;
} search;

static bool is_weights(void *user, const char *name)
{
    static const char *const ends[] = {".safetensors", ".pth", ".pt"};
    search *s = user;
    const size_t length = strlen(name);
    for (size_t i = 0; i < JSNI_COUNT_OF(ends); i++) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcasecmp(name + length - end, ends[i]) == 0) {
            jsni_text_item(&s->names, name);
            return s->count++ == 0;
        }
    }
    return false;
}

static jsn_status parse(jsni_safetensors **out, const char *name, const uint8_t *bytes,
                        size_t length)
{
    return jsni_pytorch_is(bytes, length)
               ? jsni_pytorch_parse(out, name, bytes, length)
               : jsni_safetensors_parse(out, name, bytes, length);
}

static jsn_status take_member(void *user, const char *name, const uint8_t *bytes,
                              size_t length)
{
    search *s = user;
    jsni_text text = {0};
    char *where = NULL;
    jsni_text_format(&text, "%s: %s", s->path, name);
    JSNI_TRY(jsni_text_take(&text, &where));
    const jsn_status status = parse(&s->found, where, bytes, length);
    jsni_free(where);
    return status;
}

static jsn_status open_archive(jsni_safetensors **out, const char *path)
{
    search s = {.path = path};
    s.names = jsni_text_in(s.list, sizeof s.list);
    const jsni_archive_visitor visitor = {&s,   NULL,        is_weights,
                                          NULL, take_member, NULL};
    jsn_status status = jsni_archive_walk(path, &visitor);
    if (status == JSN_OK && s.count == 0)
        status =
            jsni_fail(JSN_ERR_DATA,
                      "%s: an archive without weights (.safetensors, .pth, .pt)", path);
    if (status == JSN_OK && s.count > 1)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: an archive with %zu files of weights; unpack the one "
                           "that is wanted: %s",
                           path, s.count, s.list);
    if (status != JSN_OK) {
        jsni_safetensors_close(s.found);
        return status;
    }
    *out = s.found;
    return JSN_OK;
}

static jsn_status open_pytorch(jsni_safetensors **out, const char *path)
{
    char *bytes = NULL;
    size_t length = 0;
    bool zip = false;
    JSNI_TRY(jsni_limit_holes(NULL, path));
    JSNI_TRY(jsni_file_read(path, JSN_ARRAY_MAX_BYTES, &bytes, &length));
    const uint8_t *data = (const uint8_t *)bytes;
    jsn_status status = jsni_pytorch_is_other_zip(path, data, length, &zip);
    if (status == JSN_OK && !zip)
        status = jsni_pytorch_parse(out, path, data, length);
    jsni_free(bytes);
    return status == JSN_OK && zip ? open_archive(out, path) : status;
}

/* Whether a file begins as a tar archive, or as a compressed file. */
static bool is_tar(const uint8_t *start, size_t length)
{
    return (length >= 263 && memcmp(start + 257, "ustar", 5) == 0) ||
           jsni_compression_of((const char *)start, length) != JSNI_COMPRESSION_NONE;
}

/* Whether a file can be safetensors: eight bytes of length, and JSON. One that is empty or not
 * there is left to who opens it. */
static bool may_be_safetensors(const uint8_t *start, size_t length)
{
    return length == 0 || (length > 8 && start[8] == '{');
}

static jsn_status open_safetensors(jsni_safetensors **out, const char *path,
                                   const uint8_t *start, size_t length)
{
    return may_be_safetensors(start, length)
               ? jsni_safetensors_open_in(out, NULL, path)
               : jsni_fail(JSN_ERR_DATA,
                           "%s: not a safetensors file, or cut short, and neither one "
                           "of PyTorch's torch.save() nor an archive",
                           path);
}

typedef struct renamed {
    const jsni_safetensors *file;
    jsni_safetensor *tensors;
    char (*names)[JSNI_WEIGHT_NAME];
} renamed;

static void copy_elements(void *user, size_t index, void *elements)
{
    const jsni_safetensor *from =
        jsni_safetensors_at(((const renamed *)user)->file, index);
    memcpy(elements, from->data, from->bytes);
}

/* Gives the tensors of a file of others our names; *file becomes another one then. */
static jsn_status use_our_names(jsni_safetensors **file)
{
    const size_t count = jsni_safetensors_count(*file);
    renamed r = {*file, jsni_alloc(count, sizeof *r.tensors),
                 jsni_alloc(count, sizeof *r.names)};
    jsni_safetensors *ours = NULL;
    bool same = true;
    jsn_status status = r.tensors == NULL || r.names == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < count; i++) {
        r.tensors[i] = *jsni_safetensors_at(*file, i);
        if (!jsni_weight_name(*file, i, r.names[i]))
            status = jsni_fail(JSN_ERR_DATA, "%s: a name of more than %d characters",
                               jsni_safetensors_path(*file), JSNI_WEIGHT_NAME - 1);
        else
            same = same && strcmp(r.names[i], r.tensors[i].name) == 0;
        r.tensors[i].name = r.names[i];
    }
    if (status == JSN_OK && !same)
        status = jsni_safetensors_make(&ours, jsni_safetensors_path(*file), r.tensors,
                                       count, copy_elements, &r);
    if (status == JSN_OK && !same) {
        jsni_safetensors_close(*file);
        *file = ours;
    }
    jsni_free(r.tensors);
    jsni_free(r.names);
    return status;
}

/* timm's two kinds of EfficientNet-Lite are told apart by nothing but the name of the file, or
 * of the folder that it was downloaded to. */
static jsn_status check_padding(const jsni_safetensors *file, const char **note)
{
    const char *path = jsni_safetensors_path(file);
    if (!jsni_weight_names_of_timm_lite(file) ||
        strstr(path, "tf_efficientnet_lite") != NULL)
        return JSN_OK;
    if (strstr(path, "efficientnet_lite") != NULL)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: timm's efficientnet_lite pads its images evenly, but the "
                         "network here pads as TensorFlow does, so its answers would "
                         "be wrong; take timm's tf_efficientnet_lite",
                         path);
    *note = "timm's EfficientNet-Lite, and nothing tells how it pads; jensen assumes "
            "TensorFlow's way (timm's tf_efficientnet_lite), and weights without tf_ "
            "would give wrong answers";
    return JSN_OK;
}

jsn_status jsni_weight_file_open(jsni_safetensors **out, const char *folder,
                                 const char *name, const char **note)
{
    const char *assumed = NULL;
    uint8_t start[264] = {0};
    jsni_safetensors *file = NULL;
    *out = NULL;
    if (note != NULL)
        *note = NULL;
    if (folder != NULL)
        return jsni_safetensors_open_in(out, folder, name);
    const size_t length = jsni_file_start(name, start, sizeof start);
    jsn_status status = jsni_pytorch_is(start, length) ? open_pytorch(&file, name)
                        : is_tar(start, length)
                            ? open_archive(&file, name)
                            : open_safetensors(&file, name, start, length);
    if (status == JSN_OK)
        status = check_padding(file, &assumed);
    if (status == JSN_OK)
        status = use_our_names(&file);
    if (status != JSN_OK) {
        jsni_safetensors_close(file);
        return status;
    }
    if (note != NULL)
        *note = assumed;
    *out = file;
    return JSN_OK;
}
