/* format/pytorch_state.c - the tensors of a state dictionary: what the calls of
 * torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, ...) in a pickle say. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/text.h"
#include "format/dtype.h"
#include "format/pytorch_impl.h"

/* Tied weights are stored once and read twice; more than this is an attack on memory. */
enum {
    MOST_COPIES = 4,
    COPIES_FREE = 1 << 20,
    MOST_TENSORS = 1 << 16,
    LONGEST_NAME = 500
};

typedef struct view {
    const jsni_storage *storage;
    size_t offset;
    size_t stride[JSN_ARRAY_MAX_RANK];
} view;

typedef struct state {
    const char *file;
    const jsni_storages *storages;
    jsni_safetensor *tensors; /* [count] */
    view *views;              /* [count] */
    jsni_text names;          /* terminated, one behind the other */
    size_t count;
} state;

static jsn_status wrong(const state *s, const jsni_pickle_value *key, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: tensor '%.*s': %s", s->file,
                     (int)(key->as.text.length < 100 ? key->as.text.length : 100),
                     key->as.text.data, what);
}

static bool is_call(const jsni_pickle_value *value, int code)
{
    return value->kind == JSNI_PICKLE_OBJECT && value->as.call.global->code == code;
}

/* The call that makes a tensor, also inside one that makes a parameter of it; NULL. */
static const jsni_pickle_value *tensor_call(const jsni_pickle_value *value)
{
    if (is_call(value, JSNI_PYTORCH_PARAMETER) && value->as.call.arguments->count > 0)
        value = value->as.call.arguments->items[0];
    return is_call(value, JSNI_PYTORCH_TENSOR) ? value : NULL;
}

/* Numbers >= 0 of a tuple. */
static bool read_sizes(const jsni_pickle_value *list, size_t *out, size_t *count)
{
    if (list->kind != JSNI_PICKLE_LIST || list->count > JSN_ARRAY_MAX_RANK)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind != JSNI_PICKLE_INT || list->items[i]->as.integer < 0)
            return false;
        out[i] = (size_t)list->items[i]->as.integer;
    }
    *count = list->count;
    return true;
}

/* Whether every element of the view lies in its storage; also its bytes. Each product is
 * bounded by a division before it is made. */
static bool view_fits(const view *v, jsni_safetensor *t)
{
    const size_t all = v->storage->count;
    size_t elements = 1, last = v->offset;
    for (size_t i = 0; i < t->rank; i++)
        if (t->shape[i] == 0) {
            t->bytes = 0;
            return true;
        }
    for (size_t i = 0; i < t->rank; i++) {
        const size_t steps = t->shape[i] - 1;
        if (t->shape[i] > all / elements ||
            (steps > 0 && (v->stride[i] == 0 || v->stride[i] > all / steps)))
            return false;
        elements *= t->shape[i];
        last += steps * v->stride[i];
        if (last >= all)
            return false;
    }
    t->bytes = elements * jsni_dtype_size(t->dtype);
    return last < all;
}

static jsn_status read_tensor(state *s, const jsni_pickle_value *key,
                              const jsni_pickle_value *call)
{
    const jsni_pickle_value *a = call->as.call.arguments;
    jsni_safetensor *t = &s->tensors[s->count];
    view *v = &s->views[s->count];
    size_t strides = 0;
    if (a->count < 4 || a->items[0]->kind != JSNI_PICKLE_PERSISTENT ||
        a->items[1]->kind != JSNI_PICKLE_INT || a->items[1]->as.integer < 0 ||
        !read_sizes(a->items[2], t->shape, &t->rank) ||
        !read_sizes(a->items[3], v->stride, &strides) || strides != t->rank)
        return wrong(s, key, "not made of storage, offset, shape and strides");
    jsni_storage named;
    JSNI_TRY(jsni_storage_read(s->file, a->items[0], &named));
    v->storage = jsni_storage_find(s->storages, named.key, named.key_length);
    v->offset = (size_t)a->items[1]->as.integer;
    t->dtype = named.dtype;
    if (v->offset > v->storage->count || !view_fits(v, t))
        return wrong(s, key, "goes beyond its storage, or repeats its elements");
    s->count++;
    return JSN_OK;
}

static jsn_status read_name(state *s, const jsni_pickle_value *key)
{
    static const char prefix[] = "module.";
    const size_t before = sizeof prefix - 1;
    const char *text = key->as.text.data, *end = text + key->as.text.length;
    if (key->as.text.length > before && memcmp(text, prefix, before) == 0)
        text += before;
    if (text == end || (size_t)(end - text) > LONGEST_NAME)
        return wrong(s, key, "has no name, or a very long one");
    for (const char *at = text; at < end;) {
        const size_t length = jsni_utf8_length(at, end);
        if (length == 0 || (unsigned char)*at < ' ')
            return wrong(s, key, "its name is not plain UTF-8");
        at += length;
    }
    jsni_text_add_n(&s->names, text, (size_t)(end - text));
    jsni_text_add_n(&s->names, "", 1);
    return s->names.status;
}

/* One entry of the dictionary: what is no tensor is left out. */
static jsn_status read_entry(state *s, const jsni_pickle_value *key,
                             const jsni_pickle_value *value)
{
    const jsni_pickle_value *call = tensor_call(value);
    if (call == NULL)
        return JSN_OK;
    if (key->kind != JSNI_PICKLE_TEXT)
        return jsni_fail(JSN_ERR_DATA, "%s: the name of a tensor is not a text",
                         s->file);
    JSNI_TRY(read_name(s, key));
    return read_tensor(s, key, call);
}

/* The pairs that Python 2 gave an OrderedDict as its argument, or NULL. */
static const jsni_pickle_value *pairs_given(const jsni_pickle_value *dict)
{
    if (!is_call(dict, JSNI_PYTORCH_ORDERED_DICT) ||
        dict->as.call.arguments->count == 0)
        return NULL;
    const jsni_pickle_value *pairs = dict->as.call.arguments->items[0];
    for (size_t i = 0; pairs->kind == JSNI_PICKLE_LIST && i < pairs->count; i++)
        if (pairs->items[i]->kind != JSNI_PICKLE_LIST || pairs->items[i]->count != 2)
            return NULL;
    return pairs->kind == JSNI_PICKLE_LIST ? pairs : NULL;
}

static bool is_dict(const jsni_pickle_value *value)
{
    return value->kind == JSNI_PICKLE_DICT || is_call(value, JSNI_PYTORCH_ORDERED_DICT);
}

static size_t count_tensors(const jsni_pickle_value *dict)
{
    const jsni_pickle_value *pairs = pairs_given(dict);
    size_t count = 0;
    for (size_t i = 0; pairs != NULL && i < pairs->count; i++)
        count += tensor_call(pairs->items[i]->items[1]) != NULL;
    for (size_t i = 1; i < dict->count; i += 2)
        count += tensor_call(dict->items[i]) != NULL;
    return count;
}

/* The dictionary of tensors in what was saved; NULL. Training scripts save it beside other
 * things, of which some are tensors as well, such as the best accuracy. */
static const jsni_pickle_value *find_state(const jsni_pickle_value *root)
{
    static const char *const keys[] = {"state_dict", "model_state_dict", "model",
                                       "net"};
    if (!is_dict(root))
        return NULL;
    const size_t own = count_tensors(root);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const jsni_pickle_value *inner = jsni_pickle_get(root, keys[i]);
        if (inner != NULL && is_dict(inner) && count_tensors(inner) > own)
            return inner;
    }
    return own > 0 ? root : NULL;
}

static jsn_status read_entries(state *s, const jsni_pickle_value *dict)
{
    const jsni_pickle_value *pairs = pairs_given(dict);
    for (size_t i = 0; pairs != NULL && i < pairs->count; i++)
        JSNI_TRY(read_entry(s, pairs->items[i]->items[0], pairs->items[i]->items[1]));
    for (size_t i = 0; i + 1 < dict->count; i += 2)
        JSNI_TRY(read_entry(s, dict->items[i], dict->items[i + 1]));
    const char *name = s->names.data;
    for (size_t i = 0; i < s->count; i++) {
        s->tensors[i].name = name;
        name += strlen(name) + 1;
    }
    return JSN_OK;
}

/* Copies the elements of a view, the last index running fastest. */
static void fill(void *user, size_t index, void *elements)
{
    const state *s = user;
    const jsni_safetensor *t = &s->tensors[index];
    const view *v = &s->views[index];
    const size_t size = jsni_dtype_size(t->dtype), count = t->bytes / size;
    size_t at[JSN_ARRAY_MAX_RANK] = {0}, from = v->offset;
    uint8_t *to = elements;
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * size, v->storage->data + from * size, size);
        if (t->dtype == JSN_DTYPE_BOOL)
            to[i] = to[i] != 0;
        for (size_t d = t->rank; d-- > 0;) {
            from += v->stride[d];
            if (++at[d] < t->shape[d])
                break;
            from -= at[d] * v->stride[d];
            at[d] = 0;
        }
    }
}

jsn_status jsni_pytorch_state(jsni_safetensors **out, const char *name,
                              const jsni_pickle_value *root,
                              const jsni_storages *storages, size_t file_length)
{
    const jsni_pickle_value *dict = find_state(root);
    if (dict == NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: holds no dictionary of weights", name);
    const size_t count = count_tensors(dict);
    if (count > MOST_TENSORS)
        return jsni_fail(JSN_ERR_DATA, "%s: has more than %d tensors", name,
                         MOST_TENSORS);
    state s = {.file = name, .storages = storages};
    s.tensors = jsni_alloc_zero(count, sizeof *s.tensors);
    s.views = jsni_alloc_zero(count, sizeof *s.views);
    jsn_status status =
        s.tensors == NULL || s.views == NULL ? JSN_ERR_MEMORY : read_entries(&s, dict);
    const size_t most = file_length * MOST_COPIES + COPIES_FREE;
    size_t bytes = 0;
    for (size_t i = 0; status == JSN_OK && i < s.count; i++) {
        bytes += s.tensors[i].bytes;
        if (bytes > most)
            status =
                jsni_fail(JSN_ERR_DATA,
                          "%s: its tensors are many times as large as the file", name);
    }
    if (status == JSN_OK)
        status = jsni_safetensors_make(out, name, s.tensors, s.count, fill, &s);
    jsni_text_release(&s.names);
    jsni_free(s.tensors);
    jsni_free(s.views);
    return status;
}
