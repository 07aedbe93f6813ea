/* report/table_latex.c - a LaTeX table in the manner of booktabs. Needs
 * \usepackage{booktabs}; column groups become \multicolumn with \cmidrule. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"

/* What LaTeX reads as something else, in order of first character. */
static const char *replacement(unsigned point)
{
    switch (point) {
    case '\\':
        return "\\textbackslash{}";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '$':
        return "\\$";
    case '&':
        return "\\&";
    case '#':
        return "\\#";
    case '%':
        return "\\%";
    case '_':
        return "\\_";
    case '^':
        return "\\textasciicircum{}";
    case '~':
        return "\\textasciitilde{}";
    case '<':
        return "\\textless{}";
    case '>':
        return "\\textgreater{}";
    case '|':
        return "\\textbar{}";
    case '"':
        return "{\\char34}"; /* \textquotedbl fails with LaTeX's usual fonts (OT1) */
    case 0xB1:
        return "$\\pm$";
    case 0x3C0:
        return "$\\pi$";
    case 0x2212:
        return "$-$";
    case '\n':
    case '\r':
    case '\t':
        return " ";
    default:
        return point < 0x20 || point == 0x7F ? "" : NULL;
    }
}

static void add_escaped(jsni_text *out, const char *text)
{
    while (*text != '\0') {
        unsigned point = 0;
        const size_t length = jsni_utf8_next(text, &point);
        const char *other = length == 0 ? "?" : replacement(point);
        if (other != NULL)
            jsni_text_add(out, other);
        else
            jsni_text_add_n(out, text, length);
        text += length == 0 ? 1 : length;
    }
}

static void add_number(jsni_text *out, const jsni_cell *cell)
{
    /* In mathematics, so that minus signs come out right. */
    jsni_text_add(out, cell->bold ? "$\\mathbf{" : "$");
    jsni_text_format(out, "%.*f", cell->decimals, cell->mean);
    if (!isnan(cell->deviation))
        jsni_text_format(out, " \\pm %.*f", cell->decimals, cell->deviation);
    jsni_text_add(out, cell->bold ? "}$" : "$");
}

static void add_cell(jsni_text *out, const jsni_cell *cell)
{
    if (cell->text != NULL) {
        jsni_text_add(out, cell->bold ? "\\textbf{" : "");
        add_escaped(out, cell->text);
        jsni_text_add(out, cell->bold ? "}" : "");
    } else if (!isnan(cell->mean)) {
        add_number(out, cell);
    }
    if (cell->mark != NULL) {
        jsni_text_add(out, "\\textsuperscript{");
        add_escaped(out, cell->mark);
        jsni_text_add(out, "}");
    }
}

static void add_groups(jsni_text *out, const jsni_table *t)
{
    for (size_t c = 0; c < t->column_count; c += jsni_table_span(t, c)) {
        const size_t span = jsni_table_span(t, c);
        jsni_text_add(out, c == 0 ? "" : " & ");
        if (t->columns[c].group != NULL) {
            jsni_text_format(out, "\\multicolumn{%zu}{c}{", span);
            add_escaped(out, t->columns[c].group);
            jsni_text_add(out, "}");
        }
    }
    jsni_text_add(out, " \\\\\n");
    for (size_t c = 0; c < t->column_count; c += jsni_table_span(t, c))
        if (t->columns[c].group != NULL)
            jsni_text_format(out, "\\cmidrule(lr){%zu-%zu}\n", c + 1,
                             c + jsni_table_span(t, c));
}

static void add_head(jsni_text *out, const jsni_table *t)
{
    jsni_text_add(out, "\\begin{table}\n\\centering\n");
    if (t->caption != NULL) {
        jsni_text_add(out, "\\caption{");
        add_escaped(out, t->caption);
        jsni_text_add(out, "}\n");
    }
    jsni_text_add(out, "\\begin{tabular}{");
    for (size_t c = 0; c < t->column_count; c++)
        jsni_text_add(out, t->columns[c].align == JSNI_ALIGN_LEFT    ? "l"
                           : t->columns[c].align == JSNI_ALIGN_RIGHT ? "r"
                                                                     : "c");
    jsni_text_add(out, "}\n\\toprule\n");
    if (jsni_table_has_groups(t))
        add_groups(out, t);
    for (size_t c = 0; c < t->column_count; c++) {
        jsni_text_add(out, c == 0 ? "" : " & ");
        add_escaped(out, t->columns[c].title);
    }
    jsni_text_add(out, " \\\\\n\\midrule\n");
}

static void write_table(jsni_text *out, const jsni_table *t)
{
    add_head(out, t);
    for (size_t row = 0; row < jsni_table_rows(t); row++) {
        if (row > 0 && jsni_table_has_rule(t, row))
            jsni_text_add(out, "\\midrule\n");
        for (size_t c = 0; c < t->column_count; c++) {
            jsni_text_add(out, c == 0 ? "" : " & ");
            add_cell(out, jsni_table_at(t, row, c));
        }
        jsni_text_add(out, " \\\\\n");
    }
    jsni_text_add(out, "\\bottomrule\n\\end{tabular}\n");
    if (t->note != NULL) {
        jsni_text_add(out, "\\par\\smallskip\\footnotesize ");
        add_escaped(out, t->note);
        jsni_text_add(out, "\n");
    }
    jsni_text_add(out, "\\end{table}\n");
}

const jsni_table_format jsni_table_format_latex = {"latex", "tex", write_table};
