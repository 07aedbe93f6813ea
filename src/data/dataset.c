/* data/dataset.c - the table of data sets, opening one, and reading its samples. Knows no
 * data set by name but "folder", which a plain path means. */
#define _POSIX_C_SOURCE 200809L
#include "jensen/dataset.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/hd.h"
#include "core/image_part.h"
#include "core/limit.h"
#include "core/machine.h"
#include "core/names.h"
#include "core/text.h"
#include "data/class_alike.h"
#include "data/dataset_impl.h"
#include "data/dataset_part.h"
#include "data/image_decoder.h"
#include "data/pack.h"

#define TABLE_ENTRY(id) &jsni_dataset_##id,
static const jsni_dataset_def *const table[] = {JSNI_DATASET_LIST(TABLE_ENTRY)};
#undef TABLE_ENTRY

static const char *const split_names[JSN_SPLITS] = {"train", "val", "test"};
static const float imagenet_mean[3] = {0.485f, 0.456f, 0.406f};
static const float imagenet_deviation[3] = {0.229f, 0.224f, 0.225f};

jsn_entry jsni_dataset_entry(size_t index)
{
    return index < JSNI_COUNT_OF(table) ? table[index]->info : (jsn_entry){0};
}

const char *jsn_split_name(jsn_split split)
{
    return (unsigned)split < JSN_SPLITS ? split_names[split] : "?";
}

void jsn_dataset_options_init(jsn_dataset_options *options)
{
    if (options == NULL)
        return;
    *options = (jsn_dataset_options){0};
}

/* The entry that `spec` names. When none does, a path that exists means "folder": then
 * *path is that spec, owned by the caller. */
static jsn_status find_def(const char *spec, const jsni_dataset_def **out, char **path)
{
    *path = NULL;
    const jsni_dataset_def *folder = NULL;
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++) {
        if (jsni_spec_names(spec, table[i]->info.name)) {
            *out = table[i];
            return JSN_OK;
        }
        if (strcmp(table[i]->info.name, "folder") == 0)
            folder = table[i];
    }
    const char *option = strstr(spec, ",split=");
    char *plain =
        jsni_text_copy_n(spec, option != NULL ? (size_t)(option - spec) : strlen(spec));
    JSNI_TRY_ALLOC(plain);
    bool file = false, exists = false;
    jsn_status looked = jsni_file_find(NULL, plain, &file);
    if (looked == JSN_OK)
        looked = jsni_folder_find(NULL, plain, &exists);
    jsni_free(plain);
    JSNI_TRY(looked);
    exists = exists || file;
    jsni_text text = {0};
    if (exists && folder != NULL) {
        jsni_text_format(&text, "folder:%s", spec);
        *out = folder;
        return jsni_text_take(&text, path);
    }
    jsni_names names;
    jsni_names_begin(&names, spec, NULL);
    for (size_t i = 0; i < JSNI_COUNT_OF(table); i++)
        jsni_names_add(&names, table[i]->info.name);
    /* A plain path is data that is not there; a word before a colon is a name. */
    return jsni_names_fail(&names,
                           spec[0] != '\0' && strchr(spec, ':') == NULL
                               ? JSN_ERR_DATA
                               : JSN_ERR_UNKNOWN_NAME,
                           "'%s' is not a file or folder, and not a data set", spec);
}

static jsn_status take_wanted(jsn_dataset *data, const jsni_dataset_def *def,
                              const jsni_spec_value *values)
{
    data->wanted = -1;
    for (size_t i = 0; i < def->info.param_count; i++) {
        if (strcmp(def->info.params[i].name, "split") != 0 || !values[i].given)
            continue;
        for (int s = 0; s < JSN_SPLITS; s++)
            if (strlen(split_names[s]) == values[i].length &&
                memcmp(split_names[s], values[i].text, values[i].length) == 0)
                data->wanted = s;
        if (data->wanted < 0)
            return jsni_fail(JSN_ERR_UNKNOWN_NAME,
                             "'%s': no split '%.*s' (there are: train, val, test)",
                             data->spec, (int)values[i].length, values[i].text);
    }
    return JSN_OK;
}

/* Checks what the entry built, and adds what images on disk need. */
static jsn_status complete(jsn_dataset *data)
{
    size_t samples = 0;
    for (int s = 0; s < JSN_SPLITS; s++) {
        jsni_split *split = &data->splits[s];
        if (!jsni_dataset_wants(data, (jsn_split)s))
            jsni_split_release(split);
        if (samples == 0 && split->samples > 0)
            data->traits.main_split = (jsn_split)s;
        samples += split->samples;
        if (split->samples > 0 && split->pixels == NULL) {
            split->whole = jsni_alloc_zero(split->samples, sizeof *split->whole);
            JSNI_TRY_ALLOC(split->whole);
            split->kept = jsni_alloc_zero(split->samples, sizeof *split->kept);
            JSNI_TRY_ALLOC(split->kept);
        }
    }
    if (samples == 0 && data->wanted >= 0)
        return jsni_fail(JSN_ERR_DATA, "'%s': there is no %s split, or it is empty",
                         data->spec, split_names[data->wanted]);
    if (samples == 0)
        return jsni_fail(JSN_ERR_DATA, "'%s': there are no samples", data->spec);
    return JSN_OK;
}

size_t jsni_dataset_memory(void)
{
    jsni_machine machine;
    jsni_machine_probe(&machine);
    const uint64_t room = machine.memory_available != 0 ? machine.memory_available / 4
                                                        : (uint64_t)1 << 30;
    const uint64_t most = jsni_limit(JSNI_LIMIT_KEPT);
    return (size_t)(room < most ? room : most);
}

size_t jsni_dataset_memory_left(const jsn_dataset *data)
{
    return atomic_load(&data->memory_left);
}

jsn_status jsn_dataset_open(jsn_dataset **out, const char *spec,
                            const jsn_dataset_options *options)
{
    if (out == NULL || spec == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "dataset: need a result and a spec");
    *out = NULL;
    const jsni_dataset_def *def = NULL;
    char *path = NULL;
    JSNI_TRY(find_def(spec, &def, &path));

    jsni_spec_value values[JSNI_DATASET_MAX_PARAMS];
    jsni_dataset_request request = {path != NULL ? path : spec, values, {0}};
    jsn_status status = JSN_ERR_MEMORY;
    jsn_dataset *data = jsni_alloc_zero(1, sizeof *data);
    if (data == NULL)
        goto done;
    data->spec = jsni_text_copy(spec);
    if (data->spec == NULL)
        goto done;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    data->opened = (int64_t)now.tv_sec;
    data->opened_part = (int64_t)now.tv_nsec;
    data->traits.kind = def->info.name;
    data->traits.spec = data->spec;
    jsni_dataset_normalise(data, imagenet_mean, imagenet_deviation);
    if (options != NULL)
        request.options = *options;
    if (request.options.memory == 0)
        request.options.memory = jsni_dataset_memory();
    if (request.options.memory > jsni_limit(JSNI_LIMIT_KEPT))
        request.options.memory = (size_t)jsni_limit(JSNI_LIMIT_KEPT);
    atomic_init(&data->memory_left, request.options.once ? 0 : request.options.memory);
    status = jsni_decoder_pool_create(&data->decoders);
    if (status == JSN_OK)
        status = jsni_spec_values(request.spec, def->info.params, def->info.param_count,
                                  values);
    if (status == JSN_OK)
        status = take_wanted(data, def, values);
    if (status == JSN_OK)
        status = def->open(data, &request);
    if (status == JSN_OK)
        status = complete(data);
done:
    jsni_free(path);
    if (status == JSN_OK) {
        jsni_class_tell_alike(data, request.options.logger);
        *out = data;
    } else {
        jsn_dataset_close(data);
    }
    return status;
}

void jsn_dataset_close(jsn_dataset *data)
{
    if (data == NULL)
        return;
    for (int s = 0; s < JSN_SPLITS; s++)
        jsni_split_release(&data->splits[s]);
    for (size_t i = 0; i < data->traits.classes; i++)
        jsni_free(data->classes[i]);
    jsni_free(data->classes);
    jsni_free(data->names);
    for (size_t i = 0; i < data->pack_count; i++)
        jsni_pack_release(&data->packs[i]);
    jsni_free(data->packs);
    jsni_decoder_pool_destroy(data->decoders);
    jsni_free(data->spec);
    jsni_free(data);
}

const jsn_dataset_traits *jsn_dataset_about(const jsn_dataset *data)
{
    return data == NULL ? NULL : &data->traits;
}

const char *jsn_dataset_class(const jsn_dataset *data, size_t label)
{
    if (data == NULL)
        return NULL;
    return label < data->traits.classes ? data->classes[label] : NULL;
}

static const jsni_split *split_of(const jsn_dataset *data, jsn_split split)
{
    static const jsni_split none;
    return data != NULL && (unsigned)split < JSN_SPLITS ? &data->splits[split] : &none;
}

size_t jsn_dataset_samples(const jsn_dataset *data, jsn_split split)
{
    return split_of(data, split)->samples;
}

const int32_t *jsn_dataset_labels(const jsn_dataset *data, jsn_split split)
{
    return split_of(data, split)->labels;
}

int32_t jsn_dataset_label(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = split_of(data, split);
    return index < s->samples ? s->labels[index] : -1;
}

const float *jsn_dataset_soft_labels(const jsn_dataset *data, jsn_split split)
{
    return split_of(data, split)->soft;
}

const char *jsn_dataset_path(const jsn_dataset *data, jsn_split split, size_t index)
{
    const jsni_split *s = split_of(data, split);
    return index < s->samples ? data->names + s->names[index] : NULL;
}

const uint8_t *jsni_dataset_pixels(const jsn_dataset *data, jsn_split split)
{
    return split_of(data, split)->pixels;
}

/* A request for a sample: `fn` NULL for all of it. */
typedef struct request {
    const jsni_split *split;
    size_t index;
    const char *name;
    jsni_image_want_fn *fn;
    void *user;
    jsni_image_part *part;
} request;

static jsn_status ask(const request *r, size_t width, size_t height,
                      jsni_image_want *want)
{
    if (r->fn != NULL)
        return jsni_image_ask(r->fn, r->user, r->name, width, height, want);
    *want = (jsni_image_want){0, 0, width, height, 1};
    return JSN_OK;
}

/* All of an image that is not known to be whole, so that a broken one is found whatever
 * part is wanted; and of one that will be kept. */
static jsn_status decode_with(const jsn_dataset *data, jsni_image_decoder *decoder,
                              const request *r, const jsni_image_input *input)
{
    if (r->fn == NULL) {
        jsn_image *all = &r->part->image;
        JSNI_TRY(jsni_image_decoder_run(decoder, input, all));
        *r->part = (jsni_image_part){*all, all->width, all->height, 0, 0, 1};
        return JSN_OK;
    }
    size_t width = 0, height = 0;
    jsni_image_want want;
    JSNI_TRY(jsni_image_decoder_measure(decoder, input, &width, &height));
    JSNI_TRY(ask(r, width, height, &want));
    if (atomic_load(&r->split->whole[r->index]) == 0 ||
        jsni_kept_fits(&data->memory_left, width, height, want.divisor))
        want = (jsni_image_want){0, 0, width, height, want.divisor};
    return jsni_image_decoder_run_part(decoder, input, &want, r->part);
}

/* Whether the request got all of its image, of whatever grain. */
static bool is_whole(const jsni_image_part *part)
{
    const unsigned d = part->divisor;
    return part->image.width == (part->width + d - 1) / d &&
           part->image.height == (part->height + d - 1) / d;
}

static jsn_status decode(const jsn_dataset *data, const request *r,
                         const jsni_image_input *input)
{
    jsni_image_decoder *decoder = NULL;
    JSNI_TRY(jsni_decoder_pool_take(data->decoders, &decoder));
    const jsn_status status = decode_with(data, decoder, r, input);
    jsni_decoder_pool_give(data->decoders, decoder);
    JSNI_TRY(status);
    atomic_store(&r->split->whole[r->index], 1);
    /* The kept copies are a cache behind a handle that is read-only to its users. */
    if (is_whole(r->part))
        jsni_kept_add(&r->split->kept[r->index],
                      &((jsn_dataset *)(uintptr_t)data)->memory_left, r->part,
                      jsni_image_divides(input));
    return JSN_OK;
}

static jsn_status read_file(const jsn_dataset *data, const request *r)
{
    char *path = jsni_path_join(r->split->root, r->name);
    JSNI_TRY_ALLOC(path);
    char *bytes = NULL;
    size_t length = 0;
    jsn_status status = jsni_limit_read(JSNI_LIMIT_MEMBER, NULL, path, &bytes, &length);
    if (status == JSN_OK)
        status =
            decode(data, r, &(jsni_image_input){(const uint8_t *)bytes, length, path});
    jsni_free(bytes);
    jsni_free(path);
    return status;
}

static jsn_status read_blob(const jsn_dataset *data, const request *r)
{
    const jsni_blob blob = r->split->blobs[r->index];
    if (blob.length == 0)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: the file is empty, or a link to what is not in the "
                         "archive",
                         r->name);
    return decode(data, r, &(jsni_image_input){blob.bytes, blob.length, r->name});
}

static jsn_status read_encoded(const jsn_dataset *data, const request *r)
{
    const jsni_kept_list *list = &r->split->kept[r->index];
    size_t width = 0, height = 0;
    if (jsni_kept_measure(list, &width, &height)) {
        jsni_image_want want;
        JSNI_TRY(ask(r, width, height, &want));
        const jsni_kept_image *kept = jsni_kept_find(list, want.divisor);
        if (kept != NULL)
            return jsni_kept_copy(kept, &want, r->name, r->part);
    }
    return r->split->blobs != NULL ? read_blob(data, r) : read_file(data, r);
}

jsn_status jsni_dataset_image_part(const jsn_dataset *data, jsn_split split,
                                   size_t index, jsni_image_want_fn *fn, void *user,
                                   jsni_image_part *part)
{
    JSNI_NEED(data);
    JSNI_NEED(part);
    const jsni_split *s = split_of(data, split);
    if (index >= s->samples)
        return jsni_fail(JSN_ERR_RANGE, "'%s': no sample %zu in the %s split of %zu",
                         data->spec, index, jsn_split_name(split), s->samples);
    const request r = {s, index, data->names + s->names[index], fn, user, part};
    if (s->pixels == NULL)
        return read_encoded(data, &r);
    const size_t width = data->traits.width, height = data->traits.height;
    jsni_image_want want;
    JSNI_TRY(ask(&r, width, height, &want));
    /* Borrowed: only read from. */
    uint8_t *pixels =
        (uint8_t *)(uintptr_t)s->pixels + index * width * height * JSN_IMAGE_CHANNELS;
    return jsni_part_copy(
        &(jsni_image_part){{pixels, width, height}, width, height, 0, 0, 1}, &want,
        r.name, part);
}

jsn_status jsn_dataset_image(const jsn_dataset *data, jsn_split split, size_t index,
                             jsn_image *image)
{
    JSNI_NEED(data);
    JSNI_NEED(image);
    jsni_image_part part = {.image = *image};
    const jsn_status status =
        jsni_dataset_image_part(data, split, index, NULL, NULL, &part);
    *image = part.image;
    return status;
}
