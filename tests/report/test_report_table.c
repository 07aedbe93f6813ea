/* tests/report/test_report_table.c - one table in every format, by its exact text. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "report/table.h"

/* Groups, deviations, bold, marks, an empty cell, a rule, and characters that each
 * format must escape. */
static void fill(jsni_table *t)
{
    t->caption = "Results & <more>";
    t->note = "50% _noise_";
    jsni_table_column(t, NULL, "Method", JSNI_ALIGN_LEFT);
    jsni_table_column(t, "Sym", "20%", JSNI_ALIGN_RIGHT);
    jsni_table_column(t, "Sym", "40%", JSNI_ALIGN_RIGHT);
    jsni_table_column(t, NULL, "n", JSNI_ALIGN_CENTRE);
    jsni_table_row(t);
    jsni_table_text(t, "a|b, \"c\" $x_1^2$ {#} \\ ~");
    jsni_table_number(t, 91.25, 0.5, 1);
    jsni_cell *cell = jsni_table_number(t, -3.0, NAN, 2);
    cell->bold = true;
    cell->mark = "*";
    jsni_table_rule(t);
    jsni_table_row(t);
    jsni_table_text(t, "GJS")->bold = true;
    jsni_table_empty(t);
    jsni_table_number(t, 0.125, 0.0625, 3)->bold = true;
    jsni_table_number(t, 5, NAN, 0);
}

static void check(const char *format, const char *expected)
{
    jsni_table table = {0};
    jsni_text out = {0};
    fill(&table);
    assert_ok(jsni_table_write(&table, format, &out));
    assert_string_equal(out.data, expected);
    jsni_text_release(&out);
    jsni_table_release(&table);
}

static void test_markdown(void **state)
{
    (void)state;
    check("markdown",
          "**Results & \\<more\\>**\n"
          "\n"
          "| Method                       |    Sym 20% |           Sym 40% |  n  |\n"
          "|------------------------------|-----------:|------------------:|:---:|\n"
          "| a\\|b, \"c\" $x\\_1^2$ {\\#} \\\\ ~ | 91.2 \xC2\xB1 0.5 |       "
          "**-3.00**\\* |     |\n"
          "| **GJS**                      |            | **0.125 \xC2\xB1 0.062** |  5"
          "  |\n"
          "\n"
          "50% \\_noise\\_\n");
}

static void test_csv(void **state)
{
    (void)state;
    check("csv", "Method,Sym 20%,Sym 20% deviation,Sym 40%,Sym 40% deviation,n\n"
                 "\"a|b, \"\"c\"\" $x_1^2$ {#} \\ ~\",91.25,0.5,-3,,\n"
                 "GJS,,,0.125,0.0625,5\n");
}

static void test_latex(void **state)
{
    (void)state;
    check(
        "latex",
        "\\begin{table}\n\\centering\n\\caption{Results \\& \\textless{}more"
        "\\textgreater{}}\n\\begin{tabular}{lrrc}\n\\toprule\n"
        " & \\multicolumn{2}{c}{Sym} &  \\\\\n\\cmidrule(lr){2-3}\n"
        "Method & 20\\% & 40\\% & n \\\\\n\\midrule\n"
        "a\\textbar{}b, {\\char34}c{\\char34} "
        "\\$x\\_1\\textasciicircum{}2\\$ \\{\\#\\} \\textbackslash{} "
        "\\textasciitilde{} & $91.2 \\pm 0.5$ & $\\mathbf{-3.00}$\\textsuperscript{*} "
        "&  \\\\\n\\midrule\n"
        "\\textbf{GJS} &  & $\\mathbf{0.125 \\pm 0.062}$ & $5$ \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\par\\smallskip\\footnotesize 50\\% "
        "\\_noise\\_\n\\end{table}\n");
}

static void test_html(void **state)
{
    (void)state;
    check(
        "html",
        "<table>\n<caption>Results &amp; &lt;more&gt;</caption>\n<thead>\n"
        "<tr><td></td><th class=\"group\" colspan=\"2\">Sym</th><td></td></tr>\n"
        "<tr><th class=\"left\">Method</th><th class=\"right\">20%</th>"
        "<th class=\"right\">40%</th><th class=\"centre\">n</th></tr>\n</thead>\n"
        "<tbody>\n"
        "<tr><td class=\"left\">a|b, &quot;c&quot; $x_1^2$ {#} \\ ~</td>"
        "<td class=\"right\">91.2<span class=\"deviation\"> \xC2\xB1 0.5</span></td>"
        "<td class=\"right\"><b>-3.00</b><sup>*</sup></td><td class=\"centre\"></td>"
        "</tr>\n"
        "<tr class=\"rule\"><td class=\"left\"><b>GJS</b></td><td class=\"right\"></td>"
        "<td class=\"right\"><b>0.125<span class=\"deviation\"> \xC2\xB1 0.062</span>"
        "</b></td><td class=\"centre\">5</td></tr>\n"
        "</tbody>\n</table>\n<p class=\"note\">50% _noise_</p>\n");
}

static void test_unknown_format_and_missing_columns(void **state)
{
    (void)state;
    jsni_table table = {0};
    jsni_text out = {0};
    fill(&table);
    assert_fails(jsni_table_write(&table, "docx", &out), JSN_ERR_UNKNOWN_NAME,
                 "markdown, csv, latex, html");
    jsni_table_release(&table);
    jsni_table_text(&table, "no column")->bold = true;
    assert_fails(jsni_table_write(&table, "csv", &out), JSN_ERR_ARGUMENT, "column");
    jsni_table_release(&table);
    jsni_text_release(&out);
}

static jsn_status write_all(void *user)
{
    (void)user;
    jsni_table table = {0};
    jsn_status status = JSN_OK;
    fill(&table);
    for (size_t i = 0; status == JSN_OK && jsni_table_format_at(i) != NULL; i++) {
        jsni_text out = {0};
        status = jsni_table_write(&table, jsni_table_format_at(i)->name, &out);
        jsni_text_release(&out);
    }
    jsni_table_release(&table);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    support_walk_allocations(write_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_unknown_format_and_missing_columns),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
