/* format/safetensors.c - the reader; see safetensors.h. The file is read whole instead
 * of mapped: a file that another process shortens would otherwise kill the program. */
#define _POSIX_C_SOURCE 200809L
#include "format/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/limit.h"
#include "core/sha256.h"
#include "format/dtype.h"

static const char *const dtypes[JSN_DTYPE_COUNT] = {
    [JSN_DTYPE_BOOL] = "BOOL",     [JSN_DTYPE_INT8] = "I8",
    [JSN_DTYPE_UINT8] = "U8",      [JSN_DTYPE_INT16] = "I16",
    [JSN_DTYPE_UINT16] = "U16",    [JSN_DTYPE_INT32] = "I32",
    [JSN_DTYPE_UINT32] = "U32",    [JSN_DTYPE_INT64] = "I64",
    [JSN_DTYPE_UINT64] = "U64",    [JSN_DTYPE_FLOAT16] = "F16",
    [JSN_DTYPE_BFLOAT16] = "BF16", [JSN_DTYPE_FLOAT32] = "F32",
    [JSN_DTYPE_FLOAT64] = "F64"};

struct jsni_safetensors {
    char *name;
    char *block; /* the elements, moved to its start */
    size_t length;
    jsni_json *header;
    const jsni_json *metadata; /* in header, or NULL */
    jsni_safetensor *tensors;  /* [count], order of the header */
    jsni_safetensor **by_name; /* [count], sorted */
    size_t count;
};

const char *jsni_safetensors_dtype(jsn_dtype dtype)
{
    return dtypes[dtype];
}

static jsn_status wrong(const jsni_safetensors *f, const char *tensor, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: tensor '%.100s': %s", f->name, tensor, what);
}

/* A whole number >= 0 that is at most `limit`. */
static bool extent(const jsni_json *value, size_t limit, size_t *out)
{
    if (!jsni_json_is_int(value) || jsni_json_int(value) < 0 ||
        (uint64_t)jsni_json_int(value) > limit)
        return false;
    *out = (size_t)jsni_json_int(value);
    return true;
}

static jsn_status parse_shape(const jsni_safetensors *f, const jsni_json *shape,
                              jsni_safetensor *t)
{
    if (jsni_json_kind_of(shape) != JSNI_JSON_ARRAY)
        return wrong(f, t->name, "no list 'shape'");
    if (jsni_json_count(shape) > JSN_ARRAY_MAX_RANK)
        return wrong(f, t->name, "too many dimensions");
    t->rank = jsni_json_count(shape);
    size_t room = JSN_ARRAY_MAX_BYTES / jsni_dtype_size(t->dtype);
    t->bytes = jsni_dtype_size(t->dtype);
    for (size_t i = 0; i < t->rank; i++) {
        if (!extent(jsni_json_at(shape, i), room, &t->shape[i]))
            return wrong(f, t->name,
                         "an extent that is not a whole number, or too large");
        if (t->shape[i] != 0)
            room /= t->shape[i];
        t->bytes *= t->shape[i];
    }
    return JSN_OK;
}

static jsn_status parse_tensor(const jsni_safetensors *f, const jsni_json *entry,
                               jsni_safetensor *t)
{
    t->name = jsni_json_key(entry);
    if (jsni_json_kind_of(entry) != JSNI_JSON_OBJECT || jsni_json_count(entry) != 3)
        return wrong(f, t->name, "not an object of dtype, shape and data_offsets");
    const char *dtype = jsni_json_text(jsni_json_get(entry, "dtype"));
    int found = 0;
    while (found < JSN_DTYPE_COUNT && strcmp(dtypes[found], dtype) != 0)
        found++;
    if (found == JSN_DTYPE_COUNT)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: tensor '%.100s': elements of type '%.20s' "
                         "are not read",
                         f->name, t->name, dtype);
    t->dtype = (jsn_dtype)found;
    JSNI_TRY(parse_shape(f, jsni_json_get(entry, "shape"), t));
    const jsni_json *offsets = jsni_json_get(entry, "data_offsets");
    size_t begin = 0, end = 0;
    if (jsni_json_kind_of(offsets) != JSNI_JSON_ARRAY ||
        jsni_json_count(offsets) != 2 ||
        !extent(jsni_json_at(offsets, 0), f->length, &begin) ||
        !extent(jsni_json_at(offsets, 1), f->length, &end) || begin > end)
        return wrong(f, t->name, "data_offsets that are not inside the file");
    if (end - begin != t->bytes)
        return jsni_fail(JSN_ERR_DATA,
                         "%s: tensor '%.100s': %zu bytes, its shape needs %zu", f->name,
                         t->name, end - begin, t->bytes);
    if (begin % jsni_dtype_size(t->dtype) != 0)
        return wrong(f, t->name, "not aligned to the size of its elements");
    t->data = f->block + begin;
    for (size_t i = 0; t->dtype == JSN_DTYPE_BOOL && i < t->bytes; i++)
        if (((const uint8_t *)t->data)[i] > 1)
            return wrong(f, t->name, "an element that is not a bool");
    return JSN_OK;
}

static int by_offset(const void *a, const void *b)
{
    const jsni_safetensor *const *x = a;
    const jsni_safetensor *const *y = b;
    const char *p = (*x)->data, *q = (*y)->data;
    if (p != q)
        return p < q ? -1 : 1;
    return ((*x)->bytes > (*y)->bytes) - ((*x)->bytes < (*y)->bytes);
}

static int by_name(const void *a, const void *b)
{
    const jsni_safetensor *const *x = a;
    const jsni_safetensor *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* The format wants the tensors to fill the rest of the file without hole or overlap. */
static jsn_status check_cover(jsni_safetensors *f)
{
    const char *at = f->block;
    qsort(f->by_name, f->count, sizeof *f->by_name, by_offset);
    for (size_t i = 0; i < f->count; i++) {
        const jsni_safetensor *t = f->by_name[i];
        if ((const char *)t->data != at)
            return wrong(f, t->name,
                         (const char *)t->data < at ? "overlaps another tensor"
                                                    : "there is a hole before it");
        at += t->bytes;
    }
    if (at != f->block + f->length)
        return jsni_fail(JSN_ERR_DATA, "%s: %zu bytes after the last tensor", f->name,
                         (size_t)(f->block + f->length - at));
    qsort(f->by_name, f->count, sizeof *f->by_name, by_name);
    return JSN_OK;
}

static jsn_status parse_tensors(jsni_safetensors *f)
{
    const size_t entries = jsni_json_count(f->header);
    f->tensors = jsni_alloc_zero(entries, sizeof *f->tensors);
    JSNI_TRY_ALLOC(f->tensors);
    f->by_name = jsni_alloc_zero(entries, sizeof *f->by_name);
    JSNI_TRY_ALLOC(f->by_name);
    for (size_t i = 0; i < entries; i++) {
        const jsni_json *entry = jsni_json_at(f->header, i);
        if (strcmp(jsni_json_key(entry), "__metadata__") != 0) {
            JSNI_TRY(parse_tensor(f, entry, &f->tensors[f->count]));
            f->by_name[f->count] = &f->tensors[f->count];
            f->count++;
            continue;
        }
        f->metadata = entry;
        if (jsni_json_kind_of(entry) != JSNI_JSON_OBJECT)
            return jsni_fail(JSN_ERR_DATA, "%s: __metadata__ is not an object",
                             f->name);
        for (size_t k = 0; k < jsni_json_count(entry); k++)
            if (jsni_json_kind_of(jsni_json_at(entry, k)) != JSNI_JSON_TEXT)
                return jsni_fail(JSN_ERR_DATA,
                                 "%s: __metadata__ '%.100s' is not a text", f->name,
                                 jsni_json_key(jsni_json_at(entry, k)));
    }
    return check_cover(f);
}

enum { START = 9 }; /* the length of the header, and its first byte */

static uint64_t header_length(const uint8_t *start)
{
    uint64_t header = 0;
    for (size_t i = 0; i < 8; i++)
        header |= (uint64_t)start[i] << (8 * i);
    return header;
}

/* Whether a file of `length` bytes may be one, by its first `have` bytes. */
static bool starts_well(const uint8_t *start, size_t have, size_t length)
{
    return have == START && header_length(start) >= 2 &&
           header_length(start) <= length - 8 && start[8] == '{';
}

static jsn_status not_safetensors(const char *name)
{
    return jsni_fail(JSN_ERR_DATA, "%s: not a safetensors file, or cut short", name);
}

/* Takes `block` over, also on failure. */
static jsn_status build(jsni_safetensors **out, const char *name, char *block,
                        size_t length)
{
    jsn_status status = JSN_ERR_MEMORY;
    uint64_t header = 0;
    jsni_safetensors *f = jsni_alloc_zero(1, sizeof *f);
    if (f == NULL) {
        jsni_free(block);
        return JSN_ERR_MEMORY;
    }
    f->block = block;
    f->name = jsni_text_copy(name);
    if (f->name == NULL)
        goto done;
    if (length >= 8)
        header = header_length((const uint8_t *)block);
    if (!starts_well((const uint8_t *)block, length < START ? length : START, length)) {
        status = not_safetensors(name);
        goto done;
    }
    status = jsni_json_parse(&f->header, name, block + 8, (size_t)header);
    if (status != JSN_OK)
        goto done;
    f->length = length - 8 - (size_t)header;
    /* Elements at the start of the block are as aligned as the block itself, whatever
     * the length of the header. */
    memmove(f->block, f->block + 8 + header, f->length);
    status = parse_tensors(f);
done:
    if (status == JSN_OK)
        *out = f;
    else
        jsni_safetensors_close(f);
    return status;
}

jsn_status jsni_safetensors_parse(jsni_safetensors **out, const char *name,
                                  const void *data, size_t length)
{
    *out = NULL;
    char *block = jsni_alloc(length, 1);
    JSNI_TRY_ALLOC(block);
    memcpy(block, data, length);
    return build(out, name, block, length);
}

/* A file may be large and nothing, such as one with a hole of gigabytes: its start is looked at
 * before memory is taken for the rest. */
static jsn_status check_start(const char *folder, const char *name, const char *path)
{
    uint8_t start[START];
    struct stat info;
    int fd = -1;
    JSNI_TRY(jsni_file_open(&fd, folder, name, O_RDONLY | O_NONBLOCK));
    ssize_t have = 0;
    do
        have = read(fd, start, sizeof start);
    while (have < 0 && errno == EINTR);
    const int error = have < 0 ? errno : 0;
    const bool known = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    (void)close(fd);
    if (known && error != 0)
        return jsni_fail(JSN_ERR_IO, "%s: cannot be read: %s", path, strerror(error));
    if (!known || have < START) /* reading all of it says what is wrong */
        return JSN_OK;
    return starts_well(start, (size_t)have, (size_t)info.st_size)
               ? JSN_OK
               : not_safetensors(path);
}

jsn_status jsni_safetensors_open_in(jsni_safetensors **out, const char *folder,
                                    const char *name)
{
    char *block = NULL;
    size_t length = 0;
    *out = NULL;
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = check_start(folder, name, path);
    if (status == JSN_OK)
        status = jsni_limit_holes(folder, name);
    if (status == JSN_OK)
        status = jsni_file_read_in(folder, name, JSN_ARRAY_MAX_BYTES, &block, &length);
    if (status == JSN_OK)
        status = build(out, path, block, length);
    jsni_free(path);
    return status;
}

jsn_status jsni_safetensors_open(jsni_safetensors **out, const char *path)
{
    return jsni_safetensors_open_in(out, NULL, path);
}

/* The elements, each tensor's at a multiple of 8 bytes, and behind them the names. */
static jsn_status make_room(jsni_safetensors *f, const jsni_safetensor *tensors,
                            size_t count)
{
    size_t elements = 0, names = 0;
    for (size_t i = 0; i < count; i++) {
        elements += (tensors[i].bytes + 7) / 8 * 8;
        names += strlen(tensors[i].name) + 1;
    }
    f->block = jsni_alloc(elements + names, 1);
    JSNI_TRY_ALLOC(f->block);
    f->length = elements;
    f->tensors = jsni_alloc_zero(count, sizeof *f->tensors);
    JSNI_TRY_ALLOC(f->tensors);
    f->by_name = jsni_alloc_zero(count, sizeof *f->by_name);
    JSNI_TRY_ALLOC(f->by_name);
    char *at = f->block, *name = f->block + elements;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(tensors[i].name) + 1;
        memcpy(name, tensors[i].name, length);
        f->tensors[i] = tensors[i];
        f->tensors[i].name = name;
        f->tensors[i].data = at;
        f->by_name[i] = &f->tensors[i];
        name += length;
        at += (tensors[i].bytes + 7) / 8 * 8;
    }
    f->count = count;
    return JSN_OK;
}

jsn_status jsni_safetensors_make(jsni_safetensors **out, const char *name,
                                 const jsni_safetensor *tensors, size_t count,
                                 void (*fill)(void *user, size_t index, void *elements),
                                 void *user)
{
    *out = NULL;
    jsni_safetensors *f = jsni_alloc_zero(1, sizeof *f);
    JSNI_TRY_ALLOC(f);
    f->name = jsni_text_copy(name);
    jsn_status status = f->name == NULL ? JSN_ERR_MEMORY : make_room(f, tensors, count);
    if (status == JSN_OK)
        qsort(f->by_name, count, sizeof *f->by_name, by_name);
    for (size_t i = 1; status == JSN_OK && i < count; i++)
        if (strcmp(f->by_name[i - 1]->name, f->by_name[i]->name) == 0)
            status = wrong(f, f->by_name[i]->name, "there are two of this name");
    if (status != JSN_OK) {
        jsni_safetensors_close(f);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        fill(user, i, f->block + ((const char *)f->tensors[i].data - f->block));
    *out = f;
    return JSN_OK;
}

void jsni_safetensors_close(jsni_safetensors *file)
{
    if (file == NULL)
        return;
    jsni_json_destroy(file->header);
    jsni_free(file->by_name);
    jsni_free(file->tensors);
    jsni_free(file->block);
    jsni_free(file->name);
    jsni_free(file);
}

const char *jsni_safetensors_path(const jsni_safetensors *file)
{
    return file->name;
}

size_t jsni_safetensors_count(const jsni_safetensors *file)
{
    return file->count;
}

const jsni_safetensor *jsni_safetensors_at(const jsni_safetensors *file, size_t index)
{
    return index < file->count ? &file->tensors[index] : NULL;
}

const jsni_safetensor *jsni_safetensors_find(const jsni_safetensors *file,
                                             const char *name)
{
    const jsni_safetensor wanted = {.name = name}, *key = &wanted;
    jsni_safetensor *const *found =
        bsearch(&key, file->by_name, file->count, sizeof *file->by_name, by_name);
    return found == NULL ? NULL : *found;
}

const char *jsni_safetensors_metadata(const jsni_safetensors *file, const char *key)
{
    const jsni_json *value = jsni_json_get(file->metadata, key);
    return value == NULL ? NULL : jsni_json_text(value);
}

/* Texts go in with their terminator, so that "ab","c" differs from "a","bc". */
void jsni_safetensors_hash(const jsni_safetensor *const *tensors, size_t tensor_count,
                           const jsni_pair *metadata, size_t pair_count,
                           char hex[JSNI_SAFETENSORS_HEX])
{
    jsni_sha256 sha;
    jsni_sha256_init(&sha);
    for (size_t i = 0; i < tensor_count; i++) {
        const jsni_safetensor *t = tensors[i];
        size_t bytes = jsni_dtype_size(t->dtype);
        const char *dtype = dtypes[t->dtype];
        jsni_sha256_add(&sha, t->name, strlen(t->name) + 1);
        jsni_sha256_add(&sha, dtype, strlen(dtype) + 1);
        for (size_t d = 0; d < t->rank; d++) {
            const uint64_t size = t->shape[d];
            jsni_sha256_add(&sha, &size, sizeof size);
            bytes *= t->shape[d];
        }
        jsni_sha256_add(&sha, t->data, bytes);
    }
    for (size_t i = 0; i < pair_count; i++) {
        jsni_sha256_add(&sha, metadata[i].key, strlen(metadata[i].key) + 1);
        jsni_sha256_add(&sha, metadata[i].value, strlen(metadata[i].value) + 1);
    }
    jsni_sha256_hex(&sha, hex);
}

jsn_status jsni_safetensors_verify(const jsni_safetensors *file)
{
    const char *stored = jsni_safetensors_metadata(file, JSNI_SAFETENSORS_CHECKSUM);
    char hex[JSNI_SAFETENSORS_HEX];
    if (stored == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: has no checksum", file->name);
    const size_t entries = jsni_json_count(file->metadata);
    const jsni_safetensor **order = jsni_alloc(file->count, sizeof *order);
    jsni_pair *pairs = jsni_alloc(entries, sizeof *pairs);
    jsn_status status = JSN_ERR_MEMORY;
    if (order != NULL && pairs != NULL) {
        size_t pair_count = 0;
        for (size_t i = 0; i < file->count; i++)
            order[i] = &file->tensors[i];
        for (size_t i = 0; i < entries; i++) {
            const jsni_json *entry = jsni_json_at(file->metadata, i);
            if (strcmp(jsni_json_key(entry), JSNI_SAFETENSORS_CHECKSUM) != 0)
                pairs[pair_count++] =
                    (jsni_pair){jsni_json_key(entry), jsni_json_text(entry)};
        }
        jsni_safetensors_hash(order, file->count, pairs, pair_count, hex);
        status = strcmp(hex, stored) == 0
                     ? JSN_OK
                     : jsni_fail(JSN_ERR_DATA, "%s: its checksum does not agree",
                                 file->name);
    }
    jsni_free(pairs);
    jsni_free(order);
    return status;
}
