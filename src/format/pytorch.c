/* format/pytorch.c - see pytorch.h. The present form is a zip archive:
 *
 *     NAME/data.pkl      the pickle; tensors refer to storages by their key
 *     NAME/data/KEY      the elements of a storage
 *     NAME/byteorder     "little" or "big"; not in older files
 *
 * The form before is five pickles, of a mark, a version, the machine, the value and the
 * list of keys; behind them each storage's number of elements (8 bytes) and elements.
 */
#include "format/pytorch.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/limit.h"
#include "format/dtype.h"
#include "format/pytorch_impl.h"
#include "format/zip.h"

static const jsni_pickle_global globals[] = {
    {"collections", "OrderedDict", JSNI_PYTORCH_ORDERED_DICT},
    {"torch._utils", "_rebuild_tensor", JSNI_PYTORCH_TENSOR},
    {"torch._utils", "_rebuild_tensor_v2", JSNI_PYTORCH_TENSOR},
    {"torch._utils", "_rebuild_parameter", JSNI_PYTORCH_PARAMETER},
    {"torch", "Size", JSNI_PYTORCH_SIZE},
    {"torch", "DoubleStorage", JSN_DTYPE_FLOAT64},
    {"torch", "FloatStorage", JSN_DTYPE_FLOAT32},
    {"torch", "HalfStorage", JSN_DTYPE_FLOAT16},
    {"torch", "BFloat16Storage", JSN_DTYPE_BFLOAT16},
    {"torch", "LongStorage", JSN_DTYPE_INT64},
    {"torch", "IntStorage", JSN_DTYPE_INT32},
    {"torch", "ShortStorage", JSN_DTYPE_INT16},
    {"torch", "CharStorage", JSN_DTYPE_INT8},
    {"torch", "ByteStorage", JSN_DTYPE_UINT8},
    {"torch", "BoolStorage", JSN_DTYPE_BOOL},
};

static const char pickle_name[] = "data.pkl";

static int compare_keys(const void *a, const void *b)
{
    const jsni_storage *x = a, *y = b;
    const size_t both = x->key_length < y->key_length ? x->key_length : y->key_length;
    const int order = memcmp(x->key, y->key, both);
    return order != 0
               ? order
               : (x->key_length > y->key_length) - (x->key_length < y->key_length);
}

jsni_storage *jsni_storage_find(const jsni_storages *storages, const char *key,
                                size_t length)
{
    const jsni_storage wanted = {.key = key, .key_length = length};
    return storages->count == 0 ? NULL
                                : bsearch(&wanted, storages->list, storages->count,
                                          sizeof wanted, compare_keys);
}

/* ("storage", class, key, place, elements[, None]) */
jsn_status jsni_storage_read(const char *name, const jsni_pickle_value *persistent,
                             jsni_storage *out)
{
    const jsni_pickle_value *id = persistent->as.call.arguments;
    const bool tuple = id->kind == JSNI_PICKLE_LIST && id->count >= 5 &&
                       jsni_pickle_is(id->items[0], "storage") &&
                       id->items[1]->kind == JSNI_PICKLE_GLOBAL &&
                       id->items[1]->as.call.global->code < JSN_DTYPE_COUNT &&
                       id->items[2]->kind == JSNI_PICKLE_TEXT &&
                       id->items[4]->kind == JSNI_PICKLE_INT;
    if (!tuple)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: refers to something else than a storage of PyTorch",
                         name);
    if (id->count > 5 && id->items[5]->kind != JSNI_PICKLE_NONE)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: a storage that is part of another one is not read", name);
    *out = (jsni_storage){.key = id->items[2]->as.text.data,
                          .key_length = id->items[2]->as.text.length,
                          .dtype = (jsn_dtype)id->items[1]->as.call.global->code};
    const int64_t count = id->items[4]->as.integer;
    if (count < 0 ||
        (uint64_t)count > JSN_ARRAY_MAX_BYTES / jsni_dtype_size(out->dtype))
        return jsni_fail(JSN_ERR_DATA, "%s: storage '%.*s': too many elements", name,
                         (int)(out->key_length < 40 ? out->key_length : 40), out->key);
    out->count = (size_t)count;
    return JSN_OK;
}

static jsn_status storage_fail(const char *name, const jsni_storage *s,
                               const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: storage '%.*s': %s", name,
                     (int)(s->key_length < 40 ? s->key_length : 40), s->key, what);
}

/* All storages that the pickle refers to, each once. */
static jsn_status list_storages(const char *name, const jsni_pickle *pickle,
                                jsni_storages *out)
{
    const size_t count = jsni_pickle_persistents(pickle);
    out->list = jsni_alloc_zero(count, sizeof *out->list);
    JSNI_TRY_ALLOC(out->list);
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(
            jsni_storage_read(name, jsni_pickle_persistent(pickle, i), &out->list[i]));
    qsort(out->list, count, sizeof *out->list, compare_keys);
    for (size_t i = 0; i < count; i++) {
        const jsni_storage *now = &out->list[i];
        const jsni_storage *last = out->count > 0 ? &out->list[out->count - 1] : NULL;
        if (last == NULL || compare_keys(last, now) != 0)
            out->list[out->count++] = *now;
        else if (last->dtype != now->dtype || last->count != now->count)
            return storage_fail(name, now, "has two types or sizes");
    }
    return JSN_OK;
}

/* Opens the pickle at `at`, which is moved behind it. */
static jsn_status open_pickle(jsni_pickle **out, const char *name, const uint8_t *data,
                              size_t length, size_t *at)
{
    const uint64_t most = jsni_limit(JSNI_LIMIT_JSON);
    const size_t left = length - *at;
    size_t used = 0;
    JSNI_TRY(jsni_pickle_open(out, name, data + *at, left < most ? left : (size_t)most,
                              globals, JSNI_COUNT_OF(globals), &used));
    *at += used;
    return JSN_OK;
}

/* The member "NAME/data.pkl", or NULL. */
static const jsni_zip_member *find_pickle(const jsni_zip *zip)
{
    const size_t length = sizeof pickle_name - 1;
    for (size_t i = 0; i < zip->count; i++) {
        const jsni_zip_member *m = &zip->members[i];
        const size_t before = m->name_length - length;
        if (m->name_length > length && m->name[before - 1] == '/' &&
            memchr(m->name, '/', before - 1) == NULL &&
            memcmp(m->name + before, pickle_name, length) == 0)
            return m;
    }
    return NULL;
}

/* The member beside the pickle whose name is `folder` and `key`; NULL: there is none, or
 * it is compressed. */
static const jsni_zip_member *beside(const jsni_zip *zip, const jsni_zip_member *pickle,
                                     const char *folder, const char *key, size_t length)
{
    char name[400];
    const size_t before = pickle->name_length - (sizeof pickle_name - 1);
    const size_t middle = strlen(folder);
    if (before + middle + length > sizeof name)
        return NULL;
    memcpy(name, pickle->name, before);
    memcpy(name + before, folder, middle);
    memcpy(name + before + middle, key, length);
    const jsni_zip_member *found = jsni_zip_find(zip, name, before + middle + length);
    return found == NULL || found->data == NULL ? NULL : found;
}

static jsn_status find_in_zip(const char *name, const jsni_zip *zip,
                              const jsni_zip_member *pickle, jsni_storages *storages)
{
    const jsni_zip_member *order = beside(zip, pickle, "byteorder", "", 0);
    if (order != NULL && (order->length != 6 || memcmp(order->data, "little", 6) != 0))
        return jsni_fail(JSN_ERR_DATA,
                         "%s: its numbers are big-endian, which are not read", name);
    for (size_t i = 0; i < storages->count; i++) {
        jsni_storage *s = &storages->list[i];
        const jsni_zip_member *member =
            beside(zip, pickle, "data/", s->key, s->key_length);
        if (member == NULL)
            return storage_fail(name, s, "is missing in the file, or compressed");
        if (member->length != s->count * jsni_dtype_size(s->dtype))
            return storage_fail(name, s, "has another size than its pickle says");
        s->data = member->data;
    }
    return JSN_OK;
}

static jsn_status parse_zip(jsni_safetensors **out, const char *name,
                            const uint8_t *data, size_t length)
{
    jsni_zip zip = {0};
    jsni_storages storages = {0};
    jsni_pickle *pickle = NULL;
    size_t at = 0;
    JSNI_TRY(jsni_zip_open(&zip, name, data, length));
    const jsni_zip_member *member = find_pickle(&zip);
    jsn_status status = JSN_OK;
    if (member == NULL || member->data == NULL)
        status = jsni_fail(JSN_ERR_DATA,
                           "%s: a zip archive that PyTorch did not write (no %s)", name,
                           pickle_name);
    if (status == JSN_OK)
        status = open_pickle(&pickle, name, member->data, member->length, &at);
    if (status == JSN_OK)
        status = list_storages(name, pickle, &storages);
    if (status == JSN_OK)
        status = find_in_zip(name, &zip, member, &storages);
    if (status == JSN_OK)
        status =
            jsni_pytorch_state(out, name, jsni_pickle_root(pickle), &storages, length);
    jsni_pickle_close(pickle);
    jsni_free(storages.list);
    jsni_zip_release(&zip);
    return status;
}

/* Finds the storages behind the pickles: in the order of `keys`. */
static jsn_status find_in_old(const char *name, const jsni_pickle_value *keys,
                              const uint8_t *data, size_t length, size_t at,
                              jsni_storages *storages)
{
    if (keys->kind != JSNI_PICKLE_LIST)
        return jsni_fail(JSN_ERR_DATA, "%s: has no list of its storages", name);
    for (size_t i = 0; i < keys->count; i++) {
        const jsni_pickle_value *key = keys->items[i];
        jsni_storage *s =
            key->kind != JSNI_PICKLE_TEXT
                ? NULL
                : jsni_storage_find(storages, key->as.text.data, key->as.text.length);
        if (s == NULL || s->data != NULL)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: lists a storage twice or one that nothing refers to",
                             name);
        uint64_t count = 0;
        for (size_t k = 0; k < 8 && length - at >= 8; k++)
            count |= (uint64_t)data[at + k] << (8 * k);
        if (length - at < 8 || count != s->count)
            return storage_fail(name, s, "has another size than its pickle says");
        const size_t bytes = s->count * jsni_dtype_size(s->dtype);
        if (bytes > length - at - 8)
            return storage_fail(name, s, "goes beyond the end of the file");
        s->data = data + at + 8;
        at += 8 + bytes;
    }
    for (size_t i = 0; i < storages->count; i++)
        if (storages->list[i].data == NULL)
            return storage_fail(name, &storages->list[i], "is missing in the file");
    return JSN_OK;
}

static jsn_status check_machine(const char *name, const jsni_pickle_value *machine)
{
    const jsni_pickle_value *little = jsni_pickle_get(machine, "little_endian");
    return little == NULL || little->as.integer == 1
               ? JSN_OK
               : jsni_fail(JSN_ERR_DATA,
                           "%s: its numbers are big-endian, which are not read", name);
}

static jsn_status parse_old(jsni_safetensors **out, const char *name,
                            const uint8_t *data, size_t length)
{
    enum { MARK, VERSION, MACHINE, VALUE, KEYS, PICKLES };
    jsni_pickle *pickle[PICKLES] = {NULL};
    jsni_storages storages = {0};
    jsn_status status = JSN_OK;
    size_t at = 0;
    for (size_t i = 0; status == JSN_OK && i < PICKLES; i++) {
        status = open_pickle(&pickle[i], name, data, length, &at);
        if (status == JSN_OK && i == VERSION &&
            (jsni_pickle_root(pickle[VERSION])->kind != JSNI_PICKLE_INT ||
             jsni_pickle_root(pickle[VERSION])->as.integer != 1001))
            status = jsni_fail(JSN_ERR_DATA, "%s: a pickle, but not of PyTorch", name);
    }
    if (status == JSN_OK)
        status = check_machine(name, jsni_pickle_root(pickle[MACHINE]));
    if (status == JSN_OK)
        status = list_storages(name, pickle[VALUE], &storages);
    if (status == JSN_OK)
        status = find_in_old(name, jsni_pickle_root(pickle[KEYS]), data, length, at,
                             &storages);
    if (status == JSN_OK)
        status = jsni_pytorch_state(out, name, jsni_pickle_root(pickle[VALUE]),
                                    &storages, length);
    for (size_t i = 0; i < PICKLES; i++)
        jsni_pickle_close(pickle[i]);
    jsni_free(storages.list);
    return status;
}

/* The first pickle of the older form is PyTorch's mark, a number of ten bytes. Less of it
 * could be the length of a safetensors header. */
bool jsni_pytorch_is(const uint8_t *data, size_t length)
{
    static const char mark[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const size_t bytes = sizeof mark - 1;
    return jsni_zip_is(data, length) || (length >= 2 + bytes && data[0] == 0x80 &&
                                         memcmp(data + 2, mark, bytes) == 0);
}

jsn_status jsni_pytorch_is_other_zip(const char *name, const uint8_t *data,
                                     size_t length, bool *out)
{
    jsni_zip zip = {0};
    *out = false;
    if (!jsni_zip_is(data, length))
        return JSN_OK;
    JSNI_TRY(jsni_zip_open(&zip, name, data, length));
    *out = find_pickle(&zip) == NULL;
    jsni_zip_release(&zip);
    return JSN_OK;
}

jsn_status jsni_pytorch_parse(jsni_safetensors **out, const char *name,
                              const uint8_t *data, size_t length)
{
    *out = NULL;
    return jsni_zip_is(data, length) ? parse_zip(out, name, data, length)
                                     : parse_old(out, name, data, length);
}
