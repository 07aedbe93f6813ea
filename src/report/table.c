/* report/table.c - the table in memory and the list of formats; see report/table.h. */
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/names.h"
#include "report/table_list.h"

#define DECLARE(id) extern const jsni_table_format jsni_table_format_##id;
JSNI_TABLE_LIST(DECLARE)
#undef DECLARE

#define ROW(id) &jsni_table_format_##id,
static const jsni_table_format *const formats[] = {JSNI_TABLE_LIST(ROW)};
#undef ROW

const jsni_table_format *jsni_table_format_at(size_t index)
{
    return index < sizeof formats / sizeof formats[0] ? formats[index] : NULL;
}

static void set_status(jsni_table *table, jsn_status status)
{
    if (table->status == JSN_OK)
        table->status = status;
}

void jsni_table_column(jsni_table *table, const char *group, const char *title,
                       jsni_align align)
{
    jsni_table_head *columns =
        jsni_realloc(table->columns, table->column_count + 1, sizeof *columns);
    char *own_title = jsni_text_copy(title);
    char *own_group = group != NULL ? jsni_text_copy(group) : NULL;
    if (columns != NULL)
        table->columns = columns;
    if (columns == NULL || own_title == NULL || (group != NULL && own_group == NULL)) {
        jsni_free(own_title);
        jsni_free(own_group);
        set_status(table, JSN_ERR_MEMORY);
        return;
    }
    columns[table->column_count++] = (jsni_table_head){own_group, own_title, align};
}

static const jsni_cell empty_cell = {.mean = NAN, .deviation = NAN};

/* The next cell, cleared; NULL after a failure. */
static jsni_cell *next_cell(jsni_table *table)
{
    if (table->cell_count == table->cell_capacity) {
        const size_t capacity =
            table->cell_capacity == 0 ? 64 : 2 * table->cell_capacity;
        jsni_cell *cells = jsni_realloc(table->cells, capacity, sizeof *cells);
        if (cells == NULL) {
            set_status(table, JSN_ERR_MEMORY);
            return NULL;
        }
        table->cells = cells;
        table->cell_capacity = capacity;
    }
    jsni_cell *cell = &table->cells[table->cell_count++];
    *cell = empty_cell;
    return cell;
}

void jsni_table_row(jsni_table *table)
{
    const size_t columns = table->column_count;
    while (table->status == JSN_OK && columns > 0 && table->cell_count % columns != 0)
        (void)next_cell(table);
}

void jsni_table_rule(jsni_table *table)
{
    jsni_table_row(table);
    size_t *rules = jsni_realloc(table->rules, table->rule_count + 1, sizeof *rules);
    if (rules == NULL) {
        set_status(table, JSN_ERR_MEMORY);
        return;
    }
    table->rules = rules;
    rules[table->rule_count++] = jsni_table_rows(table);
}

jsni_cell *jsni_table_empty(jsni_table *table)
{
    jsni_cell *cell = NULL;
    if (table->status == JSN_OK && table->column_count == 0)
        set_status(table, jsni_fail(JSN_ERR_ARGUMENT, "a table cell without a column"));
    if (table->status == JSN_OK)
        cell = next_cell(table);
    if (cell == NULL) {
        table->spare = empty_cell;
        cell = &table->spare;
    }
    return cell;
}

jsni_cell *jsni_table_text(jsni_table *table, const char *text)
{
    char *own = jsni_text_copy(text);
    jsni_cell *cell = jsni_table_empty(table);
    if (own == NULL)
        set_status(table, JSN_ERR_MEMORY);
    if (table->status != JSN_OK)
        jsni_free(own);
    else
        cell->text = own;
    return cell;
}

jsni_cell *jsni_table_number(jsni_table *table, double mean, double deviation,
                             int decimals)
{
    jsni_cell *cell = jsni_table_empty(table);
    cell->mean = mean;
    cell->deviation = deviation;
    cell->decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    return cell;
}

size_t jsni_table_rows(const jsni_table *table)
{
    const size_t columns = table->column_count;
    return columns == 0 ? 0 : (table->cell_count + columns - 1) / columns;
}

const jsni_cell *jsni_table_at(const jsni_table *table, size_t row, size_t column)
{
    const size_t index = row * table->column_count + column;
    return index < table->cell_count ? &table->cells[index] : &empty_cell;
}

bool jsni_table_has_rule(const jsni_table *table, size_t row)
{
    for (size_t i = 0; i < table->rule_count; i++)
        if (table->rules[i] == row)
            return true;
    return false;
}

static bool same_group(const jsni_table_head *a, const jsni_table_head *b)
{
    return a->group != NULL && b->group != NULL && strcmp(a->group, b->group) == 0;
}

size_t jsni_table_span(const jsni_table *table, size_t column)
{
    size_t end = column + 1;
    while (end < table->column_count &&
           same_group(&table->columns[column], &table->columns[end]))
        end++;
    return end - column;
}

bool jsni_table_has_groups(const jsni_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].group != NULL)
            return true;
    return false;
}

void jsni_table_link(jsni_table *table, jsni_cell *cell, const char *address)
{
    if (table->status != JSN_OK)
        return;
    cell->link = jsni_text_copy(address);
    if (cell->link == NULL)
        set_status(table, JSN_ERR_MEMORY);
}

void jsni_table_release(jsni_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        jsni_free(table->columns[i].group);
        jsni_free(table->columns[i].title);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        jsni_free(table->cells[i].text);
        jsni_free(table->cells[i].link);
    }
    jsni_free(table->columns);
    jsni_free(table->cells);
    jsni_free(table->rules);
    *table = (jsni_table){0};
}

void jsni_cell_text(jsni_text *out, const jsni_cell *cell, const char *between)
{
    if (cell->text != NULL) {
        jsni_text_add(out, cell->text);
        return;
    }
    if (isnan(cell->mean))
        return;
    jsni_text_format(out, "%.*f", cell->decimals, cell->mean);
    if (!isnan(cell->deviation))
        jsni_text_format(out, "%s%.*f", between, cell->decimals, cell->deviation);
}

jsn_status jsni_table_write(const jsni_table *table, const char *format, jsni_text *out)
{
    if (table->status != JSN_OK)
        return table->status;
    for (size_t i = 0; jsni_table_format_at(i) != NULL; i++)
        if (strcmp(jsni_table_format_at(i)->name, format) == 0) {
            jsni_table_format_at(i)->write(out, table);
            return out->status;
        }
    jsni_names names;
    jsni_names_begin(&names, format, NULL);
    for (size_t i = 0; jsni_table_format_at(i) != NULL; i++)
        jsni_names_add(&names, jsni_table_format_at(i)->name);
    return jsni_names_fail(&names, JSN_ERR_UNKNOWN_NAME, "no table format '%s'",
                           format);
}
