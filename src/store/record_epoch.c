/* store/record_epoch.c - see record_epoch.h. */
#include "store/record_epoch.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/hd.h"
#include "core/json.h"
#include "core/number.h"
#include "store/record_field.h"

/* In the order of the columns; `views`: one number a view. `epoch` comes before them. */
static const struct {
    const char *name;
    const jsni_range *range;
    size_t offset;
    bool views;
} fields[] = {
#define FIELD(name, range)                                           \
    {                                                                \
#name, &jsni_range_##range, offsetof(jsn_epoch, name), false \
    }
#define VIEWS(name, range)                                          \
    {                                                               \
#name, &jsni_range_##range, offsetof(jsn_epoch, name), true \
    }
    FIELD(lr, quantity),
    FIELD(loss, any),
    VIEWS(train_acc_true, share),
    VIEWS(train_acc_noisy, share),
    VIEWS(train_acc_all, share),
    FIELD(label_true_share, share),
    FIELD(weight_norm2, any),
    FIELD(val_acc, share),
    FIELD(val_acc_noisy, share),
    FIELD(val_loss, any),
    FIELD(test_acc, share),
    FIELD(test_top5, share),
    FIELD(test_loss, any),
    FIELD(test_ece, share),
    FIELD(consistency, share),
    FIELD(consistency_true, share),
    FIELD(consistency_noisy, share),
    FIELD(images_per_second, quantity),
    FIELD(seconds, quantity),
    FIELD(time, quantity),
#undef VIEWS
#undef FIELD
};

/* The numbers of a field: one, or one a view. */
static const double *values_of(const jsn_epoch *epoch, size_t field, size_t *count)
{
    *count = fields[field].views ? epoch->views : 1;
    return (const double *)((const char *)epoch + fields[field].offset);
}

jsn_epoch jsni_epoch_none(void)
{
    jsn_epoch epoch = {.size = sizeof epoch};
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        double *values = (double *)((char *)&epoch + fields[i].offset);
        for (size_t v = 0; v < (fields[i].views ? (size_t)JSN_EVENT_VIEWS : 1); v++)
            values[v] = NAN;
    }
    return epoch;
}

/* `none` stands for what was not measured. */
static void put_number(jsni_text *text, double value, const char *none)
{
    char digits[JSNI_NUMBER_TEXT];
    if (isfinite(value))
        jsni_number_format(value, digits);
    jsni_text_add(text, isfinite(value) ? digits : none);
}

void jsni_epoch_put_json(const jsn_epoch *epoch, jsni_text *lines)
{
    jsni_text_format(lines, "{\"epoch\":%lld", (long long)epoch->epoch);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        size_t count = 0;
        const double *values = values_of(epoch, i, &count);
        jsni_text_format(lines, ",\"%s\":%s", fields[i].name,
                         fields[i].views ? "[" : "");
        for (size_t v = 0; v < count; v++) {
            jsni_text_add(lines, v > 0 ? "," : "");
            put_number(lines, values[v], "null");
        }
        jsni_text_add(lines, fields[i].views ? "]" : "");
    }
    jsni_text_add(lines, "}\n");
}

static void put_names(const jsn_epoch *epoch, jsni_text *csv)
{
    jsni_text_add(csv, "epoch");
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        if (!fields[i].views)
            jsni_text_format(csv, ",%s", fields[i].name);
        for (size_t v = 0; fields[i].views && v < epoch->views; v++)
            jsni_text_format(csv, ",%s_%zu", fields[i].name, v);
    }
    jsni_text_add(csv, "\n");
}

void jsni_epoch_put_csv(const jsn_epoch *epoch, bool names, jsni_text *csv)
{
    if (names)
        put_names(epoch, csv);
    jsni_text_format(csv, "%lld", (long long)epoch->epoch);
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        size_t count = 0;
        const double *values = values_of(epoch, i, &count);
        for (size_t v = 0; v < count; v++) {
            jsni_text_add(csv, ",");
            put_number(csv, values[v], "");
        }
    }
    jsni_text_add(csv, "\n");
}

static jsn_status read_field(jsn_epoch *epoch, size_t field, const jsni_json *row)
{
    const char *name = fields[field].name;
    const jsni_range range = *fields[field].range;
    const jsni_json *value = jsni_json_get(row, name);
    double *to = (double *)((char *)epoch + fields[field].offset);
    if (jsni_json_kind_of(value) != JSNI_JSON_ARRAY)
        return jsni_record_real(row, name, range, to);
    const size_t count = jsni_json_count(value);
    if (count > (fields[field].views ? (size_t)JSN_EVENT_VIEWS : 1))
        return jsni_json_refuse(value, "there are more entries than views");
    for (size_t v = 0; v < count; v++)
        JSNI_TRY(jsni_record_value(jsni_json_at(value, v), name, range, &to[v]));
    if (fields[field].views && count > epoch->views)
        epoch->views = count;
    return JSN_OK;
}

jsn_status jsni_epoch_read(jsn_epoch *epoch, const jsni_json *row)
{
    *epoch = jsni_epoch_none();
    epoch->views = 1;
    JSNI_TRY(jsni_record_int(row, "epoch", 0, INT64_C(1) << 53, 0, &epoch->epoch));
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        JSNI_TRY(read_field(epoch, i, row));
    return JSN_OK;
}

jsn_status jsni_epoch_walk(const jsn_epoch *epoch,
                           jsn_status (*put)(void *user, const char *name,
                                             double value),
                           void *user)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++) {
        size_t count = 0;
        const double *values = values_of(epoch, i, &count);
        for (size_t v = 0; v < count; v++) {
            char name[64];
            jsni_text tag = jsni_text_in(name, sizeof name);
            jsni_text_add(&tag, fields[i].name);
            if (fields[i].views)
                jsni_text_format(&tag, "/view%zu", v + 1);
            if (isfinite(values[v]) && values != &epoch->time)
                JSNI_TRY(put(user, name, values[v]));
        }
    }
    return JSN_OK;
}

double jsni_epoch_number(const jsn_epoch *epoch, const char *name)
{
    for (size_t i = 0; i < JSNI_COUNT_OF(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return *(const double *)((const char *)epoch + fields[i].offset);
    return NAN;
}
