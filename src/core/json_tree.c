/* core/json_tree.c - the tree of values; see json_tree.h and core/json.h. */
#include "core/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/number.h"

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

typedef struct chunk {
    struct chunk *previous;
    size_t used;
    size_t size;
    /* A union with the strictest types, so that what follows is aligned for them. */
    union {
        double real;
        int64_t whole;
        void *pointer;
    } data[];
} chunk;

struct jsni_json_arena {
    chunk *last;  /* of values and lists */
    chunk *texts; /* apart from them, so that short ones need no padding */
    char *name;
};

jsn_status jsni_json_tree_create(jsni_json **root, const char *name)
{
    jsni_json_arena *arena = jsni_alloc_zero(1, sizeof *arena);
    jsni_json seed = {.arena = arena};
    *root = NULL;
    if (arena == NULL)
        return JSN_ERR_MEMORY;
    arena->name = jsni_text_copy(name);
    jsni_json *value = arena->name == NULL ? NULL : jsni_json_tree_value(&seed, 1);
    if (value == NULL) {
        jsni_json_destroy(&seed);
        return JSN_ERR_MEMORY;
    }
    *root = value;
    return JSN_OK;
}

static void free_chunks(chunk *last)
{
    while (last != NULL) {
        chunk *previous = last->previous;
        jsni_free(last);
        last = previous;
    }
}

void jsni_json_destroy(jsni_json *root)
{
    if (root == NULL)
        return;
    jsni_json_arena *arena = root->arena;
    free_chunks(arena->last);
    free_chunks(arena->texts);
    jsni_free(arena->name);
    jsni_free(arena);
}

static void *take(chunk **last, size_t bytes)
{
    chunk *c = *last;
    if (c == NULL || c->size - c->used < bytes) {
        size_t size = c == NULL ? FIRST_CHUNK : c->size * 2;
        size = size > LARGEST_CHUNK ? LARGEST_CHUNK : size;
        size = size < bytes ? bytes : size;
        c = jsni_alloc(sizeof *c + size, 1);
        if (c == NULL)
            return NULL;
        *c = (chunk){.previous = *last, .size = size};
        *last = c;
    }
    void *block = (char *)c->data + c->used;
    c->used += bytes;
    return block;
}

void *jsni_json_tree_alloc(jsni_json *any, size_t bytes)
{
    return bytes > SIZE_MAX / 2 ? NULL : take(&any->arena->last, (bytes + 7) / 8 * 8);
}

char *jsni_json_tree_text(jsni_json *any, size_t bytes)
{
    return bytes > SIZE_MAX / 2 ? NULL : take(&any->arena->texts, bytes);
}

jsni_json *jsni_json_tree_value(jsni_json *any, size_t line)
{
    jsni_json *value = jsni_json_tree_alloc(any, sizeof *value);
    if (value != NULL)
        *value = (jsni_json){
            .line = (uint32_t)line, .key = "", .text = "", .arena = any->arena};
    return value;
}

const char *jsni_json_tree_name(const jsni_json *any)
{
    return any->arena->name;
}

static int by_key(const void *a, const void *b)
{
    const jsni_json *const *x = a;
    const jsni_json *const *y = b;
    const int order = strcmp((*x)->key, (*y)->key);
    /* Equal keys in file order, so that the complaint names the second one. */
    return order != 0 ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

jsn_status jsni_json_tree_close(jsni_json *parent, jsni_json_kind kind,
                                jsni_json *first, size_t count)
{
    const size_t lists = kind == JSNI_JSON_OBJECT ? 2 : 1;
    parent->kind = (uint8_t)kind;
    parent->count = count;
    parent->entries = NULL;
    if (count == 0)
        return JSN_OK;
    parent->entries = jsni_json_tree_alloc(parent, lists * count * sizeof first);
    JSNI_TRY_ALLOC(parent->entries);
    for (size_t i = 0; i < count; i++, first = first->next)
        parent->entries[i] = first;
    if (kind != JSNI_JSON_OBJECT)
        return JSN_OK;
    jsni_json **sorted = parent->entries + count;
    memcpy(sorted, parent->entries, count * sizeof first);
    qsort(sorted, count, sizeof first, by_key);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            return jsni_fail(JSN_ERR_DATA, "%s:%zu: key '%.100s' occurs twice",
                             parent->arena->name, (size_t)sorted[i]->line,
                             sorted[i]->key);
    return JSN_OK;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
bool jsni_json_tree_is_number(const char *at)
{
    at += *at == '-';
    if (*at == '0')
        at++;
    else if (*at >= '1' && *at <= '9')
        at += strspn(at, "0123456789");
    else
        return false;
    if (*at == '.') {
        const size_t digits = strspn(at + 1, "0123456789");
        if (digits == 0)
            return false;
        at += 1 + digits;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        const size_t digits = strspn(at, "0123456789");
        if (digits == 0)
            return false;
        at += digits;
    }
    return *at == '\0';
}

bool jsni_json_tree_set_number(jsni_json *value, size_t length)
{
    double real = 0.0;
    int64_t whole = 0;
    if (!jsni_number_real(value->text, length, &real))
        return false;
    value->kind = JSNI_JSON_NUMBER;
    value->is_int = jsni_number_int(value->text, length, &whole);
    if (value->is_int)
        value->whole = whole;
    else
        value->real = real;
    return true;
}

bool jsni_json_tree_number(jsni_json *value)
{
    const size_t length = strlen(value->text);
    return jsni_json_tree_is_number(value->text) &&
           jsni_json_tree_set_number(value, length);
}

jsni_json_kind jsni_json_kind_of(const jsni_json *value)
{
    return value == NULL ? JSNI_JSON_NULL : (jsni_json_kind)value->kind;
}

const char *jsni_json_kind_name(jsni_json_kind kind)
{
    static const char *const names[] = {"null",   "true or false", "a number",
                                        "a text", "an array",      "an object"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

size_t jsni_json_line(const jsni_json *value)
{
    return value == NULL ? 0 : value->line;
}

static bool has_entries(const jsni_json *value)
{
    return value != NULL &&
           (value->kind == JSNI_JSON_ARRAY || value->kind == JSNI_JSON_OBJECT);
}

size_t jsni_json_count(const jsni_json *value)
{
    return has_entries(value) ? value->count : 0;
}

const jsni_json *jsni_json_at(const jsni_json *value, size_t index)
{
    return index < jsni_json_count(value) ? value->entries[index] : NULL;
}

const char *jsni_json_key(const jsni_json *value)
{
    return value == NULL ? "" : value->key;
}

const jsni_json *jsni_json_get(const jsni_json *object, const char *key)
{
    if (key == NULL || jsni_json_kind_of(object) != JSNI_JSON_OBJECT ||
        object->count == 0)
        return NULL;
    jsni_json *const *sorted = object->entries + object->count;
    size_t low = 0, high = object->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(sorted[middle]->key, key);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool jsni_json_bool(const jsni_json *value)
{
    return value != NULL && value->truth;
}

double jsni_json_real(const jsni_json *value)
{
    if (jsni_json_kind_of(value) != JSNI_JSON_NUMBER)
        return 0.0;
    return value->is_int ? (double)value->whole : value->real;
}

bool jsni_json_is_int(const jsni_json *value)
{
    return value != NULL && value->is_int;
}

int64_t jsni_json_int(const jsni_json *value)
{
    return jsni_json_is_int(value) ? value->whole : 0;
}

const char *jsni_json_text(const jsni_json *value)
{
    return value == NULL || has_entries(value) ? "" : value->text;
}

jsn_status jsni_json_refuse(const jsni_json *value, const char *sentence)
{
    if (value == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s", sentence);
    return jsni_fail(JSN_ERR_DATA, "%s:%zu: %s", value->arena->name,
                     jsni_json_line(value), sentence);
}

/* The entry `key` of `object`; NULL, with the sentence recorded, when it is missing, of
 * another kind, or not whole where that is asked for. */
static const jsni_json *want(const jsni_json *object, const char *key,
                             jsni_json_kind kind, bool whole)
{
    const jsni_json *value = jsni_json_get(object, key);
    const char *name = object == NULL ? "document" : object->arena->name;
    if (value == NULL)
        (void)jsni_fail(JSN_ERR_DATA, "%s:%zu: key '%s' is missing", name,
                        jsni_json_line(object), key);
    else if (value->kind != kind)
        (void)jsni_fail(JSN_ERR_DATA, "%s:%zu: key '%s' is %s, not %s", name,
                        jsni_json_line(value), key,
                        jsni_json_kind_name(jsni_json_kind_of(value)),
                        jsni_json_kind_name(kind));
    else if (whole && !value->is_int)
        (void)jsni_fail(JSN_ERR_DATA, "%s:%zu: key '%s' is %.40s, not a whole number",
                        name, jsni_json_line(value), key, value->text);
    else
        return value;
    return NULL;
}

jsn_status jsni_json_get_real(const jsni_json *object, const char *key, double *out)
{
    JSNI_NEED(key);
    JSNI_NEED(out);
    const jsni_json *value = want(object, key, JSNI_JSON_NUMBER, false);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = jsni_json_real(value);
    return JSN_OK;
}

jsn_status jsni_json_get_int(const jsni_json *object, const char *key, int64_t *out)
{
    JSNI_NEED(key);
    JSNI_NEED(out);
    const jsni_json *value = want(object, key, JSNI_JSON_NUMBER, true);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = value->whole;
    return JSN_OK;
}

jsn_status jsni_json_get_bool(const jsni_json *object, const char *key, bool *out)
{
    JSNI_NEED(key);
    JSNI_NEED(out);
    const jsni_json *value = want(object, key, JSNI_JSON_BOOL, false);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = value->truth;
    return JSN_OK;
}

jsn_status jsni_json_get_text(const jsni_json *object, const char *key,
                              const char **out)
{
    JSNI_NEED(out);
    JSNI_NEED(key);
    const jsni_json *value = want(object, key, JSNI_JSON_TEXT, false);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = value->text;
    return JSN_OK;
}

jsn_status jsni_json_get_array(const jsni_json *object, const char *key,
                               const jsni_json **out)
{
    JSNI_NEED(out);
    JSNI_NEED(key);
    const jsni_json *value = want(object, key, JSNI_JSON_ARRAY, false);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = value;
    return JSN_OK;
}

jsn_status jsni_json_get_object(const jsni_json *object, const char *key,
                                const jsni_json **out)
{
    JSNI_NEED(out);
    JSNI_NEED(key);
    const jsni_json *value = want(object, key, JSNI_JSON_OBJECT, false);
    if (value == NULL)
        return JSN_ERR_DATA;
    *out = value;
    return JSN_OK;
}
