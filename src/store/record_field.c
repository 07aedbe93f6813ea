/* store/record_field.c - see record_field.h. */
#include "store/record_field.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_tree.h"
#include "core/text.h"

const jsni_range jsni_range_share = {0.0, 1.0 + 1e-9};
const jsni_range jsni_range_quantity = {0.0, 1e15};
const jsni_range jsni_range_any = {-DBL_MAX, DBL_MAX};

/* "key 'lr' is a text, not a number" and the like. */
static jsn_status refuse(const jsni_json *value, const char *what, const char *wanted)
{
    char sentence[300];
    const jsni_json_kind kind = jsni_json_kind_of(value);
    const bool number = kind == JSNI_JSON_NUMBER;
    jsni_text text = jsni_text_in(sentence, sizeof sentence);
    jsni_text_format(&text, "%.100s is %.40s, not %s", what,
                     number ? jsni_json_text(value) : jsni_json_kind_name(kind),
                     wanted);
    return jsni_json_refuse(value, sentence);
}

static void name_key(char out[120], const char *key)
{
    jsni_text text = jsni_text_in(out, 120);
    jsni_text_format(&text, "key '%s'", key);
}

jsn_status jsni_record_value(const jsni_json *value, const char *what, jsni_range range,
                             double *out)
{
    if (jsni_json_kind_of(value) == JSNI_JSON_NULL) {
        *out = NAN;
        return JSN_OK;
    }
    const double real = jsni_json_real(value);
    if (jsni_json_kind_of(value) != JSNI_JSON_NUMBER)
        return refuse(value, what, "a number");
    if (!(real >= range.low && real <= range.high)) {
        char wanted[80];
        jsni_text text = jsni_text_in(wanted, sizeof wanted);
        jsni_text_format(&text, "from %g to %g", range.low, range.high);
        return refuse(value, what, wanted);
    }
    *out = real;
    return JSN_OK;
}

jsn_status jsni_record_real(const jsni_json *object, const char *key, jsni_range range,
                            double *out)
{
    char what[120];
    name_key(what, key);
    return jsni_record_value(jsni_json_get(object, key), what, range, out);
}

jsn_status jsni_record_int(const jsni_json *object, const char *key, int64_t low,
                           int64_t high, int64_t unknown, int64_t *out)
{
    const jsni_json *value = jsni_json_get(object, key);
    char what[120], wanted[80];
    name_key(what, key);
    *out = unknown;
    if (jsni_json_kind_of(value) == JSNI_JSON_NULL)
        return JSN_OK;
    if (!jsni_json_is_int(value))
        return refuse(value, what, "a whole number");
    if (jsni_json_int(value) < low || jsni_json_int(value) > high) {
        jsni_text text = jsni_text_in(wanted, sizeof wanted);
        jsni_text_format(&text, "from %lld to %lld", (long long)low, (long long)high);
        return refuse(value, what, wanted);
    }
    *out = jsni_json_int(value);
    return JSN_OK;
}

static jsn_status copy_text(const jsni_json *value, const char *what, char **out)
{
    if (jsni_json_kind_of(value) != JSNI_JSON_TEXT)
        return refuse(value, what, "a text");
    if (strlen(jsni_json_text(value)) > JSNI_RECORD_LONGEST) {
        char sentence[200];
        jsni_text text = jsni_text_in(sentence, sizeof sentence);
        jsni_text_format(&text, "%s is longer than %d bytes", what,
                         JSNI_RECORD_LONGEST);
        return jsni_json_refuse(value, sentence);
    }
    *out = jsni_text_copy(jsni_json_text(value));
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

jsn_status jsni_record_text(const jsni_json *object, const char *key, char **out)
{
    const jsni_json *value = jsni_json_get(object, key);
    char what[120];
    name_key(what, key);
    *out = NULL;
    return jsni_json_kind_of(value) == JSNI_JSON_NULL ? JSN_OK
                                                      : copy_text(value, what, out);
}

jsn_status jsni_record_entries(const jsni_json *object, const char *key,
                               jsni_json_kind kind, size_t most, const jsni_json **out)
{
    const jsni_json *value = jsni_json_get(object, key);
    char what[120];
    name_key(what, key);
    *out = NULL;
    if (jsni_json_kind_of(value) == JSNI_JSON_NULL)
        return JSN_OK;
    if (jsni_json_kind_of(value) != kind)
        return refuse(value, what, jsni_json_kind_name(kind));
    if (jsni_json_count(value) > most) {
        char sentence[200];
        jsni_text text = jsni_text_in(sentence, sizeof sentence);
        jsni_text_format(&text, "%s has %zu entries, more than %zu", what,
                         jsni_json_count(value), most);
        return jsni_json_refuse(value, sentence);
    }
    *out = value;
    return JSN_OK;
}

jsn_status jsni_record_names(const jsni_json *object, const char *key, size_t most,
                             char ***out, size_t *count)
{
    const jsni_json *list = NULL;
    *out = NULL;
    *count = 0;
    JSNI_TRY(jsni_record_entries(object, key, JSNI_JSON_ARRAY, most, &list));
    if (list == NULL)
        return JSN_OK;
    const size_t total = jsni_json_count(list);
    char **names = jsni_alloc_zero(total, sizeof *names);
    JSNI_TRY_ALLOC(names);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < total; i++)
        status = copy_text(jsni_json_at(list, i), "a name", &names[i]);
    if (status != JSN_OK) {
        jsni_record_names_release(names, total);
        return status;
    }
    *out = names;
    *count = total;
    return JSN_OK;
}

void jsni_record_names_release(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++)
        jsni_free(names[i]);
    jsni_free(names);
}

jsn_status jsni_record_open(const char *folder, const char *name, jsni_json **out)
{
    bool there = false;
    *out = NULL;
    jsn_status status = jsni_file_find(folder, name, &there);
    if (status == JSN_OK && there)
        status = jsni_json_read_in(out, folder, name);
    if (status == JSN_OK && *out != NULL &&
        jsni_json_kind_of(*out) != JSNI_JSON_OBJECT) {
        status = jsni_json_refuse(*out, "not an object");
        jsni_json_destroy(*out);
        *out = NULL;
    }
    return status;
}
