/* report/html.h - one self-contained HTML page: no script, no other file, light and dark
 * by the reader's setting, good on paper.
 *
 *     jsni_text page = {0};
 *     jsni_html_begin(&page, "Run gjs-40", "trained on 40% wrong labels");
 *     jsni_html_numbers_begin(&page);
 *     jsni_html_number(&page, "test accuracy", "93.7%", "last epoch");
 *     jsni_html_numbers_end(&page);
 *     jsni_html_heading(&page, "Curves");
 *     jsni_html_figure_begin(&page);
 *     jsni_chart_figure(&page, charts, 2, 2, NULL, false);   // report/chart.h
 *     jsni_html_figure_end(&page, "Accuracy over the epochs");
 *     jsni_html_table(&page, &table);                        // report/table.h
 *     jsni_html_end(&page);
 *
 * Every function appends to a jsni_text, whose first failure sticks; jsni_text_take() or
 * a file writer asks for it. All texts are escaped: data from anywhere can be shown.
 */
#ifndef JSNI_REPORT_HTML_H
#define JSNI_REPORT_HTML_H

#include <stddef.h>

#include "core/text.h"
#include "report/chart.h"
#include "report/table.h"

/* The page up to its first section; `lead` is a line below the title, or NULL. */
void jsni_html_begin(jsni_text *page, const char *title, const char *lead);
void jsni_html_end(jsni_text *page);

void jsni_html_heading(jsni_text *page, const char *words);    /* a section */
void jsni_html_subheading(jsni_text *page, const char *words); /* within it */
void jsni_html_paragraph(jsni_text *page, const char *words);
/* A paragraph that stands out: something to know, and something to beware of. */
void jsni_html_note(jsni_text *page, const char *words);
void jsni_html_caution(jsni_text *page, const char *words);
void jsni_html_code(jsni_text *page, const char *words); /* a block, lines kept */

/* A link in a paragraph of its own. Addresses other than relative ones, http and https
 * are shown as text without a link. */
void jsni_html_link(jsni_text *page, const char *address, const char *words);

/* A row of key numbers: a large value with a name above and a remark below (or NULL). */
void jsni_html_numbers_begin(jsni_text *page);
void jsni_html_number(jsni_text *page, const char *name, const char *value,
                      const char *remark);
void jsni_html_numbers_end(jsni_text *page);

/* Name-value lines. */
void jsni_html_facts_begin(jsni_text *page);
void jsni_html_fact(jsni_text *page, const char *name, const char *value);
void jsni_html_facts_end(jsni_text *page);

/* Around the SVG of a figure, written straight into the page. */
void jsni_html_figure_begin(jsni_text *page);
void jsni_html_figure_end(jsni_text *page, const char *caption); /* NULL: none */

/* Charts side by side, as many as the width has room for; one below the other on a phone. */
void jsni_html_charts(jsni_text *page, const jsni_chart *charts, size_t count,
                      const char *caption);

void jsni_html_table(jsni_text *page, const jsni_table *table);

/* A grid of small images that fills the width; `pixels` is the least side at which they
 * are shown. */
void jsni_html_gallery_begin(jsni_text *page, size_t pixels);

enum { JSNI_GALLERY_LINES = 3 };
typedef struct jsni_gallery_image {
    const void *png; /* a whole PNG file in memory; it is stored in the page */
    size_t bytes;
    const char *line[JSNI_GALLERY_LINES]; /* of the caption; NULL: none */
    const char *flag; /* a short word on a coloured ground ("wrong?"), or NULL */
    const char *name; /* shown where the pointer rests, or NULL */
    const char *link; /* the address that the image leads to, or NULL */
} jsni_gallery_image;

void jsni_html_gallery_png(jsni_text *page, const jsni_gallery_image *image);
void jsni_html_gallery_end(jsni_text *page);

/* Content that starts folded away. */
void jsni_html_fold_begin(jsni_text *page, const char *words);
void jsni_html_fold_end(jsni_text *page);

#endif /* JSNI_REPORT_HTML_H */
