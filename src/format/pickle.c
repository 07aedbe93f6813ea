/* format/pickle.c - see pickle.h: the stack, the memo and the values. An instruction takes
 * at least a byte and makes at most one value, so a pickle bounds its own memory; there is
 * no recursion. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "format/pickle_impl.h"

/* Weights of 65,536 tensors have half as many values. */
enum { VALUES = 256, MOST_BLOCKS = 1 << 13 };

jsn_status jsni_pickle_wrong(const jsni_pickle *p, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s: byte %zu of its pickle: %s", p->name, p->at,
                     what);
}

jsn_status jsni_pickle_take(jsni_pickle *p, uint64_t bytes, const uint8_t **out)
{
    if (bytes > p->length - p->at)
        return jsni_pickle_wrong(p, "ends in the middle of an instruction");
    *out = p->data + p->at;
    p->at += (size_t)bytes;
    return JSN_OK;
}

/* Room for `need` pointers, at least twice as many as before. */
static jsn_status grow(value ***array, size_t *room, size_t need)
{
    if (need <= *room)
        return JSN_OK;
    const size_t more = need > 2 * *room ? need : 2 * *room;
    value **larger = jsni_realloc(*array, more, sizeof *larger);
    JSNI_TRY_ALLOC(larger);
    *array = larger;
    *room = more;
    return JSN_OK;
}

jsn_status jsni_pickle_push_old(jsni_pickle *p, value *old)
{
    JSNI_TRY(grow(&p->stack, &p->stack_room, p->depth + 1));
    p->stack[p->depth++] = old;
    return JSN_OK;
}

static jsn_status new_value(jsni_pickle *p, jsni_pickle_kind kind, value **out)
{
    if (p->block_count == MOST_BLOCKS && p->block_used == VALUES)
        return jsni_pickle_wrong(p, "has more values than weights need");
    if (p->block_count == 0 || p->block_used == VALUES) {
        value **more = jsni_realloc(p->blocks, p->block_count + 1, sizeof *p->blocks);
        JSNI_TRY_ALLOC(more);
        p->blocks = more;
        p->blocks[p->block_count] = jsni_alloc_zero(VALUES, sizeof(value));
        JSNI_TRY_ALLOC(p->blocks[p->block_count]);
        p->block_count++;
        p->block_used = 0;
    }
    *out = &p->blocks[p->block_count - 1][p->block_used++];
    (*out)->kind = kind;
    return JSN_OK;
}

jsn_status jsni_pickle_push(jsni_pickle *p, jsni_pickle_kind kind, value **out)
{
    JSNI_TRY(new_value(p, kind, out));
    return jsni_pickle_push_old(p, *out);
}

jsn_status jsni_pickle_pop(jsni_pickle *p, value **out)
{
    if (p->depth == 0 || p->stack[p->depth - 1]->kind == JSNI_PICKLE_MARK)
        return jsni_pickle_wrong(p, "takes a value that is not there");
    *out = p->stack[--p->depth];
    return JSN_OK;
}

jsn_status jsni_pickle_above_mark(jsni_pickle *p, size_t *out)
{
    size_t count = 0;
    while (count < p->depth && p->stack[p->depth - 1 - count]->kind != JSNI_PICKLE_MARK)
        count++;
    if (count == p->depth)
        return jsni_pickle_wrong(p, "takes a mark that is not there");
    *out = count;
    return JSN_OK;
}

jsn_status jsni_pickle_add_item(value *to, value *item)
{
    size_t room = to->room;
    JSNI_TRY(grow(&to->items, &room, (size_t)to->count + 1));
    to->room = (uint32_t)room;
    to->items[to->count++] = item;
    return JSN_OK;
}

/* Numbers are given in order, from 0 or 1 on; a large one would only ask for memory. */
jsn_status jsni_pickle_put(jsni_pickle *p, uint64_t number)
{
    if (p->depth == 0 || p->stack[p->depth - 1]->kind == JSNI_PICKLE_MARK)
        return jsni_pickle_wrong(p, "remembers a value that is not there");
    if (number > p->at)
        return jsni_pickle_wrong(p, "remembers a value under too large a number");
    JSNI_TRY(grow(&p->memo, &p->memo_room, (size_t)number + 1));
    while (p->memo_count <= number)
        p->memo[p->memo_count++] = NULL;
    p->memo[number] = p->stack[p->depth - 1];
    return JSN_OK;
}

jsn_status jsni_pickle_list_persistent(jsni_pickle *p, value *made)
{
    JSNI_TRY(grow(&p->persistents, &p->persistent_room, p->persistent_count + 1));
    p->persistents[p->persistent_count++] = made;
    return JSN_OK;
}

static jsn_status run(jsni_pickle *p)
{
    while (p->root == NULL) {
        const uint8_t *byte = NULL;
        JSNI_TRY(jsni_pickle_take(p, 1, &byte));
        const jsni_pickle_code *code = jsni_pickle_code_of(*byte);
        if (code == NULL)
            return jsni_pickle_wrong(p, "is no instruction of a pickle");
        if (code->apply == NULL)
            return jsni_fail(JSN_ERR_DATA,
                             "%s: its pickle uses the instruction %s, which weights "
                             "have no use for; nothing was run",
                             p->name, code->name);
        JSNI_TRY(code->apply(p, *byte));
    }
    return JSN_OK;
}

jsn_status jsni_pickle_open(jsni_pickle **out, const char *name, const uint8_t *data,
                            size_t length, const jsni_pickle_global *globals,
                            size_t global_count, size_t *used)
{
    *out = NULL;
    jsni_pickle *p = jsni_alloc_zero(1, sizeof *p);
    JSNI_TRY_ALLOC(p);
    p->name = name;
    p->data = data;
    p->length = length;
    p->globals = globals;
    p->global_count = global_count;
    const jsn_status status = run(p);
    if (status != JSN_OK) {
        jsni_pickle_close(p);
        return status;
    }
    *used = p->at;
    *out = p;
    return JSN_OK;
}

void jsni_pickle_close(jsni_pickle *pickle)
{
    if (pickle == NULL)
        return;
    for (size_t b = 0; b < pickle->block_count; b++) {
        for (size_t i = 0; i < VALUES; i++)
            jsni_free(pickle->blocks[b][i].items);
        jsni_free(pickle->blocks[b]);
    }
    jsni_free(pickle->blocks);
    jsni_free(pickle->stack);
    jsni_free(pickle->memo);
    jsni_free(pickle->persistents);
    jsni_free(pickle);
}

const jsni_pickle_value *jsni_pickle_root(const jsni_pickle *pickle)
{
    return pickle->root;
}

size_t jsni_pickle_persistents(const jsni_pickle *pickle)
{
    return pickle->persistent_count;
}

const jsni_pickle_value *jsni_pickle_persistent(const jsni_pickle *pickle, size_t index)
{
    return pickle->persistents[index];
}

bool jsni_pickle_is(const jsni_pickle_value *v, const char *text)
{
    return v->kind == JSNI_PICKLE_TEXT && v->as.text.length == strlen(text) &&
           memcmp(v->as.text.data, text, v->as.text.length) == 0;
}

const jsni_pickle_value *jsni_pickle_get(const jsni_pickle_value *dict, const char *key)
{
    if (dict->kind != JSNI_PICKLE_DICT && dict->kind != JSNI_PICKLE_OBJECT)
        return NULL;
    for (size_t i = dict->count; i >= 2; i -= 2)
        if (jsni_pickle_is(dict->items[i - 2], key))
            return dict->items[i - 1];
    return NULL;
}
