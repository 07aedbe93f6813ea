/* report/table_markdown.c - a pipe table, aligned so that it also reads well as plain
 * text. Column groups are put in front of the titles, since the format has no spans. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "report/escape.h"

/* Text in a cell: characters that would end it or start markup are escaped, a line
 * break becomes a space. */
static void add_escaped(jsni_text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\|*_`<>[]#", *text) != NULL)
            jsni_text_add(out, "\\");
        jsni_text_add_n(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
}

static void add_cell(jsni_text *out, const jsni_cell *cell)
{
    jsni_text plain = {0};
    jsni_cell_text(&plain, cell, " \xC2\xB1 ");
    if (plain.length > 0) {
        jsni_text_add(out, cell->bold ? "**" : "");
        add_escaped(out, plain.data);
        jsni_text_add(out, cell->bold ? "**" : "");
    }
    if (cell->mark != NULL)
        add_escaped(out, cell->mark);
    if (plain.status != JSN_OK)
        out->status = plain.status;
    jsni_text_release(&plain);
}

static void add_head(jsni_text *out, const jsni_table_head *head)
{
    if (head->group != NULL) {
        add_escaped(out, head->group);
        jsni_text_add(out, " ");
    }
    add_escaped(out, head->title);
}

/* Characters, not bytes. */
static size_t length_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* Row 0 is the head. */
static void make_cell(jsni_text *cell, const jsni_table *t, size_t row, size_t column)
{
    if (row == 0)
        add_head(cell, &t->columns[column]);
    else
        add_cell(cell, jsni_table_at(t, row - 1, column));
    jsni_text_add(cell, "");
}

static size_t width_of(jsni_text *out, const jsni_table *t, size_t column)
{
    size_t width = 3;
    for (size_t row = 0; row <= jsni_table_rows(t); row++) {
        jsni_text cell = {0};
        make_cell(&cell, t, row, column);
        const size_t length = cell.data != NULL ? length_of(cell.data) : 0;
        width = length > width ? length : width;
        if (cell.status != JSN_OK)
            out->status = cell.status;
        jsni_text_release(&cell);
    }
    return width;
}

static void add_padded(jsni_text *out, const char *text, size_t width, jsni_align align)
{
    const size_t length = length_of(text);
    const size_t free_space = width > length ? width - length : 0;
    const size_t left = align == JSNI_ALIGN_LEFT    ? 0
                        : align == JSNI_ALIGN_RIGHT ? free_space
                                                    : free_space / 2;
    jsni_text_format(out, " %*s%s%*s |", (int)left, "", text, (int)(free_space - left),
                     "");
}

static void add_line(jsni_text *out, const jsni_table *t, const size_t *widths,
                     size_t row)
{
    jsni_text_add(out, "|");
    for (size_t c = 0; c < t->column_count; c++) {
        jsni_text cell = {0};
        make_cell(&cell, t, row, c);
        if (cell.status == JSN_OK)
            add_padded(out, cell.data, widths[c], t->columns[c].align);
        else
            out->status = cell.status;
        jsni_text_release(&cell);
    }
    jsni_text_add(out, "\n");
}

static void write_table(jsni_text *out, const jsni_table *t)
{
    size_t *widths = jsni_alloc(t->column_count, sizeof *widths);
    if (widths == NULL) {
        out->status = JSN_ERR_MEMORY;
        return;
    }
    if (t->caption != NULL) {
        jsni_text_add(out, "**");
        add_escaped(out, t->caption);
        jsni_text_add(out, "**\n\n");
    }
    for (size_t c = 0; c < t->column_count; c++)
        widths[c] = width_of(out, t, c);
    add_line(out, t, widths, 0);
    jsni_text_add(out, "|");
    for (size_t c = 0; c < t->column_count; c++) {
        const jsni_align align = t->columns[c].align;
        jsni_text_add(out, align == JSNI_ALIGN_CENTRE ? ":" : "-");
        for (size_t i = 0; i < widths[c]; i++)
            jsni_text_add(out, "-");
        jsni_text_add(out, align == JSNI_ALIGN_LEFT ? "-|" : ":|");
    }
    jsni_text_add(out, "\n");
    for (size_t row = 1; row <= jsni_table_rows(t); row++)
        add_line(out, t, widths, row);
    if (t->note != NULL) {
        jsni_text_add(out, "\n");
        add_escaped(out, t->note);
        jsni_text_add(out, "\n");
    }
    jsni_free(widths);
}

const jsni_table_format jsni_table_format_markdown = {"markdown", "md", write_table};
