/* report/table_csv.c - comma-separated values for machines (RFC 4180): a column with
 * deviations becomes two, "title" and "title deviation"; numbers are written in full,
 * bold and marks are left out. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

static void add_field(jsni_text *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        jsni_text_add(out, text);
        return;
    }
    jsni_text_add(out, "\"");
    for (; *text != '\0'; text++) {
        jsni_text_add_n(out, text, 1);
        if (*text == '"')
            jsni_text_add(out, "\"");
    }
    jsni_text_add(out, "\"");
}

static void add_number(jsni_text *out, double value)
{
    char text[JSNI_NUMBER_TEXT];
    if (isnan(value))
        return;
    jsni_number_format(value, text);
    jsni_text_add(out, text);
}

static bool has_deviation(const jsni_table *t, size_t column)
{
    for (size_t row = 0; row < jsni_table_rows(t); row++)
        if (!isnan(jsni_table_at(t, row, column)->deviation))
            return true;
    return false;
}

static void add_title(jsni_text *out, const jsni_table_head *head, const char *suffix)
{
    jsni_text title = {0};
    if (head->group != NULL)
        jsni_text_format(&title, "%s ", head->group);
    jsni_text_format(&title, "%s%s", head->title, suffix);
    if (title.status == JSN_OK)
        add_field(out, title.data);
    else
        out->status = title.status;
    jsni_text_release(&title);
}

static void write_table(jsni_text *out, const jsni_table *t)
{
    for (size_t c = 0; c < t->column_count; c++) {
        jsni_text_add(out, c == 0 ? "" : ",");
        add_title(out, &t->columns[c], "");
        if (has_deviation(t, c)) {
            jsni_text_add(out, ",");
            add_title(out, &t->columns[c], " deviation");
        }
    }
    jsni_text_add(out, "\n");
    for (size_t row = 0; row < jsni_table_rows(t); row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            const jsni_cell *cell = jsni_table_at(t, row, c);
            jsni_text_add(out, c == 0 ? "" : ",");
            if (cell->text != NULL)
                add_field(out, cell->text);
            else
                add_number(out, cell->mean);
            if (has_deviation(t, c)) {
                jsni_text_add(out, ",");
                add_number(out, cell->deviation);
            }
        }
        jsni_text_add(out, "\n");
    }
}

const jsni_table_format jsni_table_format_csv = {"csv", "csv", write_table};
