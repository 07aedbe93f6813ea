/* sweep/sweep_axis.c - searched options: read from the command line, written as Optuna's
 * distributions, and values of trials in both directions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/number.h"
#include "core/option.h"
#include "sweep/sweep_impl.h"
#include "train/spec_check.h"

void jsni_axis_release(jsni_sweep_axis *axis)
{
    jsn_texts_release(&axis->choices);
    *axis = (jsni_sweep_axis){0};
}

static jsn_status find_row(const char *name, const jsn_option_info **out)
{
    size_t count = 0;
    const jsn_option_info *table = jsn_train_options(&count);
    *out = jsni_options_find(table, count, name);
    if (strcmp(name, "config") == 0)
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "--config cannot be an axis: the files may change between "
                         "trials; its options can be axes");
    if (*out != NULL && (*out)->kind != JSN_OPTION_TEXTS &&
        (*out)->kind != JSN_OPTION_FLAG && strcmp(name, "out") != 0)
        return JSN_OK;
    if (*out != NULL)
        return jsni_fail(JSN_ERR_ARGUMENT, "--%s cannot be an axis", name);
    /* The table's own sentence offers the nearest name. */
    jsn_train_config scratch;
    jsn_train_config_clear(&scratch);
    const jsn_status status = jsn_train_config_set(&scratch, name, "0");
    jsn_train_config_release(&scratch);
    return status;
}

/* Whether a text is a value of the option. */
static jsn_status check_value(const jsn_option_info *row, const char *text)
{
    jsn_train_config scratch;
    jsn_train_config_clear(&scratch);
    jsn_status status = jsn_train_config_set(&scratch, row->name, text);
    jsn_train_config_release(&scratch);
    return status == JSN_OK ? jsni_train_check_spec(row->name, text) : status;
}

/* Whether a piece between commas belongs to the spec before it: "beta=1" does, a new
 * spec such as "sce:alpha=0.1" does not. */
static bool continues_spec(const char *piece, size_t length)
{
    const char *equals = memchr(piece, '=', length);
    const char *colon = memchr(piece, ':', length);
    return equals != NULL && (colon == NULL || colon > equals);
}

/* Whether two texts are the same value: equal, or equal numbers. */
static bool same_value(const char *a, const char *b)
{
    double x = 0.0, y = 0.0;
    return strcmp(a, b) == 0 || (jsni_number_real(a, strlen(a), &x) &&
                                 jsni_number_real(b, strlen(b), &y) && x == y);
}

static jsn_status split_choices(jsni_sweep_axis *axis, const char *list)
{
    const char separator = strchr(list, ';') != NULL ? ';' : ',';
    for (const char *at = list;;) {
        const char *end = strchr(at, separator);
        while (end != NULL && separator == ',') {
            const char *next = strchr(end + 1, ',');
            const size_t length =
                next == NULL ? strlen(end + 1) : (size_t)(next - end - 1);
            if (!continues_spec(end + 1, length))
                break;
            end = next;
        }
        char *word =
            end == NULL ? jsni_text_copy(at) : jsni_text_copy_n(at, (size_t)(end - at));
        JSNI_TRY_ALLOC(word);
        jsn_status status =
            word[0] == '\0'
                ? jsni_fail(JSN_ERR_ARGUMENT, "axis '%s': an empty value in '%s'",
                            axis->row->name, list)
                : check_value(axis->row, word);
        for (size_t i = 0; status == JSN_OK && i < axis->choices.count; i++)
            if (same_value(axis->choices.items[i], word))
                status = jsni_fail(JSN_ERR_ARGUMENT, "axis '%s': '%s' comes twice",
                                   axis->row->name, word);
        if (status == JSN_OK)
            status = jsn_texts_add(&axis->choices, word);
        jsni_free(word);
        JSNI_TRY(status);
        if (end == NULL)
            return JSN_OK;
        at = end + 1;
    }
}

static jsn_status read_range(jsni_sweep_axis *axis, const char *text, const char *dots)
{
    const jsn_option_info *row = axis->row;
    if (strncmp(text, "log:", 4) == 0) {
        axis->log_scale = true;
        text += 4;
    }
    if (row->kind != JSN_OPTION_REAL && row->kind != JSN_OPTION_INT)
        return jsni_fail(JSN_ERR_ARGUMENT, "axis '%s': only numbers have ranges",
                         row->name);
    if (!jsni_number_real(text, (size_t)(dots - text), &axis->low) ||
        !jsni_number_real(dots + 2, strlen(dots + 2), &axis->high))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "axis '%s': '%s' is not of the form LOW..HIGH", row->name,
                         text);
    if (!(axis->low < axis->high) || (axis->log_scale && axis->low <= 0.0) ||
        axis->low < row->lowest || axis->high > row->highest)
        return jsni_fail(JSN_ERR_RANGE, "axis '%s': %g..%g must rise%s, within %g..%g",
                         row->name, axis->low, axis->high,
                         axis->log_scale ? " from above 0" : "", row->lowest,
                         row->highest);
    if (row->kind == JSN_OPTION_INT &&
        (axis->low != floor(axis->low) || axis->high != floor(axis->high)))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "axis '%s': %g..%g must be from one whole number to another",
                         row->name, axis->low, axis->high);
    axis->kind = row->kind == JSN_OPTION_INT ? JSNI_SWEEP_INT : JSNI_SWEEP_REAL;
    return JSN_OK;
}

double jsni_axis_draw(double low, double high, bool whole, bool log_scale,
                      jsni_rng *rng)
{
    const double u = jsni_rng_uniform(rng);
    if (whole && log_scale) { /* each number has the part that is rounded to it */
        const double from = log(low - 0.5), to = log(high + 0.5);
        const double value = floor(exp(from + u * (to - from)) + 0.5);
        return fmin(fmax(value, low), high);
    }
    if (whole)
        return low + floor(u * (high - low + 1.0));
    return log_scale ? exp(log(low) + u * (log(high) - log(low)))
                     : low + u * (high - low);
}

jsn_status jsni_axis_parse(jsni_sweep_axis *out, const char *text)
{
    *out = (jsni_sweep_axis){0};
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0')
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "axis '%s': must be OPTION=VALUE,VALUE... or OPTION=LOW..HIGH",
                         text);
    char *name = jsni_text_copy_n(text, (size_t)(equals - text));
    JSNI_TRY_ALLOC(name);
    jsn_status status = find_row(name, &out->row);
    jsni_free(name);
    JSNI_TRY(status);
    const char *dots = strstr(equals + 1, "..");
    const bool number =
        out->row->kind == JSN_OPTION_REAL || out->row->kind == JSN_OPTION_INT;
    if (dots != NULL && number)
        status = read_range(out, equals + 1, dots);
    else
        status = split_choices(out, equals + 1);
    if (status != JSN_OK)
        jsni_axis_release(out);
    return status;
}

/* A choice as JSON: a number where the option is one. */
static void put_choice(const jsn_option_info *row, jsni_json_writer *w,
                       const char *text)
{
    double real = 0.0;
    int64_t whole = 0;
    if (row != NULL && row->kind == JSN_OPTION_INT &&
        jsni_number_int(text, strlen(text), &whole))
        jsni_json_put_int(w, NULL, whole);
    else if (row != NULL && row->kind == JSN_OPTION_REAL &&
             jsni_number_real(text, strlen(text), &real))
        jsni_json_put_real(w, NULL, real);
    else
        jsni_json_put_text(w, NULL, text);
}

static void put_range(jsni_json_writer *w, jsni_sweep_kind kind, double low,
                      double high, bool log_scale)
{
    jsni_json_put_text(
        w, "name", kind == JSNI_SWEEP_INT ? "IntDistribution" : "FloatDistribution");
    jsni_json_begin_object(w, "attributes");
    jsni_json_put_bool(w, "log", log_scale);
    if (kind == JSNI_SWEEP_INT) {
        jsni_json_put_int(w, "step", 1);
        jsni_json_put_int(w, "low", (int64_t)low);
        jsni_json_put_int(w, "high", (int64_t)high);
    } else {
        jsni_json_put_null(w, "step");
        jsni_json_put_real(w, "low", low);
        jsni_json_put_real(w, "high", high);
    }
    jsni_json_end(w);
}

static void put_choices(jsni_json_writer *w, const jsn_option_info *row,
                        char *const *choices, size_t count)
{
    jsni_json_put_text(w, "name", "CategoricalDistribution");
    jsni_json_begin_object(w, "attributes");
    jsni_json_begin_array(w, "choices");
    for (size_t i = 0; i < count; i++)
        put_choice(row, w, choices[i]);
    jsni_json_end(w);
    jsni_json_end(w);
}

void jsni_axis_put(const jsni_sweep_axis *axis, jsni_json_writer *w, const char *key)
{
    jsni_json_begin_object(w, key);
    if (axis->kind == JSNI_SWEEP_CHOICES)
        put_choices(w, axis->row, axis->choices.items, axis->choices.count);
    else
        put_range(w, axis->kind, axis->low, axis->high, axis->log_scale);
    jsni_json_end(w);
}

const char *jsni_axis_word(const jsni_json *value)
{
    if (jsni_json_kind_of(value) == JSNI_JSON_BOOL)
        return jsni_json_bool(value) ? "1" : "0";
    return jsni_json_text(value);
}

static jsn_status encode_in(const jsni_json *axis, const char *name, const char *text,
                            double *value)
{
    const jsni_json *attributes = jsni_json_get(axis, "attributes");
    const jsni_json *choices = jsni_json_get(attributes, "choices");
    for (size_t i = 0; i < jsni_json_count(choices); i++)
        if (same_value(jsni_axis_word(jsni_json_at(choices, i)), text)) {
            *value = (double)i;
            return JSN_OK;
        }
    double real = 0.0;
    if (choices == NULL && jsni_number_real(text, strlen(text), &real) &&
        real >= jsni_json_real(jsni_json_get(attributes, "low")) &&
        real <= jsni_json_real(jsni_json_get(attributes, "high"))) {
        *value = real;
        return JSN_OK;
    }
    return jsni_fail(JSN_ERR_RANGE, "%s: '%s' is not among the study's values", name,
                     text);
}

jsn_status jsni_axis_encode(const jsni_json *axes, const char *name, const char *text,
                            double *value, char **distribution)
{
    const jsn_option_info *row = NULL;
    const jsni_json *axis = jsni_json_get(axes, name);
    JSNI_TRY(find_row(name, &row));
    JSNI_TRY(check_value(row, text));
    *value = 0.0;
    if (axis != NULL)
        JSNI_TRY(encode_in(axis, name, text, value));
    jsni_json_writer *w = NULL;
    JSNI_TRY(jsni_json_writer_create(&w, 0));
    if (axis != NULL) {
        jsni_json_put_value(w, NULL, axis);
    } else {
        jsni_json_begin_object(w, NULL);
        if ((row->kind == JSN_OPTION_INT || row->kind == JSN_OPTION_REAL) &&
            jsni_number_real(text, strlen(text), value)) {
            put_range(w, row->kind == JSN_OPTION_INT ? JSNI_SWEEP_INT : JSNI_SWEEP_REAL,
                      row->lowest, row->highest, false);
        } else {
            char *one[] = {(char *)text};
            put_choices(w, row, one, 1);
        }
        jsni_json_end(w);
    }
    const jsn_status status = jsni_json_writer_take(w, distribution);
    jsni_json_writer_destroy(w);
    return status;
}

jsn_status jsni_axis_decode(const char *distribution, double value, char **text)
{
    jsni_json *doc = NULL;
    JSNI_TRY(
        jsni_json_parse(&doc, "distribution_json", distribution, strlen(distribution)));
    const jsni_json *choices =
        jsni_json_get(jsni_json_get(doc, "attributes"), "choices");
    jsn_status status = JSN_OK;
    if (choices != NULL) {
        /* Not a number, or beyond the list: no choice. */
        const bool within = value >= 0.0 && value < (double)jsni_json_count(choices);
        const jsni_json *choice = within ? jsni_json_at(choices, (size_t)value) : NULL;
        *text = jsni_text_copy(jsni_axis_word(choice));
    } else {
        char number[JSNI_NUMBER_TEXT];
        jsni_number_format(value, number);
        *text = jsni_text_copy(number);
    }
    if (*text == NULL)
        status = JSN_ERR_MEMORY;
    jsni_json_destroy(doc);
    return status;
}
