/* core/json_writer.c - the JSON writer; see core/json.h. */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/number.h"
#include "core/text.h"

struct jsni_json_writer {
    jsni_text text;
    int indent;
    size_t depth;
    bool object[JSNI_JSON_MAX_DEPTH]; /* whether level i is an object */
    bool filled[JSNI_JSON_MAX_DEPTH]; /* whether level i has an entry */
    bool complete;                    /* the top value is written */
    const char *misuse;               /* the first, or NULL */
};

jsn_status jsni_json_writer_create(jsni_json_writer **out, int indent)
{
    JSNI_NEED(out);
    *out = NULL;
    if (indent < 0 || indent > 8)
        return jsni_fail(JSN_ERR_RANGE, "an indentation of %d is outside 0 to 8",
                         indent);
    jsni_json_writer *writer = jsni_alloc_zero(1, sizeof *writer);
    JSNI_TRY_ALLOC(writer);
    writer->indent = indent;
    *out = writer;
    return JSN_OK;
}

void jsni_json_writer_destroy(jsni_json_writer *writer)
{
    if (writer != NULL)
        jsni_text_release(&writer->text);
    jsni_free(writer);
}

static void misused(jsni_json_writer *w, const char *what)
{
    if (w->misuse == NULL)
        w->misuse = what;
}

void jsni_json_add_quoted(jsni_text *text, const char *value, jsni_control_fn *control)
{
    const char *end = value + strlen(value);
    jsni_text_add(text, "\"");
    while (value < end) {
        const size_t length = jsni_utf8_length(value, end);
        const unsigned char c = (unsigned char)*value;
        if (length == 0)
            jsni_text_add(text, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            jsni_text_format(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            control(text, c);
        else
            jsni_text_add_n(text, value, length);
        value += length == 0 ? 1 : length;
    }
    jsni_text_add(text, "\"");
}

static void add_control(jsni_text *text, unsigned char c)
{
    if (c == '\n')
        jsni_text_add(text, "\\n");
    else if (c == '\t')
        jsni_text_add(text, "\\t");
    else
        jsni_text_format(text, "\\u%04x", c);
}

static void add_quoted(jsni_text *text, const char *value)
{
    jsni_json_add_quoted(text, value, add_control);
}

static void new_line(jsni_json_writer *w)
{
    if (w->indent > 0)
        jsni_text_format(&w->text, "\n%*s", (int)w->depth * w->indent, "");
}

/* Comma, line break and key before a value; false when no value belongs here. */
static bool lead(jsni_json_writer *w, const char *key)
{
    if (w->misuse != NULL)
        return false;
    if (w->depth == 0) {
        if (w->complete)
            misused(w, "a second value at the top");
        else if (key != NULL)
            misused(w, "a key outside an object");
        w->complete = true;
        return w->misuse == NULL;
    }
    const size_t level = w->depth - 1;
    if (w->object[level] != (key != NULL)) {
        misused(w, key == NULL ? "a value without a key in an object"
                               : "a key outside an object");
        return false;
    }
    if (w->filled[level])
        jsni_text_add(&w->text, ",");
    w->filled[level] = true;
    new_line(w);
    if (key != NULL) {
        add_quoted(&w->text, key);
        jsni_text_add(&w->text, w->indent > 0 ? ": " : ":");
    }
    return true;
}

static void begin(jsni_json_writer *w, const char *key, bool object)
{
    if (!lead(w, key))
        return;
    if (w->depth == JSNI_JSON_MAX_DEPTH) {
        misused(w, "nested too deeply");
        return;
    }
    w->object[w->depth] = object;
    w->filled[w->depth] = false;
    w->depth++;
    jsni_text_add(&w->text, object ? "{" : "[");
}

void jsni_json_begin_object(jsni_json_writer *writer, const char *key)
{
    if (writer == NULL)
        return;
    begin(writer, key, true);
}

void jsni_json_begin_array(jsni_json_writer *writer, const char *key)
{
    if (writer == NULL)
        return;
    begin(writer, key, false);
}

void jsni_json_end(jsni_json_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->misuse != NULL)
        return;
    if (writer->depth == 0) {
        misused(writer, "an end without a begin");
        return;
    }
    writer->depth--;
    if (writer->filled[writer->depth])
        new_line(writer);
    jsni_text_add(&writer->text, writer->object[writer->depth] ? "}" : "]");
}

static void put(jsni_json_writer *w, const char *key, const char *word)
{
    if (lead(w, key))
        jsni_text_add(&w->text, word);
}

void jsni_json_put_null(jsni_json_writer *writer, const char *key)
{
    if (writer == NULL)
        return;
    put(writer, key, "null");
}

void jsni_json_put_bool(jsni_json_writer *writer, const char *key, bool value)
{
    if (writer == NULL)
        return;
    put(writer, key, value ? "true" : "false");
}

void jsni_json_put_int(jsni_json_writer *writer, const char *key, int64_t value)
{
    if (writer == NULL)
        return;
    if (lead(writer, key))
        jsni_text_format(&writer->text, "%lld", (long long)value);
}

void jsni_json_put_real(jsni_json_writer *writer, const char *key, double value)
{
    if (writer == NULL)
        return;
    char digits[JSNI_NUMBER_TEXT] = "null";
    if (isfinite(value))
        jsni_number_format(value, digits);
    put(writer, key, digits);
}

void jsni_json_put_text(jsni_json_writer *writer, const char *key, const char *value)
{
    if (writer == NULL)
        return;
    if (value == NULL)
        put(writer, key, "null");
    else if (lead(writer, key))
        add_quoted(&writer->text, value);
}

void jsni_json_put_value(jsni_json_writer *writer, const char *key,
                         const jsni_json *value)
{
    if (writer == NULL)
        return;
    const jsni_json_kind kind = jsni_json_kind_of(value);
    if (kind == JSNI_JSON_TEXT) {
        jsni_json_put_text(writer, key, value->text);
    } else if (kind == JSNI_JSON_NULL || kind == JSNI_JSON_BOOL) {
        put(writer, key,
            kind == JSNI_JSON_NULL  ? "null"
            : jsni_json_bool(value) ? "true"
                                    : "false");
    } else if (kind == JSNI_JSON_NUMBER) {
        /* YAML has forms of numbers that JSON lacks: 0x1F, .5, +1. */
        if (jsni_json_tree_is_number(value->text))
            put(writer, key, value->text);
        else if (value->is_int)
            jsni_json_put_int(writer, key, value->whole);
        else
            jsni_json_put_real(writer, key, value->real);
    } else {
        const bool object = kind == JSNI_JSON_OBJECT;
        begin(writer, key, object);
        for (size_t i = 0; i < value->count && writer->misuse == NULL; i++)
            jsni_json_put_value(writer, object ? value->entries[i]->key : NULL,
                                value->entries[i]);
        jsni_json_end(writer);
    }
}

jsn_status jsni_json_writer_take(jsni_json_writer *writer, char **out)
{
    JSNI_NEED(writer);
    JSNI_NEED(out);
    *out = NULL;
    const char *misuse = writer->misuse;
    if (misuse == NULL && (!writer->complete || writer->depth > 0))
        misuse = writer->complete ? "an object or array is not ended" : "no value";
    jsni_text text = writer->text;
    *writer = (jsni_json_writer){.indent = writer->indent};
    if (misuse != NULL) {
        jsni_text_release(&text);
        return jsni_fail(JSN_ERR_ARGUMENT, "JSON writer: %s", misuse);
    }
    return jsni_text_take(&text, out);
}

jsn_status jsni_json_quote(const char *text, char **out)
{
    jsni_json_writer *writer = NULL;
    *out = NULL;
    JSNI_TRY(jsni_json_writer_create(&writer, 0));
    jsni_json_put_text(writer, NULL, text);
    const jsn_status status = jsni_json_writer_take(writer, out);
    jsni_json_writer_destroy(writer);
    return status;
}
