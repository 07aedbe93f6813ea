/* report/table_latex.c - a LaTeX table in the manner of booktabs. Needs
 * \usepackage{booktabs}; column groups become \multicolumn with \cmidrule. */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"

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
        jsni_escape_latex(out, cell->text);
        jsni_text_add(out, cell->bold ? "}" : "");
    } else if (!isnan(cell->mean)) {
        add_number(out, cell);
    }
    if (cell->mark != NULL) {
        jsni_text_add(out, "\\textsuperscript{");
        jsni_escape_latex(out, cell->mark);
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
            jsni_escape_latex(out, t->columns[c].group);
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
        jsni_escape_latex(out, t->caption);
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
        jsni_escape_latex(out, t->columns[c].title);
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
        jsni_escape_latex(out, t->note);
        jsni_text_add(out, "\n");
    }
    jsni_text_add(out, "\\end{table}\n");
}

const jsni_table_format jsni_table_format_latex = {"latex", "tex", write_table};
