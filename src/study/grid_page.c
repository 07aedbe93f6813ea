/* study/grid_page.c - see grid_page.h. */
#include "study/grid_page.h"

#include <string.h>

#include "report/html.h"

typedef struct parts {
    jsni_table ours, beside; /* no column in the second: nothing is published */
    jsni_text correlation;
} parts;

static jsn_status write_page(const jsni_grid_page *page, const parts *p, jsni_text *out)
{
    jsni_html_begin(out, page->title, page->caption);
    jsni_html_figure_begin(out);
    jsni_text_add(out, page->figure == NULL ? "" : page->figure);
    jsni_html_figure_end(out, page->figure_note);
    jsni_html_table(out, &p->ours);
    if (p->beside.column_count > 0) {
        jsni_html_heading(out, "Beside the paper");
        jsni_html_table(out, &p->beside);
    }
    if (p->correlation.length > 0) {
        jsni_html_heading(out, "Rank correlation with the paper's columns");
        jsni_html_code(out, p->correlation.data);
    }
    jsni_html_end(out);
    return out->status;
}

static jsn_status write_tables(const parts *p, const char *format, jsni_text *out)
{
    JSNI_TRY(jsni_table_write(&p->ours, format, out));
    if (p->beside.column_count > 0) {
        jsni_text_add(out, "\n");
        JSNI_TRY(jsni_table_write(&p->beside, format, out));
    }
    if (p->correlation.length > 0 && strcmp(format, "markdown") == 0)
        jsni_text_format(out,
                         "\nRank correlation with the paper's columns:\n\n```\n%s```\n",
                         p->correlation.data);
    return JSN_OK;
}

jsn_status jsni_grid_write(const jsni_grid *grid, const jsni_grid_page *page,
                           const char *format, jsni_text *out)
{
    const bool numbers = strcmp(format, "csv") == 0 || strcmp(format, "json") == 0;
    parts p = {0};
    jsni_grid_table(grid, page->caption, page->note, &p.ours);
    if (numbers || grid->published_runs > 0)
        jsni_grid_comparison(
            grid,
            numbers ? page->caption : "Ours beside the paper's; intervals are Welch's.",
            numbers, &p.beside);
    jsni_grid_correlation(grid, &p.correlation);
    jsn_status status = p.correlation.status;
    if (status == JSN_OK)
        status = numbers ? jsni_table_write(&p.beside, format, out)
                 : strcmp(format, "html") == 0 ? write_page(page, &p, out)
                                               : write_tables(&p, format, out);
    jsni_table_release(&p.ours);
    jsni_table_release(&p.beside);
    jsni_text_release(&p.correlation);
    return status;
}
