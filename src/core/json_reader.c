/* core/json_reader.c - the strict JSON reader; see core/json.h. Recursive descent
 * with a bound on the depth; every byte is looked at once. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/limit.h"

typedef struct reader {
    const char *at;
    const char *end;
    const char *line_start;
    size_t line;
    size_t depth;
    jsni_json *root;
} reader;

static jsn_status refuse(const reader *r, const char *what)
{
    return jsni_fail(JSN_ERR_DATA, "%s:%zu:%zu: %s", jsni_json_tree_name(r->root),
                     r->line, (size_t)(r->at - r->line_start) + 1, what);
}

static void skip_space(reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
            return;
        }
    }
}

static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool hex4(reader *r, unsigned *out)
{
    unsigned value = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = r->at[i] == '\0' ? NULL : strchr(digits, r->at[i]);
        if (digit == NULL)
            return false;
        value = value * 16 + (unsigned)((digit - digits) % 16);
    }
    r->at += 4;
    *out = value;
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Behind "\u"; a pair of surrogates is one character. */
static jsn_status parse_unicode(reader *r, char **to)
{
    unsigned code = 0, low = 0;
    if (!hex4(r, &code))
        return refuse(r, "\\u needs four hexadecimal digits");
    if (code == 0)
        return refuse(r, "the character U+0000 is not accepted");
    if (code >= 0xdc00 && code <= 0xdfff)
        return refuse(r, "the second half of a surrogate pair without the first");
    if (code >= 0xd800 && code <= 0xdbff) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
            return refuse(r, "the first half of a surrogate pair without the second");
        r->at += 2;
        if (!hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
            return refuse(r, "the first half of a surrogate pair without the second");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *to = put_utf8(*to, code);
    return JSN_OK;
}

static jsn_status parse_escape(reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return refuse(r, "the text ends inside an escape");
    const char c = *r->at;
    if (c == 'u') {
        r->at++;
        return parse_unicode(r, to);
    }
    const char *name = c == '\0' ? NULL : strchr(names, c);
    if (name == NULL)
        return refuse(r, "an unknown escape");
    r->at++;
    *(*to)++ = values[name - names];
    return JSN_OK;
}

/* Behind the opening quote. The text is never longer than its source. */
static jsn_status parse_text(reader *r, const char **out)
{
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' && r->end - close > 1 ? 2 : 1;
    if (close >= r->end)
        return refuse(r, "a text without its closing quote");
    char *text = jsni_json_tree_text(r->root, (size_t)(close - r->at) + 1);
    JSNI_TRY_ALLOC(text);
    char *to = text;
    while (r->at < close) {
        if (*r->at == '\\') {
            r->at++;
            JSNI_TRY(parse_escape(r, &to));
            continue;
        }
        if ((unsigned char)*r->at < 0x20)
            return refuse(r, "a control character inside a text");
        const size_t length = jsni_utf8_length(r->at, close);
        if (length == 0)
            return refuse(r, "a text that is not UTF-8");
        memcpy(to, r->at, length);
        to += length;
        r->at += length;
    }
    *to = '\0';
    r->at++;
    *out = text;
    return JSN_OK;
}

/* true, false, null and numbers: what stands up to the next separator. */
static jsn_status parse_word(reader *r, jsni_json *value)
{
    const char *stop = r->at;
    while (stop < r->end && *stop != '\0' && strchr(" \t\r\n,:[]{}\"", *stop) == NULL)
        stop++;
    const size_t length = (size_t)(stop - r->at);
    if (length == 0)
        return refuse(r, r->at == r->end ? "ends where a value should be"
                                         : "a value should be here");
    char *text = jsni_json_tree_text(r->root, length + 1);
    JSNI_TRY_ALLOC(text);
    memcpy(text, r->at, length);
    text[length] = '\0';
    value->text = text;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value->kind = JSNI_JSON_BOOL;
        value->truth = text[0] == 't';
    } else if (strcmp(text, "null") != 0 && !jsni_json_tree_number(value)) {
        return refuse(r, "neither a value of JSON nor a number within range");
    }
    r->at = stop;
    return JSN_OK;
}

static jsn_status parse_value(reader *r, jsni_json *value);

static jsn_status parse_entries(reader *r, jsni_json *parent, jsni_json_kind kind)
{
    const char close = kind == JSNI_JSON_OBJECT ? '}' : ']';
    jsni_json *first = NULL, **tail = &first;
    size_t count = 0;
    while (!take(r, close)) {
        if (count > 0 && !take(r, ','))
            return refuse(r, kind == JSNI_JSON_OBJECT ? "',' or '}' should be here"
                                                      : "',' or ']' should be here");
        skip_space(r);
        jsni_json *value = jsni_json_tree_value(r->root, r->line);
        JSNI_TRY_ALLOC(value);
        if (kind == JSNI_JSON_OBJECT) {
            if (!take(r, '"'))
                return refuse(r, "a key in quotes should be here");
            JSNI_TRY(parse_text(r, &value->key));
            if (!take(r, ':'))
                return refuse(r, "':' should be here");
        }
        JSNI_TRY(parse_value(r, value));
        *tail = value;
        tail = &value->next;
        count++;
    }
    return jsni_json_tree_close(parent, kind, first, count);
}

static jsn_status parse_value(reader *r, jsni_json *value)
{
    skip_space(r);
    if (r->at < r->end && (*r->at == '{' || *r->at == '[')) {
        const jsni_json_kind kind = *r->at == '{' ? JSNI_JSON_OBJECT : JSNI_JSON_ARRAY;
        if (r->depth == JSNI_JSON_MAX_DEPTH)
            return refuse(r, "nested too deeply");
        r->depth++;
        r->at++;
        JSNI_TRY(parse_entries(r, value, kind));
        r->depth--;
        return JSN_OK;
    }
    if (r->at < r->end && *r->at == '"') {
        r->at++;
        value->kind = JSNI_JSON_TEXT;
        return parse_text(r, &value->text);
    }
    return parse_word(r, value);
}

jsn_status jsni_json_parse_line(jsni_json **out, const char *name, size_t line,
                                const char *data, size_t length)
{
    jsni_json *root = NULL;
    *out = NULL;
    if (length > jsni_limit(JSNI_LIMIT_JSON))
        return jsni_limit_fail(JSNI_LIMIT_JSON, "%s", name);
    JSNI_TRY(jsni_json_tree_create(&root, name));
    reader r = {data, data + length, data, line, 0, root};
    skip_space(&r);
    root->line = (uint32_t)r.line;
    jsn_status status = parse_value(&r, root);
    if (status == JSN_OK) {
        skip_space(&r);
        if (r.at != r.end)
            status = refuse(&r, "text after the value");
    }
    if (status == JSN_OK)
        *out = root;
    else
        jsni_json_destroy(root);
    return status;
}

jsn_status jsni_json_parse(jsni_json **out, const char *name, const char *data,
                           size_t length)
{
    JSNI_NEED(out);
    JSNI_NEED(name);
    JSNI_NEED(data);
    return jsni_json_parse_line(out, name, 1, data, length);
}

jsn_status jsni_json_read_in(jsni_json **out, const char *folder, const char *name)
{
    JSNI_NEED(out);
    char *data = NULL;
    size_t length = 0;
    *out = NULL;
    JSNI_TRY(jsni_limit_read(JSNI_LIMIT_JSON, folder, name, &data, &length));
    char *path = jsni_file_path(folder, name);
    const jsn_status status =
        path == NULL ? JSN_ERR_MEMORY : jsni_json_parse(out, path, data, length);
    jsni_free(path);
    jsni_free(data);
    return status;
}

jsn_status jsni_json_read(jsni_json **out, const char *path)
{
    JSNI_NEED(out);
    JSNI_NEED(path);
    return jsni_json_read_in(out, NULL, path);
}
