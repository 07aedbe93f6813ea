/* report/table_html.c - a <table> that may stand in any page; report/html.c brings the
 * style for it. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"

enum {
    WIDE = 8, /* columns that fit side by side, with their deviations */
    LONG = 16 /* bytes of a text that is not worth breaking */
};

static bool is_wide(const jsni_table *t)
{
    return t->column_count > WIDE;
}

static const char *align_class(jsni_align align)
{
    static const char *const names[] = {"left", "right", "centre"};
    return names[align];
}

static void add_cell(jsni_text *out, const jsni_table *t, size_t row, size_t column)
{
    const jsni_cell *cell = jsni_table_at(t, row, column);
    jsni_text_format(
        out, "<td class=\"%s%s\">", align_class(t->columns[column].align),
        is_wide(t) && cell->text != NULL && strlen(cell->text) > LONG ? " long" : "");
    const bool link = cell->link != NULL && jsni_address_is_harmless(cell->link);
    if (link) {
        jsni_text_add(out, "<a href=\"");
        jsni_escape_xml(out, cell->link);
        jsni_text_add(out, "\">");
    }
    jsni_text_add(out, cell->bold ? "<b>" : "");
    if (cell->text != NULL) {
        jsni_escape_xml(out, cell->text);
    } else if (!isnan(cell->mean)) {
        jsni_text_format(out, "%.*f", cell->decimals, cell->mean);
        if (!isnan(cell->deviation))
            jsni_text_format(out, "<span class=\"deviation\"> \xC2\xB1 %.*f</span>",
                             cell->decimals, cell->deviation);
    }
    jsni_text_add(out, cell->bold ? "</b>" : "");
    jsni_text_add(out, link ? "</a>" : "");
    if (cell->mark != NULL) {
        jsni_text_add(out, "<sup>");
        jsni_escape_xml(out, cell->mark);
        jsni_text_add(out, "</sup>");
    }
    jsni_text_add(out, "</td>");
}

static void add_head(jsni_text *out, const jsni_table *t)
{
    jsni_text_add(out, "<thead>\n");
    if (jsni_table_has_groups(t)) {
        jsni_text_add(out, "<tr>");
        for (size_t c = 0; c < t->column_count; c += jsni_table_span(t, c)) {
            const char *group = t->columns[c].group;
            if (group == NULL) {
                jsni_text_add(out, "<td></td>");
                continue;
            }
            jsni_text_format(out, "<th class=\"group\" colspan=\"%zu\">",
                             jsni_table_span(t, c));
            jsni_escape_xml(out, group);
            jsni_text_add(out, "</th>");
        }
        jsni_text_add(out, "</tr>\n");
    }
    jsni_text_add(out, "<tr>");
    for (size_t c = 0; c < t->column_count; c++) {
        jsni_text_format(out, "<th class=\"%s\">", align_class(t->columns[c].align));
        jsni_escape_xml(out, t->columns[c].title);
        jsni_text_add(out, "</th>");
    }
    jsni_text_add(out, "</tr>\n</thead>\n");
}

static void write_table(jsni_text *out, const jsni_table *t)
{
    /* Deviations of a wide table go below their means, so that it fits a page. */
    jsni_text_add(out, is_wide(t) ? "<table class=\"wide\">\n" : "<table>\n");
    if (t->caption != NULL) {
        jsni_text_add(out, "<caption>");
        jsni_escape_xml(out, t->caption);
        jsni_text_add(out, "</caption>\n");
    }
    add_head(out, t);
    jsni_text_add(out, "<tbody>\n");
    for (size_t row = 0; row < jsni_table_rows(t); row++) {
        jsni_text_add(out, jsni_table_has_rule(t, row) && row > 0
                               ? "<tr class=\"rule\">"
                               : "<tr>");
        for (size_t c = 0; c < t->column_count; c++)
            add_cell(out, t, row, c);
        jsni_text_add(out, "</tr>\n");
    }
    jsni_text_add(out, "</tbody>\n</table>\n");
    if (t->note != NULL) {
        jsni_text_add(out, "<p class=\"note\">");
        jsni_escape_xml(out, t->note);
        jsni_text_add(out, "</p>\n");
    }
}

const jsni_table_format jsni_table_format_html = {"html", "html", write_table};
