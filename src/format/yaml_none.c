/* format/yaml_none.c - the build without libyaml; see yaml.h. It reads JSON, which is
 * YAML as well, and flat files of "key: value" lines, which is what run folders hold:
 * these become one JSON object, a line each, so that lines keep their numbers. */
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "format/yaml.h"
#include "jensen/option.h"

static jsn_status refuse(const char *name, size_t number)
{
    return jsni_fail(
        JSN_ERR_UNSUPPORTED,
        "%s:%zu: this build has no libyaml; it reads only 'key: value' lines and JSON",
        name, number);
}

/* Appends a text as JSON has it. */
static jsn_status add_quoted(jsni_text *out, const char *text)
{
    char *quoted = NULL;
    JSNI_TRY(jsni_json_quote(text, &quoted));
    jsni_text_add(out, quoted);
    jsn_text_release(quoted);
    return JSN_OK;
}

/* Numbers, true, false, null and quoted texts are JSON already; the rest is text. */
static jsn_status add_value(jsni_text *out, const char *value)
{
    jsni_json *parsed = NULL;
    if (value[0] == '\0') {
        jsni_text_add(out, "null");
        return JSN_OK;
    }
    if (strchr("[{&*!|>'%@`#", value[0]) == NULL &&
        jsni_json_parse(&parsed, "value", value, strlen(value)) == JSN_OK) {
        jsni_json_destroy(parsed);
        jsni_text_add(out, value);
        return JSN_OK;
    }
    if (strchr("\"[{&*!|>'%@`#", value[0]) != NULL)
        return JSN_ERR_UNSUPPORTED;
    return add_quoted(out, value);
}

/* One line, without its end; *entries counts those before it. */
static jsn_status add_line(jsni_text *out, const char *name, size_t number, char *line,
                           size_t *entries)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]) != NULL)
        line[--length] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return JSN_OK;
    char *colon = strchr(line, ':');
    while (colon != NULL && colon[1] != ' ' && colon[1] != '\0')
        colon = strchr(colon + 1, ':');
    if (colon == NULL || colon == line || strchr(" \t-\"'?[{", line[0]) != NULL ||
        strstr(line, " #") != NULL)
        return refuse(name, number);
    *colon = '\0';
    char *value = colon + 1;
    while (*value == ' ')
        value++;
    if ((*entries)++ > 0)
        jsni_text_add(out, ",");
    JSNI_TRY(add_quoted(out, line));
    jsni_text_add(out, ":");
    const jsn_status status = add_value(out, value);
    return status == JSN_ERR_UNSUPPORTED ? refuse(name, number) : status;
}

static jsn_status read_lines(jsni_text *out, const char *name, char *copy)
{
    size_t entries = 0, number = 1;
    jsni_text_add(out, "{");
    for (char *line = copy; line != NULL; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        JSNI_TRY(add_line(out, name, number, line, &entries));
        if (end != NULL)
            jsni_text_add(out, "\n");
        line = end == NULL ? NULL : end + 1;
    }
    jsni_text_add(out, "}");
    return out->status;
}

jsn_status jsni_yaml_parse(jsni_json **out, const char *name, const char *data,
                           size_t length)
{
    size_t i = 0;
    *out = NULL;
    while (i < length && data[i] != '\0' && strchr(" \t\r\n", data[i]) != NULL)
        i++;
    if (i < length && data[i] == '{')
        return jsni_json_parse(out, name, data, length);
    if (memchr(data, '\0', length) != NULL)
        return jsni_fail(JSN_ERR_DATA, "%s: a NUL byte in a text file", name);
    jsni_text json = {0};
    char *copy = jsni_text_copy_n(data, length);
    JSNI_TRY_ALLOC(copy);
    jsn_status status = read_lines(&json, name, copy);
    if (status == JSN_OK)
        status = jsni_json_parse(out, name, json.data, json.length);
    jsni_text_release(&json);
    jsni_free(copy);
    return status;
}
