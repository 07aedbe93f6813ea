/* core/limit.c - see jensen/limit.h and core/limit.h: the table of limits, and their
 * values. The defaults let through ImageNet's archives (150 GB) and all of its 21,841
 * classes. */
#include "core/limit.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/names.h"
#include "core/number.h"
#include "core/text.h"
#include "jensen/image.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define TIB ((uint64_t)1 << 40)

/* Small archives of very regular pictures may compress beyond any ratio. */
static const uint64_t free_bytes = 32 * MIB;

static const struct {
    jsn_limit_info info;
    const char *noun; /* for sentences: "more than N ..." */
} limits[JSNI_LIMITS] = {
    [JSNI_LIMIT_ARCHIVE] = {{"archive", "bytes out of one archive, also those skipped",
                             TIB, TIB << 20},
                            "bytes expanded"},
    [JSNI_LIMIT_MEMBER] = {{"member", "bytes of one member of an archive, or one image",
                            256 * MIB, TIB},
                           "bytes"},
    [JSNI_LIMIT_RATIO] = {{"ratio",
                           "bytes out of each byte of a compressed file; the "
                           "first 32 MiB are free",
                           100, TIB},
                          "times its size when expanded"},
    [JSNI_LIMIT_LAYERS] = {{"layers", "times that a file is compressed, one in another",
                            2, 16},
                           "layers of compression"},
    [JSNI_LIMIT_FILE] = {{"file", "bytes of a table, list or IDX file, expanded", GIB,
                          4 * GIB - 2},
                         "bytes"},
    [JSNI_LIMIT_JSON] =
        {{"json", "bytes of a JSON file, or of what a weights file says of itself",
          16 * MIB, 4 * GIB - 2},
         "bytes of JSON"},
    [JSNI_LIMIT_PIXELS] = {{"pixels", "pixels of an image", 100000000,
                            JSN_IMAGE_MAX_PIXELS},
                           "pixels"},
    [JSNI_LIMIT_ROWS] = {{"rows", "rows of a table, samples of a data set", 100000000,
                          0x7fffffff},
                         "rows"},
    [JSNI_LIMIT_CLASSES] = {{"classes", "classes of a data set", 25000, 1 << 20},
                            "classes"},
    [JSNI_LIMIT_KEPT] = {{"kept",
                          "bytes of images that a data set keeps decoded; 1: none, and "
                          "each epoch decodes them",
                          TIB, TIB << 20},
                         "bytes of images"},
};

/* 0: the initial value. */
static _Atomic uint64_t values[JSNI_LIMITS];

const jsn_limit_info *jsn_limit_describe(size_t index)
{
    return index < JSNI_LIMITS ? &limits[index].info : NULL;
}

uint64_t jsni_limit(jsni_limit_name name)
{
    const uint64_t set = atomic_load_explicit(&values[name], memory_order_relaxed);
    return set != 0 ? set : limits[name].info.initial;
}

jsn_status jsni_limit_fail(jsni_limit_name name, const char *where, ...)
{
    char place[600] = "";
    va_list args;
    va_start(args, where);
    (void)jsni_format_list(place, sizeof place, where, args);
    va_end(args);
    return jsni_fail(JSN_ERR_DATA,
                     "%s: more than %llu %s; --limit %s=N raises this limit", place,
                     (unsigned long long)jsni_limit(name), limits[name].noun,
                     limits[name].info.name);
}

jsn_status jsni_limit_ratio(const char *path, uint64_t size, uint64_t expanded)
{
    if (expanded <= free_bytes || expanded / jsni_limit(JSNI_LIMIT_RATIO) <= size)
        return JSN_OK;
    return jsni_limit_fail(JSNI_LIMIT_RATIO, "%s", path);
}

jsn_status jsni_limit_read(jsni_limit_name limit, const char *folder, const char *name,
                           char **out, size_t *length)
{
    const uint64_t most = jsni_limit(limit);
    jsni_file_identity identity = {0};
    char *path = jsni_file_path(folder, name);
    JSNI_TRY_ALLOC(path);
    jsn_status status = JSN_OK;
    if (jsni_file_identify(path, &identity) == JSN_OK && identity.size > most)
        status = jsni_limit_fail(limit, "%s", path);
    else
        status = jsni_file_read_in(folder, name, (size_t)most, out, length);
    jsni_free(path);
    return status;
}

/* "12", "2e8", "4TiB". */
static bool read_value(const char *text, size_t length, uint64_t *out)
{
    static const char units[] = "KMGT";
    unsigned shift = 0;
    if (length > 3 && memcmp(text + length - 2, "iB", 2) == 0) {
        const char *unit = strchr(units, text[length - 3]);
        if (unit == NULL || *unit == '\0')
            return false;
        shift = 10 * (unsigned)(unit - units + 1);
        length -= 3;
    }
    int64_t value = 0;
    if (!jsni_number_int(text, length, &value) || value < 0)
        return false;
    *out =
        (uint64_t)value > UINT64_MAX >> shift ? UINT64_MAX : (uint64_t)value << shift;
    return true;
}

static jsn_status no_limit(const char *word)
{
    jsni_names names;
    jsni_names_begin(&names, word, NULL);
    for (size_t i = 0; i < JSNI_LIMITS; i++)
        jsni_names_add(&names, limits[i].info.name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "--limit: no limit '%s'",
                           names.word);
}

/* One NAME=VALUE of `length` characters. */
static jsn_status read_word(const char *word, size_t length, uint64_t *found)
{
    const char *equals = memchr(word, '=', length);
    const int shown = (int)(length < 60 ? length : 60);
    if (equals == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "--limit '%.*s': must be NAME=VALUE", shown,
                         word);
    const size_t name = (size_t)(equals - word);
    uint64_t value = 0;
    for (size_t i = 0; i < JSNI_LIMITS; i++) {
        const jsn_limit_info *info = &limits[i].info;
        if (strlen(info->name) != name || memcmp(info->name, word, name) != 0)
            continue;
        if (!read_value(equals + 1, length - name - 1, &value))
            return jsni_fail(JSN_ERR_ARGUMENT,
                             "--limit '%.*s': the value must be a whole number such as "
                             "1000, 2e8 or 4GiB",
                             shown, word);
        if (value < 1 || value > info->highest)
            return jsni_fail(JSN_ERR_RANGE, "--limit '%.*s': must lie in [1, %llu]",
                             shown, word, (unsigned long long)info->highest);
        found[i] = value;
        return JSN_OK;
    }
    char wrong[64];
    jsni_text text = jsni_text_in(wrong, sizeof wrong);
    jsni_text_add_n(&text, word, name);
    return no_limit(wrong);
}

jsn_status jsn_limit_set(const char *text)
{
    uint64_t found[JSNI_LIMITS] = {0};
    if (text == NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "limit: need NAME=VALUE");
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ", ");
        if (length > 0)
            JSNI_TRY(read_word(at, length, found));
        at += length + (at[length] != '\0');
    }
    for (size_t i = 0; i < JSNI_LIMITS; i++)
        if (found[i] != 0)
            atomic_store(&values[i], found[i]);
    return JSN_OK;
}
