/* store/record_numbers.c - see record_numbers.h. */
#include "store/record_numbers.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "store/record_field.h"

static const struct {
    const char *name;
    const jsni_range *range;
    size_t offset;
} fields[] = {
#define FIELD(name, range) \
    {#name, &jsni_range_##range, offsetof(jsni_record_numbers, name)},
    JSNI_RECORD_NUMBER_LIST(FIELD)
#undef FIELD
};

/* Every entry of a list is checked; the first one is the number. */
static jsn_status read_number(const jsni_json *object, size_t field, double *out)
{
    const jsni_json *value = jsni_json_get(object, fields[field].name);
    const jsni_range range = *fields[field].range;
    if (jsni_json_kind_of(value) != JSNI_JSON_ARRAY)
        return jsni_record_real(object, fields[field].name, range, out);
    *out = NAN;
    for (size_t i = jsni_json_count(value); i-- > 0;)
        JSNI_TRY(
            jsni_record_value(jsni_json_at(value, i), fields[field].name, range, out));
    return JSN_OK;
}

jsn_status jsni_record_numbers_read(jsni_record_numbers *numbers,
                                    const jsni_json *object)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        JSNI_TRY(
            read_number(object, i, (double *)((char *)numbers + fields[i].offset)));
    return JSN_OK;
}

double jsni_record_number(const jsni_record_numbers *numbers, const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return *(const double *)((const char *)numbers + fields[i].offset);
    assert(!"a number that the table does not have");
    return NAN;
}
