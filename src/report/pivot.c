/* report/pivot.c - see pivot.h. Runs of one cell that differ in more than their seed are
 * never mixed: what they differ in becomes a column beside that of the rows. */
#include "report/pivot.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/names.h"
#include "core/stats.h"
#include "core/text.h"
#include "report/table.h"

enum { NAME = 64, EXTRAS = 16, ROW = 0, COLUMN = 1 };

typedef struct pivot_table {
    const jsni_run_set *set;
    char axis[2][NAME];         /* the settings of rows and columns */
    const char *extras[EXTRAS]; /* borrowed: more settings of the rows */
    size_t extra_count;
    size_t *row, *column;             /* [groups] places of a group in the table */
    size_t *row_first, *column_first; /* [groups] a group of each row and column */
    size_t rows, columns;
    jsni_contender *groups; /* [groups] */
    double *values;         /* [runs] */
} pivot_table;

static const char *setting_of(const pivot_table *p, size_t group, const char *name)
{
    return jsni_run_record_setting(jsni_run_set_first(p->set, group), name);
}

static bool same(const pivot_table *p, size_t g, size_t h, const char *name)
{
    return strcmp(setting_of(p, g, name), setting_of(p, h, name)) == 0;
}

static bool same_row(const pivot_table *p, size_t g, size_t h)
{
    for (size_t i = 0; i < p->extra_count; i++)
        if (!same(p, g, h, p->extras[i]))
            return false;
    return same(p, g, h, p->axis[ROW]);
}

static bool same_column(const pivot_table *p, size_t g, size_t h)
{
    return same(p, g, h, p->axis[COLUMN]);
}

/* Numbers the groups by what they share, in the order in which they come. */
static size_t number(const pivot_table *p,
                     bool (*shared)(const pivot_table *, size_t, size_t), size_t *of,
                     size_t *first)
{
    size_t count = 0;
    for (size_t g = 0; g < p->set->groups; g++) {
        size_t k = 0;
        while (k < count && !shared(p, first[k], g))
            k++;
        if (k == count)
            first[count++] = g;
        of[g] = k;
    }
    return count;
}

static void arrange(pivot_table *p)
{
    p->rows = number(p, same_row, p->row, p->row_first);
    p->columns = number(p, same_column, p->column, p->column_first);
}

/* Whether groups of one cell differ in a setting. */
static bool splits_cell(const pivot_table *p, const char *name)
{
    for (size_t g = 0; g < p->set->groups; g++) {
        size_t h = 0;
        while (h < g && (p->row[h] != p->row[g] || p->column[h] != p->column[g]))
            h++;
        if (h < g && !same(p, g, h, name))
            return true;
    }
    return false;
}

/* Gives groups that share a cell rows of their own. */
static jsn_status split_rows(pivot_table *p)
{
    arrange(p);
    for (size_t r = 0; r < p->set->count; r++)
        for (size_t i = 0; i < p->set->runs[r].setting_count; i++) {
            const char *name = p->set->runs[r].settings[i].name;
            if (!jsni_run_setting_tells_apart(name) || !splits_cell(p, name))
                continue;
            if (p->extra_count == EXTRAS)
                return jsni_fail(JSN_ERR_ARGUMENT,
                                 "the runs of one cell differ in more than %d "
                                 "settings; report --table lists them",
                                 (int)EXTRAS);
            p->extras[p->extra_count++] = name;
            arrange(p);
        }
    return JSN_OK;
}

static bool is_axis(const pivot_table *p, const char *name)
{
    for (size_t i = 0; i < p->extra_count; i++)
        if (strcmp(p->extras[i], name) == 0)
            return true;
    return strcmp(p->axis[ROW], name) == 0 || strcmp(p->axis[COLUMN], name) == 0;
}

/* Names settings in which cells differ without the table showing it. The views follow
 * from the loss. */
static void note_settings(const pivot_table *p, jsni_text *note)
{
    jsni_text list = {0};
    const jsni_run_record *first = &p->set->runs[0];
    for (size_t i = 0; i < first->setting_count; i++) {
        const char *name = first->settings[i].name;
        if (jsni_run_setting_tells_apart(name) && strcmp(name, "views") != 0 &&
            !is_axis(p, name) && jsni_run_set_differs(p->set, name))
            jsni_text_item(&list, name);
    }
    if (list.length > 0)
        jsni_text_format(note, "%sCells differ in: %s.", note->length > 0 ? " " : "",
                         list.data);
    if (list.status != JSN_OK)
        note->status = list.status;
    jsni_text_release(&list);
}

static void note_runs(const pivot_table *p, jsni_text *note)
{
    size_t least = SIZE_MAX, most = 0;
    bool unfinished = false;
    for (size_t g = 0; g < p->set->groups; g++) {
        const size_t count = p->groups[g].count;
        least = count < least ? count : least;
        most = count > most ? count : most;
        unfinished = unfinished || p->groups[g].unfinished;
    }
    if (least == most)
        jsni_text_format(note, "Runs per cell: %zu.", least);
    else
        jsni_text_format(note, "Runs per cell: %zu to %zu.", least, most);
    if (unfinished)
        jsni_text_add(note, " Some runs of the cells marked * are unfinished.");
}

static void add_cell(jsni_table *table, const pivot_table *p, size_t row, size_t column)
{
    for (size_t g = 0; g < p->set->groups; g++) {
        if (p->row[g] != row || p->column[g] != column)
            continue;
        const jsni_contender *own = &p->groups[g];
        jsni_cell *cell =
            jsni_table_number(table, jsni_stats_mean(own->values, own->count),
                              jsni_stats_deviation(own->values, own->count), 2);
        cell->mark = own->unfinished ? "*" : NULL;
        if (table->status == JSN_OK)
            table->status =
                jsni_find_best(p->groups, p->set->groups, g, jsni_run_set_same_labels,
                               p->set, &cell->bold);
        return;
    }
    (void)jsni_table_empty(table);
}

static void build(const pivot_table *p, jsni_table *table)
{
    jsni_table_column(table, NULL, p->axis[ROW], JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < p->extra_count; i++)
        jsni_table_column(table, NULL, p->extras[i], JSNI_ALIGN_LEFT);
    for (size_t c = 0; c < p->columns; c++)
        jsni_table_column(table, p->axis[COLUMN],
                          setting_of(p, p->column_first[c], p->axis[COLUMN]),
                          JSNI_ALIGN_RIGHT);
    for (size_t r = 0; r < p->rows; r++) {
        jsni_table_row(table);
        jsni_table_text(table, setting_of(p, p->row_first[r], p->axis[ROW]));
        for (size_t i = 0; i < p->extra_count; i++)
            jsni_table_text(table, setting_of(p, p->row_first[r], p->extras[i]));
        for (size_t c = 0; c < p->columns; c++)
            add_cell(table, p, r, c);
    }
}

/* Whether some run has the setting; else the failure names the nearest one. */
static jsn_status check_setting(const jsni_run_set *set, const char *name)
{
    jsni_names names;
    if (!jsni_run_setting_tells_apart(name))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "pivot: runs that differ in '%.60s' are one cell, of which "
                         "mean and deviation are shown",
                         name);
    jsni_names_begin(&names, name, NULL);
    for (size_t r = 0; r < set->count; r++)
        for (size_t i = 0; i < set->runs[r].setting_count; i++) {
            const char *known = set->runs[r].settings[i].name;
            if (strcmp(known, name) == 0)
                return JSN_OK;
            if (r == 0)
                jsni_names_add(&names, known);
        }
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME,
                           "pivot: no run has a setting '%s'", names.word);
}

static jsn_status read_axes(pivot_table *p, const char *pivot)
{
    const size_t row = strcspn(pivot, ":");
    const char *column = pivot + row + (pivot[row] == ':');
    if (row == 0 || row >= NAME || column[0] == '\0' || strlen(column) >= NAME ||
        strchr(column, ':') != NULL ||
        (strlen(column) == row && strncmp(pivot, column, row) == 0))
        return jsni_fail(JSN_ERR_ARGUMENT,
                         "pivot '%.60s': needs two settings, such as loss:noise",
                         pivot);
    (void)snprintf(p->axis[ROW], NAME, "%.*s", (int)row, pivot);
    (void)snprintf(p->axis[COLUMN], NAME, "%s", column);
    JSNI_TRY(check_setting(p->set, p->axis[ROW]));
    return check_setting(p->set, p->axis[COLUMN]);
}

static jsn_status fill(pivot_table *p, const char *pivot)
{
    const size_t groups = p->set->groups;
    size_t valued = 0;
    JSNI_TRY(read_axes(p, pivot));
    JSNI_TRY_ALLOC(p->row = jsni_alloc(groups, sizeof *p->row));
    JSNI_TRY_ALLOC(p->column = jsni_alloc(groups, sizeof *p->column));
    JSNI_TRY_ALLOC(p->row_first = jsni_alloc(groups, sizeof *p->row_first));
    JSNI_TRY_ALLOC(p->column_first = jsni_alloc(groups, sizeof *p->column_first));
    JSNI_TRY_ALLOC(p->groups = jsni_alloc(groups, sizeof *p->groups));
    JSNI_TRY_ALLOC(p->values = jsni_alloc(p->set->count, sizeof *p->values));
    jsni_run_set_contend(p->set, "test_acc", 100.0, p->groups, p->values);
    for (size_t g = 0; g < groups; g++)
        valued += p->groups[g].count;
    if (valued == 0)
        return jsni_fail(
            JSN_ERR_ARGUMENT,
            "pivot: no run has a test accuracy, which finished runs with --test or a "
            "test split have");
    return split_rows(p);
}

jsn_status jsni_pivot_write(const jsni_run_set *set, const char *pivot,
                            const char *format, const char *remark, jsni_text *out)
{
    pivot_table p = {.set = set};
    jsni_text note = {0};
    jsni_table table = {
        .caption =
            "Test accuracy after the last epoch, %: mean and deviation over runs that "
            "differ only in their seed. Bold: the best for the same data, labels and "
            "noise, and what a two-sided t-test at 0.05 cannot tell from it"};
    jsn_status status = fill(&p, pivot);
    if (status == JSN_OK) {
        note_runs(&p, &note);
        note_settings(&p, &note);
        if (set->repeats != NULL)
            jsni_text_format(&note, " %s", set->repeats);
        if (remark != NULL)
            jsni_text_format(&note, " %s", remark);
        build(&p, &table);
        table.note = note.data;
        status =
            note.status != JSN_OK ? note.status : jsni_table_write(&table, format, out);
    }
    jsni_table_release(&table);
    jsni_text_release(&note);
    jsni_free(p.row);
    jsni_free(p.column);
    jsni_free(p.row_first);
    jsni_free(p.column_first);
    jsni_free(p.groups);
    jsni_free(p.values);
    return status;
}
