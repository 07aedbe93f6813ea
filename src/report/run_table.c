/* report/run_table.c - see run_table.h. The last epoch's test accuracy is the result;
 * the best epoch's, which nobody could have picked without the test set, stands beside
 * it and is called what it is. */
#include "report/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "core/stats.h"
#include "jensen/report.h"
#include "report/best.h"
#include "report/pivot.h"

enum { WORDS = 160 };

static const struct {
    const char *group, *title, *key;
    double scale;
    int decimals;
    jsni_rivals
        *best; /* among which groups the largest value, and what is not told from
                        * it, is set in bold; NULL: none is */
} columns[] = {
    {"Test accuracy, %", "last epoch", "test_acc", 100, 2, jsni_run_set_same_problem},
    {"Test accuracy, %", "best epoch", "test_acc_best", 100, 2, NULL},
    {NULL, "Validation, %", "val_acc", 100, 2, NULL},
    {"True class found in training, %", "label right", "train_acc_true", 100, 2, NULL},
    {"True class found in training, %", "label wrong", "train_acc_noisy", 100, 2,
     jsni_run_set_same_labels},
    {"Consistency, %", "label right", "consistency_true", 100, 2, NULL},
    {"Consistency, %", "label wrong", "consistency_noisy", 100, 2, NULL},
    {NULL, "Real noise, %", "noise_real", 100, 2, NULL},
    {NULL, "Time, s", "seconds", 1, 0, NULL},
};

static bool column_used(const jsni_run_set *set, size_t column)
{
    for (size_t i = 0; i < set->count; i++)
        if (!isnan(jsni_run_record_result(&set->runs[i], columns[column].key)))
            return true;
    return false;
}

/* Where nothing is known of the labels of any run, "label right" would be a claim. */
static const char *title_of_unknown(const char *key)
{
    if (strcmp(key, "train_acc_true") == 0)
        return "Given label found in training, %";
    return strcmp(key, "consistency_true") == 0 ? "Consistency, %" : NULL;
}

static void add_columns(jsni_table *table, const jsni_run_set *set)
{
    bool known = false;
    for (size_t i = 0; i < set->count; i++)
        known = known || !isnan(jsni_run_record_result(&set->runs[i], "noise_real"));
    for (size_t c = 0; c < JSNI_COUNT_OF(columns); c++) {
        const char *title = known ? NULL : title_of_unknown(columns[c].key);
        if (column_used(set, c))
            jsni_table_column(table, title != NULL ? NULL : columns[c].group,
                              title != NULL ? title : columns[c].title,
                              JSNI_ALIGN_RIGHT);
    }
}

/* The setting of a run that the table has a column for, beside loss and noise. */
static bool is_extra(const jsni_run_set *set, const char *name)
{
    return strcmp(name, "loss") != 0 && strcmp(name, "noise") != 0 &&
           strcmp(name, "seed") != 0 && strcmp(name, "views") != 0 &&
           jsni_run_set_differs(set, name);
}

static bool has_setting(const jsni_run_record *run, const char *name)
{
    for (size_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].name, name) == 0)
            return true;
    return false;
}

/* The name of extra column `number`, or NULL behind the last. Not every run has every
 * setting: they come in the order of the first run that has them. */
static const char *extra_name(const jsni_run_set *set, size_t number)
{
    for (size_t r = 0; r < set->count; r++)
        for (size_t i = 0; i < set->runs[r].setting_count; i++) {
            const char *name = set->runs[r].settings[i].name;
            size_t before = 0;
            if (!is_extra(set, name))
                continue;
            while (before < r && !has_setting(&set->runs[before], name))
                before++;
            if (before == r && number-- == 0)
                return name;
        }
    return NULL;
}

static void add_setting_columns(jsni_table *table, const jsni_run_set *set)
{
    const char *name = NULL;
    jsni_table_column(table, NULL, "Loss", JSNI_ALIGN_LEFT);
    jsni_table_column(table, NULL, "Noise", JSNI_ALIGN_LEFT);
    for (size_t n = 0; (name = extra_name(set, n)) != NULL; n++)
        jsni_table_column(table, NULL, name, JSNI_ALIGN_LEFT);
}

static void add_settings(jsni_table *table, const jsni_run_set *set,
                         const jsni_run_record *run)
{
    jsni_table_text(table, jsni_run_record_setting(run, "loss"));
    jsni_table_text(table, jsni_run_record_setting(run, "noise"));
    const char *name = NULL;
    for (size_t n = 0; (name = extra_name(set, n)) != NULL; n++)
        jsni_table_text(table, jsni_run_record_setting(run, name));
}

/* Decimals of a column: of times as many as the shortest one needs. */
static int decimals_of(const jsni_run_set *set, size_t column)
{
    double least = INFINITY;
    if (strcmp(columns[column].key, "seconds") != 0)
        return columns[column].decimals;
    for (size_t i = 0; i < set->count; i++)
        least = fmin(least, jsni_run_record_result(&set->runs[i], "seconds"));
    return least < 1.0 ? 2 : least < 10.0 ? 1 : columns[column].decimals;
}

void jsni_run_table_each(jsni_table *table, const jsni_run_set *set)
{
    const bool seeds = jsni_run_set_differs(set, "seed") != 0;
    jsni_table_column(table, NULL, "Run", JSNI_ALIGN_LEFT);
    add_setting_columns(table, set);
    if (seeds)
        jsni_table_column(table, NULL, "Seed", JSNI_ALIGN_RIGHT);
    jsni_table_column(table, NULL, "Epochs", JSNI_ALIGN_RIGHT);
    add_columns(table, set);
    for (size_t i = 0; i < set->count; i++) {
        const jsni_run_record *run = &set->runs[i];
        jsni_table_row(table);
        jsni_table_text(table, run->name);
        add_settings(table, set, run);
        if (seeds)
            jsni_table_text(table, jsni_run_record_setting(run, "seed"));
        char epochs[WORDS];
        if (!jsni_run_unfinished(run, epochs, sizeof epochs))
            (void)snprintf(epochs, sizeof epochs, "%zu",
                           run->member_count > 0 ? run->members[0].epochs
                                                 : run->epochs);
        jsni_table_text(table, epochs);
        for (size_t c = 0; c < JSNI_COUNT_OF(columns); c++)
            if (column_used(set, c))
                jsni_table_number(table,
                                  columns[c].scale *
                                      jsni_run_record_result(run, columns[c].key),
                                  NAN, decimals_of(set, c));
    }
}

/* The unfinished ones of a group: where they stand, and how many of several they are. */
static void add_state(jsni_table *table, const jsni_run_set *set, size_t group,
                      size_t runs)
{
    const size_t unfinished = jsni_run_set_unfinished(set, group);
    char one[WORDS], words[2 * WORDS] = "";
    for (size_t i = 0; i < set->count && words[0] == '\0'; i++) {
        if (set->group[i] != group || !jsni_run_set_counts(set, i) ||
            !jsni_run_unfinished(&set->runs[i], one, sizeof one))
            continue;
        if (runs == 1)
            (void)snprintf(words, sizeof words, "%s", one);
        else
            (void)snprintf(words, sizeof words, "%zu of %zu runs: %s%s%s", unfinished,
                           runs, one, unfinished > 1 ? " (the first)" : "",
                           jsni_run_set_left_out(set, i) ? "; not in the means" : "");
    }
    jsni_table_text(table, words);
}

bool jsni_run_table_mixed(const jsni_run_set *set)
{
    for (size_t g = 1; g < set->groups; g++)
        if (!jsni_run_set_same_problem(set, 0, g))
            return true;
    return false;
}

void jsni_run_table_groups(jsni_table *table, const jsni_run_set *set)
{
    const bool unfinished = jsni_run_set_unfinished(set, set->groups) > 0;
    jsni_contender *groups = jsni_alloc(set->groups, sizeof *groups);
    double *values = jsni_alloc(set->count, sizeof *values);
    if (groups == NULL || values == NULL) {
        table->status = JSN_ERR_MEMORY;
        goto done;
    }
    add_setting_columns(table, set);
    jsni_table_column(table, NULL, "Runs", JSNI_ALIGN_RIGHT);
    if (unfinished)
        jsni_table_column(table, NULL, "State", JSNI_ALIGN_LEFT);
    add_columns(table, set);
    for (size_t g = 0; g < set->groups; g++) {
        size_t runs = 0;
        for (size_t i = 0; i < set->count; i++)
            runs += set->group[i] == g && jsni_run_set_counts(set, i);
        jsni_table_row(table);
        add_settings(table, set, jsni_run_set_first(set, g));
        jsni_table_number(table, (double)runs, NAN, 0);
        if (unfinished)
            add_state(table, set, g, runs);
        for (size_t c = 0; c < JSNI_COUNT_OF(columns); c++) {
            if (!column_used(set, c))
                continue;
            jsni_run_set_contend(set, columns[c].key, columns[c].scale, groups, values);
            jsni_cell *cell = jsni_table_number(
                table, jsni_stats_mean(groups[g].values, groups[g].count),
                jsni_stats_deviation(groups[g].values, groups[g].count),
                decimals_of(set, c));
            if (columns[c].best != NULL && table->status == JSN_OK)
                table->status = jsni_find_best(groups, set->groups, g, columns[c].best,
                                               set, &cell->bold);
        }
    }
done:
    jsni_free(groups);
    jsni_free(values);
}

static jsn_status write_groups(const jsni_run_set *set, const char *format,
                               jsni_text *out)
{
    jsni_table table = {
        .caption = "Mean and deviation over runs that differ only in their seed. Bold: "
                   "not different from the best by a two-sided t-test at 0.05"};
    jsni_text note = {0};
    if (jsni_run_set_unfinished(set, set->groups) > 0)
        jsni_text_add(&note, JSNI_NOTE_UNFINISHED);
    if (jsni_run_table_mixed(set))
        jsni_text_format(&note, "%s%s", note.length > 0 ? " " : "", JSNI_NOTE_MIXED);
    if (set->repeats != NULL)
        jsni_text_format(&note, "%s%s", note.length > 0 ? " " : "", set->repeats);
    table.note = note.length > 0 ? note.data : NULL;
    jsni_run_table_groups(&table, set);
    jsn_status status = note.status;
    if (status == JSN_OK)
        status = jsni_table_write(&table, format, out);
    jsni_text_release(&note);
    jsni_table_release(&table);
    return status;
}

jsn_status jsn_report_table(const char *const *runs, size_t count, const char *pivot,
                            const char *format, char **text)
{
    JSNI_NEED(runs);
    JSNI_NEED(format);
    JSNI_NEED(text);
    jsni_run_set set;
    jsni_text out = {0};
    JSNI_TRY(jsni_run_set_read(&set, runs, count));
    jsn_status status = pivot == NULL
                            ? write_groups(&set, format, &out)
                            : jsni_pivot_write(&set, pivot, format, NULL, &out);
    if (status == JSN_OK)
        status = jsni_text_take(&out, text);
    jsni_text_release(&out);
    jsni_run_set_release(&set);
    return status;
}
