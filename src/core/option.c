/* core/option.c - see jensen/option.h. */
#include "jensen/option.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/number.h"
#include "core/option.h"
#include "core/text.h"

void jsn_text_release(char *text)
{
    jsni_free(text);
}

jsn_status jsn_texts_add(jsn_texts *texts, const char *text)
{
    JSNI_NEED(texts);
    JSNI_NEED(text);
    char **items = jsni_alloc(texts->count + 1, sizeof *items);
    char *copy = jsni_text_copy(text);
    if (items == NULL || copy == NULL) {
        jsni_free(items);
        jsni_free(copy);
        return JSN_ERR_MEMORY;
    }
    if (texts->count > 0)
        memcpy(items, texts->items, texts->count * sizeof *items);
    items[texts->count] = copy;
    jsni_free(texts->items);
    texts->items = items;
    texts->count++;
    return JSN_OK;
}

void jsn_texts_release(jsn_texts *texts)
{
    if (texts == NULL)
        return;
    for (size_t i = 0; i < texts->count; i++)
        jsni_free(texts->items[i]);
    jsni_free(texts->items);
    *texts = (jsn_texts){0};
}

static void *field_of(const jsn_option_info *row, void *values)
{
    return (char *)values + row->offset;
}

static void clear_field(const jsn_option_info *row, void *values)
{
    void *field = field_of(row, values);
    switch (row->kind) {
    case JSN_OPTION_FLAG:
        *(bool *)field = false;
        break;
    case JSN_OPTION_INT:
        *(int64_t *)field = JSN_OPTION_INT_UNSET;
        break;
    case JSN_OPTION_REAL:
        *(double *)field = NAN;
        break;
    case JSN_OPTION_TEXT:
    case JSN_OPTION_CHOICE:
        *(char **)field = NULL;
        break;
    case JSN_OPTION_TEXTS:
        *(jsn_texts *)field = (jsn_texts){0};
        break;
    }
}

static jsn_status bad_value(jsn_status status, const jsn_option_info *row,
                            const char *text, const char *why)
{
    return jsni_fail(status, "--%s '%s': %s", row->name, text, why);
}

static jsn_status out_of_bounds(const jsn_option_info *row, const char *text)
{
    return jsni_fail(JSN_ERR_RANGE, "--%s %s: must lie in [%.16g, %.16g]", row->name,
                     text, row->lowest, row->highest);
}

static jsn_status set_flag(const jsn_option_info *row, bool *field, const char *text)
{
    if (text == NULL || strcmp(text, "1") == 0 || strcmp(text, "true") == 0)
        *field = true;
    else if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0)
        *field = false;
    else
        return bad_value(JSN_ERR_ARGUMENT, row, text, "must be 0 or 1");
    return JSN_OK;
}

static jsn_status set_int(const jsn_option_info *row, int64_t *field, const char *text)
{
    int64_t value = 0;
    if (strcmp(text, "auto") == 0 && row->initial == NULL) {
        *field = JSN_OPTION_INT_UNSET;
        return JSN_OK;
    }
    if (!jsni_number_int(text, strlen(text), &value))
        return bad_value(JSN_ERR_ARGUMENT, row, text, "not a whole number");
    if (!((double)value >= row->lowest && (double)value <= row->highest))
        return out_of_bounds(row, text);
    *field = value;
    return JSN_OK;
}

static jsn_status set_real(const jsn_option_info *row, double *field, const char *text)
{
    double value = 0.0;
    if (strcmp(text, "auto") == 0 && row->initial == NULL) {
        *field = NAN;
        return JSN_OK;
    }
    if (!jsni_number_real(text, strlen(text), &value))
        return bad_value(JSN_ERR_ARGUMENT, row, text, "not a number");
    if (!(value >= row->lowest && value <= row->highest))
        return out_of_bounds(row, text);
    *field = value;
    return JSN_OK;
}

static bool is_choice(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = choices; at != NULL;) {
        const size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, text, n) == 0)
            return true;
        at = at[n] == '|' ? at + n + 1 : NULL;
    }
    return false;
}

static jsn_status set_text(const jsn_option_info *row, char **field, const char *text)
{
    if (row->kind == JSN_OPTION_CHOICE && !is_choice(row->choices, text))
        return jsni_fail(JSN_ERR_ARGUMENT, "--%s '%s': must be one of %s", row->name,
                         text, row->choices);
    if (strcmp(text, "auto") == 0 && row->initial == NULL &&
        row->kind == JSN_OPTION_TEXT) {
        jsni_free(*field);
        *field = NULL;
        return JSN_OK;
    }
    char *copy = jsni_text_copy(text);
    if (copy == NULL)
        return JSN_ERR_MEMORY;
    jsni_free(*field);
    *field = copy;
    return JSN_OK;
}

static jsn_status set_row(const jsn_option_info *row, void *values, const char *text)
{
    void *field = field_of(row, values);
    if (text == NULL && row->value_name != NULL && row->value_name[0] == '[')
        text = "-";
    if (text == NULL && row->kind != JSN_OPTION_FLAG)
        return jsni_fail(JSN_ERR_ARGUMENT, "--%s needs a value (%s)", row->name,
                         row->value_name);
    switch (row->kind) {
    case JSN_OPTION_FLAG:
        return set_flag(row, field, text);
    case JSN_OPTION_INT:
        return set_int(row, field, text);
    case JSN_OPTION_REAL:
        return set_real(row, field, text);
    case JSN_OPTION_TEXT:
    case JSN_OPTION_CHOICE:
        return set_text(row, field, text);
    case JSN_OPTION_TEXTS:
        return jsn_texts_add(field, text);
    }
    return JSN_OK;
}

void jsni_options_clear(const jsn_option_info *table, size_t count, void *values)
{
    if (table == NULL || values == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        clear_field(&table[i], values);
}

bool jsni_options_is_set(const jsn_option_info *row, const void *values)
{
    if (row == NULL || values == NULL)
        return false;
    const void *field = (const char *)values + row->offset;
    switch (row->kind) {
    case JSN_OPTION_FLAG:
        return *(const bool *)field;
    case JSN_OPTION_INT:
        return *(const int64_t *)field != JSN_OPTION_INT_UNSET;
    case JSN_OPTION_REAL:
        return !isnan(*(const double *)field);
    case JSN_OPTION_TEXT:
    case JSN_OPTION_CHOICE:
        return *(char *const *)field != NULL;
    case JSN_OPTION_TEXTS:
        return ((const jsn_texts *)field)->count > 0;
    }
    return false;
}

jsn_status jsni_options_init(const jsn_option_info *table, size_t count, void *values)
{
    if (count == 0)
        return JSN_OK;
    JSNI_NEED(table);
    JSNI_NEED(values);
    jsni_options_clear(table, count, values);
    for (size_t i = 0; i < count; i++) {
        if (table[i].initial == NULL)
            continue;
        const jsn_status status = set_row(&table[i], values, table[i].initial);
        if (status != JSN_OK) {
            jsni_options_release(table, count, values);
            return status;
        }
    }
    return JSN_OK;
}

static const jsn_option_info *find_row(const jsn_option_info *table, size_t count,
                                       const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

/* What other programs call an option of ours; NULL: nothing that we know of. */
static const char *other_name(const char *word)
{
    static const char *const known[][2] = {
        {"arch", "network"},      {"backbone", "network"},
        {"batch-size", "batch"},  {"bs", "batch"},
        {"data-dir", "data"},     {"gpu", "device"},
        {"learning-rate", "lr"},  {"model", "network"},
        {"num-epochs", "epochs"}, {"num-workers", "workers"},
        {"optim", "optimizer"},   {"output", "out"},
        {"output-dir", "out"},    {"pretrained", "init"},
        {"wd", "weight-decay"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(word, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

static jsn_status unknown_option(const jsn_option_info *table, size_t count,
                                 const char *name)
{
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    const char *ours = other_name(word);
    if (ours != NULL && find_row(table, count, ours, strlen(ours)) != NULL)
        return jsni_fail(JSN_ERR_UNKNOWN_NAME, "no option '%s'; did you mean '%s'?",
                         word, ours);
    jsni_names names;
    jsni_names_begin(&names, word, "--help");
    for (size_t i = 0; i < count; i++)
        jsni_names_add(&names, table[i].name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no option '%s'", word);
}

const jsn_option_info *jsni_options_find(const jsn_option_info *table, size_t count,
                                         const char *name)
{
    if (table == NULL || name == NULL)
        return NULL;
    return find_row(table, count, name, strlen(name));
}

jsn_status jsni_options_set(const jsn_option_info *table, size_t count, void *values,
                            const char *name, const char *text)
{
    JSNI_NEED(name);
    if (count > 0)
        JSNI_NEED(table);
    const jsn_option_info *row = jsni_options_find(table, count, name);
    if (row == NULL)
        return unknown_option(table, count, name);
    return set_row(row, values, text);
}

jsn_status jsni_options_text(const jsn_option_info *row, const void *values, char **out)
{
    JSNI_NEED(row);
    JSNI_NEED(values);
    JSNI_NEED(out);
    const void *field = (const char *)values + row->offset;
    jsni_text text = {0};
    char number[JSNI_NUMBER_TEXT];
    switch (row->kind) {
    case JSN_OPTION_FLAG:
        jsni_text_add(&text, *(const bool *)field ? "1" : "0");
        break;
    case JSN_OPTION_INT:
        if (*(const int64_t *)field == JSN_OPTION_INT_UNSET)
            jsni_text_add(&text, "auto");
        else
            jsni_text_format(&text, "%lld", (long long)*(const int64_t *)field);
        break;
    case JSN_OPTION_REAL:
        if (isnan(*(const double *)field)) {
            jsni_text_add(&text, "auto");
        } else {
            jsni_number_format(*(const double *)field, number);
            jsni_text_add(&text, number);
        }
        break;
    case JSN_OPTION_TEXT:
    case JSN_OPTION_CHOICE: {
        const char *held = *(char *const *)field;
        jsni_text_add(&text, held == NULL ? "auto" : held);
        break;
    }
    case JSN_OPTION_TEXTS: {
        const jsn_texts *texts = field;
        for (size_t i = 0; i < texts->count; i++)
            jsni_text_format(&text, "%s%s", i == 0 ? "" : " ", texts->items[i]);
        break;
    }
    }
    return jsni_text_take(&text, out);
}

/* "-n", "--name" or "--name=value", but not "-" and not a negative number. */
static bool is_option(const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return false;
    return strchr("0123456789.", word[1]) == NULL;
}

static const jsn_option_info *find_word(const jsn_option_info *table, size_t count,
                                        const char *word)
{
    if (word[1] == '-')
        return find_row(table, count, word + 2, strcspn(word + 2, "="));
    for (size_t i = 0; i < count; i++)
        if (word[2] == '\0' && table[i].letter == word[1])
            return &table[i];
    return NULL;
}

jsn_status jsni_options_parse(const jsn_option_info *table, size_t count, void *values,
                              int argc, char *const *argv, jsn_texts *positional)
{
    if (count > 0)
        JSNI_NEED(table);
    if (argc > 0)
        JSNI_NEED(argv);
    JSNI_NEED(values);
    JSNI_NEED(positional);
    bool options = true;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        if (!options || !is_option(word)) {
            JSNI_TRY(jsn_texts_add(positional, word));
            continue;
        }
        const jsn_option_info *row = find_word(table, count, word);
        if (row == NULL)
            return unknown_option(table, count, word[1] == '-' ? word + 2 : word + 1);
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        const char *value = equals == NULL ? NULL : equals + 1;
        if (value == NULL && i + 1 < argc && !is_option(argv[i + 1])) {
            /* A flag takes the next word only when it can be its value. */
            const char *next = argv[i + 1];
            if (row->kind != JSN_OPTION_FLAG || strcmp(next, "0") == 0 ||
                strcmp(next, "1") == 0) {
                value = next;
                i++;
            }
        }
        JSNI_TRY(set_row(row, values, value));
    }
    return JSN_OK;
}

void jsni_options_release(const jsn_option_info *table, size_t count, void *values)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        void *field = field_of(&table[i], values);
        if (table[i].kind == JSN_OPTION_TEXT || table[i].kind == JSN_OPTION_CHOICE) {
            jsni_free(*(char **)field);
            *(char **)field = NULL;
        } else if (table[i].kind == JSN_OPTION_TEXTS) {
            jsn_texts_release(field);
        }
    }
}
