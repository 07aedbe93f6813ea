/* report/table.h - a table in memory, and the formats that it can be written in.
 *
 *     jsni_table table = {.caption = "Table 1"};          // zero-initialise
 *     jsni_table_column(&table, NULL, "Method", JSNI_ALIGN_LEFT);
 *     jsni_table_column(&table, "Symmetric", "40%", JSNI_ALIGN_RIGHT);
 *     jsni_table_row(&table);
 *     jsni_table_text(&table, "GJS");
 *     jsni_table_number(&table, 93.7, 0.2, 1)->bold = true;
 *     status = jsni_table_write(&table, "latex", &text);
 *     jsni_table_release(&table);
 *
 * Builders record the first failure in table.status and go on harmlessly, so that it is
 * asked for once, by jsni_table_write().
 */
#ifndef JSNI_REPORT_TABLE_H
#define JSNI_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

typedef enum jsni_align {
    JSNI_ALIGN_LEFT,
    JSNI_ALIGN_RIGHT,
    JSNI_ALIGN_CENTRE
} jsni_align;

typedef struct jsni_table_head {
    char *group; /* owned; heading above neighbouring columns, NULL: none */
    char *title; /* owned */
    jsni_align align;
} jsni_table_head;

/* A cell is a text, a number with or without a deviation, or empty. */
typedef struct jsni_cell {
    char *text;       /* owned; NULL: a number */
    double mean;      /* NaN: empty */
    double deviation; /* NaN: none */
    int decimals;
    bool bold;
    const char *mark; /* borrowed; a short sign behind the value ("*", "~"), or NULL */
    char *link;       /* owned; where the value leads to in HTML, or NULL */
} jsni_cell;

typedef struct jsni_table {
    const char *caption; /* borrowed; may be NULL */
    const char *note;    /* borrowed; below the table; may be NULL */
    jsni_table_head *columns;
    size_t column_count;
    jsni_cell *cells; /* [rows][columns], filled row by row */
    size_t cell_count, cell_capacity;
    size_t *rules; /* rows that have a line above them */
    size_t rule_count;
    jsni_cell spare; /* what the builders return after a failure */
    jsn_status status;
} jsni_table;

/* Adds a column, before any row. `group` may be NULL; both texts are copied. */
void jsni_table_column(jsni_table *table, const char *group, const char *title,
                       jsni_align align);

/* Starts a row; cells not filled by then are empty. */
void jsni_table_row(jsni_table *table);
/* Puts a line above the next row. */
void jsni_table_rule(jsni_table *table);

/* Fills the next cell of the row and returns it, for its bold and mark; never NULL. A
 * cell beyond the last column starts the next row; one in a table without columns is
 * recorded as JSN_ERR_ARGUMENT. */
jsni_cell *jsni_table_text(jsni_table *table, const char *text);
jsni_cell *jsni_table_number(jsni_table *table, double mean, double deviation,
                             int decimals);
jsni_cell *jsni_table_empty(jsni_table *table);

/* Gives a cell just made an address, which is copied. */
void jsni_table_link(jsni_table *table, jsni_cell *cell, const char *address);

size_t jsni_table_rows(const jsni_table *table);
const jsni_cell *jsni_table_at(const jsni_table *table, size_t row, size_t column);
bool jsni_table_has_rule(const jsni_table *table, size_t row);
/* Columns from `column` on that share its group (1 at least). */
size_t jsni_table_span(const jsni_table *table, size_t column);
bool jsni_table_has_groups(const jsni_table *table);

void jsni_table_release(jsni_table *table); /* and zeroes it */

/* What a format file implements; see table_list.h. */
typedef struct jsni_table_format {
    const char *name;
    const char *extension; /* of files, without the dot */
    void (*write)(jsni_text *out, const jsni_table *table);
} jsni_table_format;

/* The format at `index`, NULL beyond the last. */
const jsni_table_format *jsni_table_format_at(size_t index);

/* Appends the table in the format called `format`.
 *   JSN_ERR_UNKNOWN_NAME  no such format; the sentence lists them
 *   or the failure recorded while building. JSN_ERR_MEMORY sticks in `out`. */
JSN_MUST_CHECK jsn_status jsni_table_write(const jsni_table *table, const char *format,
                                           jsni_text *out);

/* The value of a cell as plain text, e.g. "93.7 ± 0.2"; `between` is the sign with its
 * spaces. */
void jsni_cell_text(jsni_text *out, const jsni_cell *cell, const char *between);

#endif /* JSNI_REPORT_TABLE_H */
