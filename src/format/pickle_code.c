/* format/pickle_code.c - the instructions of pickles, those that are refused included, so
 * that they are refused by name. */
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "format/pickle_impl.h"

/* A little-endian number of up to 8 bytes. */
static jsn_status number(jsni_pickle *p, size_t bytes, uint64_t *out)
{
    const uint8_t *at = NULL;
    JSNI_TRY(jsni_pickle_take(p, bytes, &at));
    *out = 0;
    for (size_t i = 0; i < bytes; i++)
        *out |= (uint64_t)at[i] << (8 * i);
    return JSN_OK;
}

static jsn_status put_protocol(jsni_pickle *p, uint8_t code)
{
    uint64_t version = 0;
    (void)code;
    JSNI_TRY(number(p, 1, &version));
    return version <= 5 ? JSN_OK
                        : jsni_pickle_wrong(p, "has a version of pickles above 5");
}

/* Frames say how much to read at once; everything is in memory here. */
static jsn_status skip_frame(jsni_pickle *p, uint8_t code)
{
    uint64_t length = 0;
    (void)code;
    return number(p, 8, &length);
}

static jsn_status push_empty(jsni_pickle *p, uint8_t code)
{
    value *made = NULL;
    return jsni_pickle_push(p,
                            code == '}'   ? JSNI_PICKLE_DICT
                            : code == 'N' ? JSNI_PICKLE_NONE
                            : code == '(' ? JSNI_PICKLE_MARK
                                          : JSNI_PICKLE_LIST,
                            &made);
}

static jsn_status push_bool(jsni_pickle *p, uint8_t code)
{
    value *made = NULL;
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_BOOL, &made));
    made->as.integer = code == 0x88;
    return JSN_OK;
}

static jsn_status push_int(jsni_pickle *p, uint8_t code)
{
    uint64_t bits = 0;
    value *made = NULL;
    JSNI_TRY(number(p, code == 'J' ? 4 : code == 'M' ? 2 : 1, &bits));
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_INT, &made));
    made->as.integer = code == 'J' ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
    return JSN_OK;
}

/* Two's complement of any length. What needs more than 63 bits is only the mark that
 * older files begin with: it becomes -1, which no size or offset may be. */
static jsn_status push_long(jsni_pickle *p, uint8_t code)
{
    uint64_t bytes = 0, bits = 0;
    const uint8_t *at = NULL;
    value *made = NULL;
    (void)code;
    JSNI_TRY(number(p, 1, &bytes));
    JSNI_TRY(jsni_pickle_take(p, bytes, &at));
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_INT, &made));
    const bool negative = bytes > 0 && at[bytes - 1] > 127;
    for (size_t i = 0; i < 8; i++)
        bits |= (uint64_t)(i < bytes ? at[i] : negative ? 255 : 0) << (8 * i);
    made->as.integer = bytes > 8 ? -1 : (int64_t)bits;
    return JSN_OK;
}

static jsn_status push_real(jsni_pickle *p, uint8_t code)
{
    const uint8_t *at = NULL;
    value *made = NULL;
    uint64_t bits = 0;
    (void)code;
    JSNI_TRY(jsni_pickle_take(p, 8, &at));
    for (size_t i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_REAL, &made));
    memcpy(&made->as.real, &bits, sizeof bits);
    return JSN_OK;
}

static jsn_status push_text(jsni_pickle *p, uint8_t code)
{
    uint64_t length = 0;
    const uint8_t *at = NULL;
    value *made = NULL;
    JSNI_TRY(number(p, code == 'X' || code == 'T' ? 4 : code == 0x8d ? 8 : 1, &length));
    JSNI_TRY(jsni_pickle_take(p, length, &at));
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_TEXT, &made));
    made->as.text.data = (const char *)at;
    made->as.text.length = (size_t)length;
    return JSN_OK;
}

static jsn_status put(jsni_pickle *p, uint8_t code)
{
    uint64_t place = p->memo_count;
    if (code != 0x94)
        JSNI_TRY(number(p, code == 'q' ? 1 : 4, &place));
    return jsni_pickle_put(p, place);
}

static jsn_status get(jsni_pickle *p, uint8_t code)
{
    uint64_t place = 0;
    JSNI_TRY(number(p, code == 'h' ? 1 : 4, &place));
    if (place >= p->memo_count || p->memo[place] == NULL)
        return jsni_pickle_wrong(p, "recalls a value that was not remembered");
    return jsni_pickle_push_old(p, p->memo[place]);
}

/* The topmost `count` values become a list in their place. */
static jsn_status gather(jsni_pickle *p, size_t count)
{
    value *made = NULL;
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_LIST, &made));
    p->depth--;
    for (size_t i = p->depth - count; i < p->depth; i++)
        JSNI_TRY(jsni_pickle_add_item(made, p->stack[i]));
    p->depth -= count;
    return jsni_pickle_push_old(p, made);
}

static jsn_status make_tuple(jsni_pickle *p, uint8_t code)
{
    size_t above = 0;
    if (code != 't') {
        const size_t wanted = (size_t)code - 0x84;
        for (size_t i = 0; i < wanted; i++)
            if (i >= p->depth || p->stack[p->depth - 1 - i]->kind == JSNI_PICKLE_MARK)
                return jsni_pickle_wrong(p, "takes a value that is not there");
        return gather(p, wanted);
    }
    JSNI_TRY(jsni_pickle_above_mark(p, &above));
    JSNI_TRY(gather(p, above));
    p->stack[p->depth - 2] = p->stack[p->depth - 1]; /* over the mark */
    p->depth--;
    return JSN_OK;
}

/* The topmost `count` values go into the one below them, behind a mark or not. */
static jsn_status add_items(jsni_pickle *p, size_t count, bool mark, bool pairs)
{
    const size_t below = count + (mark ? 1 : 0) + 1;
    value *to = p->depth >= below ? p->stack[p->depth - below] : NULL;
    const bool fits = to != NULL && (pairs ? to->kind == JSNI_PICKLE_DICT ||
                                                 to->kind == JSNI_PICKLE_OBJECT
                                           : to->kind == JSNI_PICKLE_LIST);
    if (!fits || (pairs && count % 2 != 0))
        return jsni_pickle_wrong(p, "adds to what takes no such items");
    for (size_t i = p->depth - count; i < p->depth; i++)
        JSNI_TRY(jsni_pickle_add_item(to, p->stack[i]));
    p->depth -= below - 1;
    return JSN_OK;
}

static jsn_status add_marked(jsni_pickle *p, uint8_t code)
{
    size_t above = 0;
    JSNI_TRY(jsni_pickle_above_mark(p, &above));
    return add_items(p, above, true, code == 'u');
}

static jsn_status add_one(jsni_pickle *p, uint8_t code)
{
    const size_t count = code == 's' ? 2 : 1;
    for (size_t i = 0; i < count; i++)
        if (i >= p->depth || p->stack[p->depth - 1 - i]->kind == JSNI_PICKLE_MARK)
            return jsni_pickle_wrong(p, "takes a value that is not there");
    return add_items(p, count, false, code == 's');
}

/* The global of a name, which must be on the caller's list. */
static jsn_status push_global(jsni_pickle *p, const char *module, size_t module_length,
                              const char *name, size_t name_length)
{
    value *made = NULL;
    for (size_t i = 0; i < p->global_count; i++) {
        const jsni_pickle_global *g = &p->globals[i];
        if (strlen(g->module) != module_length || strlen(g->name) != name_length ||
            memcmp(g->module, module, module_length) != 0 ||
            memcmp(g->name, name, name_length) != 0)
            continue;
        JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_GLOBAL, &made));
        made->as.call.global = g;
        return JSN_OK;
    }
    return jsni_fail(JSN_ERR_DATA,
                     "%s: its pickle names '%.*s.%.*s', which weights have no use for; "
                     "nothing was run (torch.save() of a model's state_dict() writes "
                     "weights alone)",
                     p->name, (int)(module_length < 60 ? module_length : 60), module,
                     (int)(name_length < 60 ? name_length : 60), name);
}

/* A line of the pickle, without its end. */
static jsn_status line(jsni_pickle *p, const char **out, size_t *length)
{
    const uint8_t *from = p->data + p->at;
    const uint8_t *end = memchr(from, '\n', p->length - p->at);
    if (end == NULL)
        return jsni_pickle_wrong(p, "ends in the middle of an instruction");
    *out = (const char *)from;
    *length = (size_t)(end - from);
    p->at += *length + 1;
    return JSN_OK;
}

static jsn_status name_global(jsni_pickle *p, uint8_t code)
{
    const char *module = NULL, *name = NULL;
    size_t module_length = 0, name_length = 0;
    (void)code;
    JSNI_TRY(line(p, &module, &module_length));
    JSNI_TRY(line(p, &name, &name_length));
    return push_global(p, module, module_length, name, name_length);
}

static jsn_status name_stacked(jsni_pickle *p, uint8_t code)
{
    value *module = NULL, *name = NULL;
    (void)code;
    JSNI_TRY(jsni_pickle_pop(p, &name));
    JSNI_TRY(jsni_pickle_pop(p, &module));
    if (name->kind != JSNI_PICKLE_TEXT || module->kind != JSNI_PICKLE_TEXT)
        return jsni_pickle_wrong(p, "names a function by what is no text");
    return push_global(p, module->as.text.data, module->as.text.length,
                       name->as.text.data, name->as.text.length);
}

/* The call is noted, not made. */
static jsn_status note_call(jsni_pickle *p, uint8_t code)
{
    value *arguments = NULL, *function = NULL, *made = NULL;
    (void)code;
    JSNI_TRY(jsni_pickle_pop(p, &arguments));
    JSNI_TRY(jsni_pickle_pop(p, &function));
    if (function->kind != JSNI_PICKLE_GLOBAL || arguments->kind != JSNI_PICKLE_LIST)
        return jsni_pickle_wrong(p, "calls what is no function");
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_OBJECT, &made));
    made->as.call.global = function->as.call.global;
    made->as.call.arguments = arguments;
    return JSN_OK;
}

static jsn_status note_persistent(jsni_pickle *p, uint8_t code)
{
    value *id = NULL, *made = NULL;
    (void)code;
    JSNI_TRY(jsni_pickle_pop(p, &id));
    JSNI_TRY(jsni_pickle_push(p, JSNI_PICKLE_PERSISTENT, &made));
    made->as.call.arguments = id;
    return jsni_pickle_list_persistent(p, made);
}

/* Attributes, such as the _metadata of state dictionaries, have no part in the weights. */
static jsn_status drop_state(jsni_pickle *p, uint8_t code)
{
    value *state = NULL;
    (void)code;
    JSNI_TRY(jsni_pickle_pop(p, &state));
    if (p->depth == 0 || p->stack[p->depth - 1]->kind != JSNI_PICKLE_OBJECT)
        return jsni_pickle_wrong(p, "gives attributes to what has none");
    return JSN_OK;
}

static jsn_status stop(jsni_pickle *p, uint8_t code)
{
    (void)code;
    return jsni_pickle_pop(p, &p->root);
}

static const jsni_pickle_code codes[] = {
    {0x80, "PROTO", put_protocol},
    {0x95, "FRAME", skip_frame},
    {'N', "NONE", push_empty},
    {'}', "EMPTY_DICT", push_empty},
    {']', "EMPTY_LIST", push_empty},
    {')', "EMPTY_TUPLE", push_empty},
    {'(', "MARK", push_empty},
    {0x88, "NEWTRUE", push_bool},
    {0x89, "NEWFALSE", push_bool},
    {'J', "BININT", push_int},
    {'K', "BININT1", push_int},
    {'M', "BININT2", push_int},
    {0x8a, "LONG1", push_long},
    {'G', "BINFLOAT", push_real},
    {'X', "BINUNICODE", push_text},
    {0x8c, "SHORT_BINUNICODE", push_text},
    {0x8d, "BINUNICODE8", push_text},
    {'T', "BINSTRING", push_text},
    {'U', "SHORT_BINSTRING", push_text},
    {'q', "BINPUT", put},
    {'r', "LONG_BINPUT", put},
    {0x94, "MEMOIZE", put},
    {'h', "BINGET", get},
    {'j', "LONG_BINGET", get},
    {'t', "TUPLE", make_tuple},
    {0x85, "TUPLE1", make_tuple},
    {0x86, "TUPLE2", make_tuple},
    {0x87, "TUPLE3", make_tuple},
    {'a', "APPEND", add_one},
    {'e', "APPENDS", add_marked},
    {'s', "SETITEM", add_one},
    {'u', "SETITEMS", add_marked},
    {'c', "GLOBAL", name_global},
    {0x93, "STACK_GLOBAL", name_stacked},
    {'R', "REDUCE", note_call},
    {'Q', "BINPERSID", note_persistent},
    {'b', "BUILD", drop_state},
    {'.', "STOP", stop},
    {'0', "POP", NULL},
    {'1', "POP_MARK", NULL},
    {'2', "DUP", NULL},
    {'B', "BINBYTES", NULL},
    {'C', "SHORT_BINBYTES", NULL},
    {'F', "FLOAT", NULL},
    {'I', "INT", NULL},
    {'L', "LONG", NULL},
    {'P', "PERSID", NULL},
    {'S', "STRING", NULL},
    {'V', "UNICODE", NULL},
    {'d', "DICT", NULL},
    {'g', "GET", NULL},
    {'i', "INST", NULL},
    {'l', "LIST", NULL},
    {'o', "OBJ", NULL},
    {'p', "PUT", NULL},
    {0x81, "NEWOBJ", NULL},
    {0x82, "EXT1", NULL},
    {0x83, "EXT2", NULL},
    {0x84, "EXT4", NULL},
    {0x8b, "LONG4", NULL},
    {0x8e, "BINBYTES8", NULL},
    {0x8f, "EMPTY_SET", NULL},
    {0x90, "ADDITEMS", NULL},
    {0x91, "FROZENSET", NULL},
    {0x92, "NEWOBJ_EX", NULL},
    {0x96, "BYTEARRAY8", NULL},
    {0x97, "NEXT_BUFFER", NULL},
    {0x98, "READONLY_BUFFER", NULL},
};

const jsni_pickle_code *jsni_pickle_code_of(uint8_t byte)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(codes); i++)
        if (codes[i].code == byte)
            return &codes[i];
    return NULL;
}
