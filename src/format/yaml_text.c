/* format/yaml_text.c - the parts of YAML that need no library: the core schema, files,
 * and the writer; see yaml.h. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/number.h"
#include "format/yaml.h"

static bool one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* 0x1F and 0o17, without a sign, as the core schema has them. */
static bool based_int(const char *text, int64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    const int64_t base = text[0] != '0'   ? 0
                         : text[1] == 'x' ? 16
                         : text[1] == 'o' ? 8
                                          : 0;
    if (base == 0 || text[2] == '\0')
        return false;
    int64_t value = 0;
    for (const char *at = text + 2; *at != '\0'; at++) {
        const char lower = *at >= 'A' && *at <= 'F' ? (char)(*at - 'A' + 'a') : *at;
        const char *digit = strchr(digits, lower);
        if (digit == NULL || digit - digits >= base ||
            value > (INT64_MAX - base) / base)
            return false;
        value = value * base + (digit - digits);
    }
    *out = value;
    return true;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool decimal_grammar(const char *at)
{
    at += *at == '-' || *at == '+';
    const size_t before = strspn(at, "0123456789");
    at += before;
    if (*at == '.') {
        const size_t after = strspn(at + 1, "0123456789");
        if (before == 0 && after == 0)
            return false;
        at += 1 + after;
    } else if (before == 0) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        const size_t digits = strspn(at, "0123456789");
        if (digits == 0)
            return false;
        at += digits;
    }
    return *at == '\0';
}

jsn_status jsni_yaml_resolve(jsni_json *value)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const truths[] = {"true",  "True",  "TRUE",
                                         "false", "False", "FALSE"};
    static const char *const infinite[] = {".inf",  ".Inf",  ".INF",  "-.inf",
                                           "-.Inf", "-.INF", "+.inf", "+.Inf",
                                           "+.INF", ".nan",  ".NaN",  ".NAN"};
    const char *text = value->text;
    value->kind = JSNI_JSON_TEXT;
    if (one_of(text, nulls, 5)) {
        value->kind = JSNI_JSON_NULL;
    } else if (one_of(text, truths, 6)) {
        value->kind = JSNI_JSON_BOOL;
        value->truth = text[0] == 't' || text[0] == 'T';
    } else if (one_of(text, infinite, 12)) {
        return jsni_json_refuse(value, "infinity and NaN are not accepted");
    } else if (based_int(text, &value->whole)) {
        value->kind = JSNI_JSON_NUMBER;
        value->is_int = true;
    } else if (decimal_grammar(text)) {
        if (!jsni_json_tree_set_number(value, strlen(text)))
            return jsni_json_refuse(value, "a number beyond the range of double");
    }
    return JSN_OK;
}

jsn_status jsni_yaml_read(jsni_json **out, const char *path)
{
    char *data = NULL;
    size_t length = 0;
    const size_t name = strlen(path);
    *out = NULL;
    JSNI_TRY(jsni_file_read(path, JSNI_YAML_MAX_BYTES, &data, &length));
    const bool json = name > 5 && strcmp(path + name - 5, ".json") == 0;
    const jsn_status status = json ? jsni_json_parse(out, path, data, length)
                                   : jsni_yaml_parse(out, path, data, length);
    jsni_free(data);
    return status;
}

/* Texts of plain characters only, that no reader, of YAML 1.1 or 1.2, takes for
 * something else. */
static bool is_plain(const char *value)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no", "on",
                                        "off",  "y",    "n",     "nan", "inf"};
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_./+=:-";
    char lower[8] = "";
    const size_t length = strlen(value);
    if (length == 0 || strspn(value, safe) != length || value[length - 1] == ':' ||
        strchr("-+=:.0123456789", value[0]) != NULL)
        return false;
    for (size_t i = 0; length < sizeof lower && i < length; i++)
        lower[i] = value[i] >= 'A' && value[i] <= 'Z' ? (char)(value[i] - 'A' + 'a')
                                                      : value[i];
    return !one_of(lower, words, sizeof words / sizeof words[0]);
}

static void add_control(jsni_text *text, unsigned char c)
{
    jsni_text_format(text, "\\u%04x", c);
}

/* As it is, or in double quotes. */
static void add_value(jsni_text *text, const char *value)
{
    if (is_plain(value))
        jsni_text_add(text, value);
    else
        jsni_json_add_quoted(text, value, add_control);
}

static void add_key(jsni_text *text, const char *key)
{
    add_value(text, key);
    jsni_text_add(text, ":");
}

void jsni_yaml_add_text(jsni_text *text, const char *key, const char *value)
{
    add_key(text, key);
    jsni_text_add(text, " ");
    add_value(text, value);
    jsni_text_add(text, "\n");
}

void jsni_yaml_add_word(jsni_text *text, const char *key, const char *word)
{
    add_key(text, key);
    jsni_text_format(text, " %s\n", word);
}

void jsni_yaml_add_list(jsni_text *text, const char *key, const char *const *items,
                        size_t count)
{
    add_key(text, key);
    jsni_text_add(text, count == 0 ? " []\n" : "\n");
    for (size_t i = 0; i < count; i++) {
        jsni_text_add(text, "  - ");
        add_value(text, items[i]);
        jsni_text_add(text, "\n");
    }
}

void jsni_yaml_add_comment(jsni_text *text, const char *line)
{
    jsni_text_format(text, "# %s\n", line);
}
