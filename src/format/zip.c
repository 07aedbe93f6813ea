/* format/zip.c - see zip.h. The directory at the end of the file says what there is; sizes
 * and places of 64 bits, which PyTorch always writes, are in its extra fields. */
#include "format/zip.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"

enum {
    LOCAL = 30, /* bytes before the name in a member's own head */
    ENTRY = 46, /* and in the directory */
    END = 22,   /* the end of the directory, without its comment */
    END64 = 56,
    LOCATOR = 20,
    LONGEST_COMMENT = 65535
};

typedef struct reader {
    const char *path;
    const uint8_t *data;
    size_t length;
} reader;

static uint64_t get(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

static jsn_status wrong(const reader *r, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: a damaged zip archive: %s", r->path, what);
}

/* Whether `bytes` from `at` on lie inside the file. */
static bool inside(const reader *r, uint64_t at, uint64_t bytes)
{
    return at <= r->length && bytes <= r->length - at;
}

bool jsni_zip_is(const uint8_t *data, size_t length)
{
    return length >= 4 && memcmp(data, "PK\3\4", 4) == 0;
}

/* Where the directory begins, and how many entries it has. */
static jsn_status find_directory(const reader *r, uint64_t *at, uint64_t *count)
{
    const size_t first =
        r->length > END + LONGEST_COMMENT ? r->length - END - LONGEST_COMMENT : 0;
    if (r->length < END)
        return wrong(r, "it is cut short");
    size_t end = r->length - END;
    while (end > first && memcmp(r->data + end, "PK\5\6", 4) != 0)
        end--;
    if (memcmp(r->data + end, "PK\5\6", 4) != 0)
        return wrong(r, "it has no directory, or is cut short");
    *count = get(r->data + end + 10, 2);
    *at = get(r->data + end + 16, 4);
    if (end < LOCATOR || memcmp(r->data + end - LOCATOR, "PK\6\7", 4) != 0)
        return JSN_OK;
    const uint64_t end64 = get(r->data + end - LOCATOR + 8, 8);
    if (!inside(r, end64, END64) || memcmp(r->data + end64, "PK\6\6", 4) != 0)
        return wrong(r, "its directory is not where it says");
    *count = get(r->data + end64 + 32, 8);
    *at = get(r->data + end64 + 48, 8);
    return JSN_OK;
}

/* Replaces those of `numbers` that are all ones by the 64-bit ones of the extra field. */
static jsn_status widen(const reader *r, const uint8_t *extra, size_t length,
                        uint64_t *numbers[3])
{
    while (length >= 4) {
        const size_t id = (size_t)get(extra, 2), size = (size_t)get(extra + 2, 2);
        size_t used = 4;
        if (size > length - 4)
            return wrong(r, "an extra field goes beyond its end");
        for (size_t i = 0; id == 1 && i < 3; i++)
            if (*numbers[i] == 0xffffffffu && used + 8 <= size + 4) {
                *numbers[i] = get(extra + used, 8);
                used += 8;
            }
        extra += 4 + size;
        length -= 4 + size;
    }
    return JSN_OK;
}

/* The entry at `at`, which is moved behind it. */
static jsn_status read_entry(const reader *r, uint64_t *at, jsni_zip_member *out)
{
    if (!inside(r, *at, ENTRY) || memcmp(r->data + *at, "PK\1\2", 4) != 0)
        return wrong(r, "an entry of its directory is missing");
    const uint8_t *entry = r->data + *at;
    const bool plain = get(entry + 10, 2) == 0 && (get(entry + 8, 2) & 1) == 0;
    uint64_t packed = get(entry + 20, 4), size = get(entry + 24, 4);
    uint64_t place = get(entry + 42, 4);
    const size_t name = (size_t)get(entry + 28, 2), extra = (size_t)get(entry + 30, 2);
    const size_t whole = ENTRY + name + extra + (size_t)get(entry + 32, 2);
    if (!inside(r, *at, whole))
        return wrong(r, "an entry of its directory goes beyond the end");
    uint64_t *numbers[3] = {&size, &packed, &place};
    JSNI_TRY(widen(r, entry + ENTRY + name, extra, numbers));
    if (!inside(r, place, LOCAL) || memcmp(r->data + place, "PK\3\4", 4) != 0)
        return wrong(r, "a member is not where the directory says");
    const uint64_t start =
        place + LOCAL + get(r->data + place + 26, 2) + get(r->data + place + 28, 2);
    if (!inside(r, start, packed) || (plain && packed != size))
        return wrong(r, "a member goes beyond the end of the file");
    *out = (jsni_zip_member){(const char *)entry + ENTRY, name,
                             plain ? r->data + start : NULL, (size_t)size};
    *at += whole;
    return JSN_OK;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const size_t both = a_length < b_length ? a_length : b_length;
    const int order = memcmp(a, b, both);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_name(const void *a, const void *b)
{
    const jsni_zip_member *x = a, *y = b;
    return compare_names(x->name, x->name_length, y->name, y->name_length);
}

jsn_status jsni_zip_open(jsni_zip *out, const char *path, const uint8_t *data,
                         size_t length)
{
    const reader r = {path, data, length};
    uint64_t at = 0, count = 0;
    *out = (jsni_zip){0};
    JSNI_TRY(find_directory(&r, &at, &count));
    if (count > length / ENTRY)
        return wrong(&r, "it says it has more members than fit into it");
    out->members = jsni_alloc((size_t)count, sizeof *out->members);
    JSNI_TRY_ALLOC(out->members);
    jsn_status status = JSN_OK;
    while (status == JSN_OK && out->count < count) {
        status = read_entry(&r, &at, &out->members[out->count]);
        out->count += status == JSN_OK;
    }
    if (status == JSN_OK)
        qsort(out->members, out->count, sizeof *out->members, by_name);
    for (size_t i = 1; status == JSN_OK && i < out->count; i++)
        if (by_name(&out->members[i - 1], &out->members[i]) == 0)
            status = wrong(&r, "two members have the same name");
    if (status != JSN_OK)
        jsni_zip_release(out);
    return status;
}

void jsni_zip_release(jsni_zip *zip)
{
    jsni_free(zip->members);
    *zip = (jsni_zip){0};
}

const jsni_zip_member *jsni_zip_find(const jsni_zip *zip, const char *name,
                                     size_t length)
{
    const jsni_zip_member key = {name, length, NULL, 0};
    return zip->count == 0
               ? NULL
               : bsearch(&key, zip->members, zip->count, sizeof key, by_name);
}
