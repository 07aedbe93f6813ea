/* core/spec.c - see core/spec.h. */
#include "core/spec.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/number.h"
#include "core/text.h"

bool jsni_spec_names(const char *spec, const char *name)
{
    const size_t length = strcspn(spec, ":");
    return length == strlen(name) && memcmp(spec, name, length) == 0;
}

size_t jsni_spec_length(const char *list)
{
    size_t length = strcspn(list, ",");
    while (list[length] == ',') {
        const char *next = list + length + 1;
        const size_t key = strcspn(next, "=:,+*");
        if (next[key] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return length;
}

static size_t find_param(const jsn_param_info *params, size_t count, const char *key,
                         size_t length)
{
    size_t i = 0;
    while (i < count && (params[i].kind == JSN_PARAM_POSITIONAL ||
                         strlen(params[i].name) != length ||
                         memcmp(params[i].name, key, length) != 0))
        i++;
    return i;
}

static jsn_status unknown_key(const char *spec, const jsn_param_info *params,
                              size_t count, const char *key, size_t length)
{
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)length, key);
    jsni_names names;
    jsni_names_begin(&names, word, NULL);
    for (size_t i = 0; i < count; i++)
        if (params[i].kind != JSN_PARAM_POSITIONAL)
            jsni_names_add(&names, params[i].name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "'%s': no parameter '%s'",
                           spec, word);
}

/* The end of a value that starts at `text`: the next comma or the end. A positional
 * value goes on over commas that do not start a known key. */
static const char *value_end(const char *text, const jsn_param_info *params,
                             size_t count, bool positional)
{
    const char *end = text + strcspn(text, ",");
    while (positional && *end == ',') {
        const char *key = end + 1;
        const size_t length = strcspn(key, "=,");
        if (key[length] == '=' && find_param(params, count, key, length) < count)
            break;
        end = key + strcspn(key, ",");
    }
    return end;
}

static jsn_status check_real(const char *spec, const jsn_param_info *info,
                             const char *text, size_t length, double *out)
{
    double value = 0.0;
    if (!jsni_number_real(text, length, &value))
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': %s='%.*s' is not a number", spec,
                         info->name, (int)length, text);
    /* Written so that NaN fails as well. */
    if (!(value >= info->lowest && value <= info->highest))
        return jsni_fail(JSN_ERR_RANGE, "'%s': %s must lie in [%.10g, %.10g]", spec,
                         info->name, info->lowest, info->highest);
    *out = value;
    return JSN_OK;
}

static jsn_status check_reals(const char *spec, const jsn_param_info *info,
                              const char *text, size_t length)
{
    size_t entries = 0;
    for (size_t at = 0; at <= length; entries++) {
        const char *slash = memchr(text + at, '/', length - at);
        const size_t n = slash == NULL ? length - at : (size_t)(slash - text) - at;
        double unused = 0.0;
        JSNI_TRY(check_real(spec, info, text + at, n, &unused));
        at += n + 1;
    }
    if (entries > JSNI_SPEC_MAX_REALS)
        return jsni_fail(JSN_ERR_RANGE, "'%s': %s has more than %d entries", spec,
                         info->name, JSNI_SPEC_MAX_REALS);
    return JSN_OK;
}

static jsn_status take_value(const char *spec, const jsn_param_info *info,
                             const char *text, size_t length, jsni_spec_value *value)
{
    if (value->given)
        return jsni_fail(JSN_ERR_ARGUMENT, "'%s': %s is given twice", spec, info->name);
    switch (info->kind) {
    case JSN_PARAM_REAL:
        JSNI_TRY(check_real(spec, info, text, length, &value->real));
        break;
    case JSN_PARAM_REALS:
        JSNI_TRY(check_reals(spec, info, text, length));
        break;
    case JSN_PARAM_TEXT:
    case JSN_PARAM_POSITIONAL:
        if (length == 0)
            return jsni_fail(JSN_ERR_ARGUMENT, "'%s': %s is empty", spec, info->name);
        break;
    }
    value->given = true;
    value->text = text;
    value->length = length;
    return JSN_OK;
}

/* A leading positional value, when the table has one and the text is not key=value
 * of a known key. Moves *at behind it. */
static jsn_status take_positional(const char *spec, const jsn_param_info *params,
                                  size_t count, jsni_spec_value *values,
                                  const char **at)
{
    size_t i = 0;
    while (i < count && params[i].kind != JSN_PARAM_POSITIONAL)
        i++;
    const size_t length = strcspn(*at, "=,");
    if (i == count ||
        ((*at)[length] == '=' && find_param(params, count, *at, length) < count))
        return JSN_OK;
    const char *end = value_end(*at, params, count, true);
    JSNI_TRY(take_value(spec, &params[i], *at, (size_t)(end - *at), &values[i]));
    *at = *end == ',' ? end + 1 : NULL;
    return JSN_OK;
}

jsn_status jsni_spec_values(const char *spec, const jsn_param_info *params,
                            size_t count, jsni_spec_value *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (jsni_spec_value){.real = params[i].initial};

    const char *colon = strchr(spec, ':');
    const char *at = colon == NULL ? NULL : colon + 1;
    if (at != NULL)
        JSNI_TRY(take_positional(spec, params, count, values, &at));
    while (at != NULL) {
        const size_t length = strcspn(at, "=,");
        if (at[length] != '=')
            return jsni_fail(JSN_ERR_ARGUMENT, "'%s': expected key=value at '%s'", spec,
                             at);
        const size_t i = find_param(params, count, at, length);
        if (i == count)
            return unknown_key(spec, params, count, at, length);
        const char *text = at + length + 1;
        const char *end = value_end(text, params, count, false);
        JSNI_TRY(take_value(spec, &params[i], text, (size_t)(end - text), &values[i]));
        at = *end == ',' ? end + 1 : NULL;
    }
    return JSN_OK;
}

void jsni_spec_reals(const jsni_spec_value *value, double *out, size_t *count)
{
    *count = 0;
    for (size_t at = 0; value->given && at <= value->length;) {
        const char *slash = memchr(value->text + at, '/', value->length - at);
        const size_t n =
            slash == NULL ? value->length - at : (size_t)(slash - value->text) - at;
        (void)jsni_number_real(value->text + at, n, &out[(*count)++]);
        at += n + 1;
    }
}

jsn_status jsni_spec_text(const jsni_spec_value *value, char **out)
{
    *out = NULL;
    if (!value->given)
        return JSN_OK;
    *out = jsni_text_copy_n(value->text, value->length);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}
