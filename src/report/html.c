/* report/html.c - see report/html.h. */
#include "report/html.h"

#include <stdint.h>
#include <string.h>

#include "jensen/version.h"
#include "report/escape.h"
#include "report/svg.h"

/* Colours are variables, set once for light pages and once for dark ones. */
static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--text:#1f2328;--muted:#59616b;"
    "--line:#d5dae0;--soft:#f5f7f9;--accent:#0072b2;--flag:#d55e00}"
    "@media screen and (prefers-color-scheme:dark){:root{--page:#15181c;--text:#e6eaef;"
    "--muted:#a8b0ba;--line:#353c44;--soft:#1d2126;--accent:#58aeea;--flag:#ff8b4a}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:2rem 1.25rem "
    "3rem;max-width:68rem;background:var(--page);"
    "color:var(--text);font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif}"
    "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;overflow-wrap:anywhere}"
    "h2{font-size:1.25rem;margin:2.25rem 0 .75rem;padding-bottom:.25rem;"
    "border-bottom:1px solid var(--line)}"
    "h3{font-size:1.05rem;margin:1.5rem 0 .5rem}"
    ".lead,.note,figcaption,footer{color:var(--muted)}.lead{margin:0 0 1.5rem}"
    ".note,figcaption{font-size:.9rem}a{color:var(--accent)}"
    "pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;"
    "padding:.75rem 1rem;overflow-x:auto;font-size:.85rem;line-height:1.45}"
    ".numbers{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0}"
    ".number{flex:1 1 9rem;border:1px solid var(--line);border-radius:8px;"
    "padding:.7rem .9rem;background:var(--soft)}"
    ".number span{display:block;font-size:.82rem;color:var(--muted)}"
    ".number strong{display:block;font-size:1.6rem;line-height:1.25;"
    "font-variant-numeric:tabular-nums}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem "
    "1.25rem;margin:1rem 0}"
    "dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}"
    "figure{margin:1.25rem 0;overflow-x:auto}figure>svg{max-width:100%;height:auto}"
    ".charts{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}"
    ".charts>svg{width:100%}.charts>figcaption{grid-column:1/-1}"
    ".box{border-left:4px solid var(--accent);background:var(--soft);margin:1rem 0;"
    "padding:.6rem .9rem;font-size:.95rem}.caution{border-color:var(--flag)}"
    "table{border-collapse:collapse;margin:1.25rem 0 .5rem;font-size:.92rem;"
    "font-variant-numeric:tabular-nums;border-top:2px solid var(--text);"
    "border-bottom:2px solid var(--text)}"
    "caption{caption-side:top;text-align:left;font-weight:bold;padding:0 0 .5rem}"
    "th,td{padding:.3rem .7rem;text-align:left;white-space:nowrap}"
    "thead tr:last-child th{border-bottom:1px solid var(--text)}"
    "th.group{text-align:center;border-bottom:1px solid var(--line)}"
    ".right{text-align:right}.centre{text-align:center}"
    "tr.rule td{border-top:1px solid var(--line)}"
    "tbody "
    "tr:hover{background:var(--soft)}.deviation{color:var(--muted);font-size:.88em}"
    ".wide{font-size:.86rem}.wide th,.wide td{padding:.3rem .4rem}"
    ".wide th{white-space:normal;vertical-align:bottom}"
    ".wide td.long{white-space:normal;overflow-wrap:anywhere;min-width:8rem}"
    ".wide .deviation{display:block;line-height:1.2}"
    ".scroll{overflow-x:auto}sup{line-height:0}"
    ".gallery{display:grid;gap:.75rem;margin:1rem 0;align-items:start}"
    ".gallery figure{margin:0;overflow:visible}"
    ".gallery img{display:block;width:100%;height:auto;border-radius:4px;"
    "image-rendering:pixelated;border:1px solid var(--line)}"
    ".gallery figcaption{line-height:1.3;padding-top:.25rem;overflow-wrap:anywhere;"
    "font-size:.78rem}.gallery b{color:var(--page);background:var(--flag);"
    "border-radius:3px;padding:0 .3em;font-weight:normal}"
    "details{margin:1rem 0}summary{cursor:pointer;color:var(--accent)}"
    "footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid var(--line);"
    "font-size:.82rem}"
    "@media (max-width:40rem){body{padding:1.25rem .9rem 2rem}h1{font-size:1.4rem}"
    "figure>svg{max-width:none}.charts>svg{max-width:100%}"
    ".number{flex-basis:7.5rem;padding:.55rem .7rem}.number strong{font-size:1.35rem}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .5rem}"
    ".wide th{white-space:nowrap}}"
    "@media print{body{max-width:none;padding:0;font-size:10.5pt}"
    "h2{break-after:avoid}figure,table,.number,.gallery figure{break-inside:avoid}"
    "pre{white-space:pre-wrap}.scroll,figure{overflow:visible}}";

static void add_element(jsni_text *page, const char *open, const char *words,
                        const char *close)
{
    jsni_text_add(page, open);
    jsni_escape_xml(page, words);
    jsni_text_add(page, close);
}

void jsni_html_begin(jsni_text *page, const char *title, const char *lead)
{
    jsni_text_add(page,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
                  "charset=\"utf-8\">\n<meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                  "'none'; img-src data:; style-src 'unsafe-inline'\">\n");
    add_element(page, "<title>", title, "</title>\n<style>\n");
    jsni_text_add(page, style);
    jsni_text_add(page, "\n</style>\n</head>\n<body>\n<main>\n");
    add_element(page, "<h1>", title, "</h1>\n");
    if (lead != NULL)
        add_element(page, "<p class=\"lead\">", lead, "</p>\n");
}

void jsni_html_end(jsni_text *page)
{
    jsni_text_format(
        page, "</main>\n<footer>written by jensen %s</footer>\n</body>\n</html>\n",
        jsn_version());
}

void jsni_html_heading(jsni_text *page, const char *words)
{
    add_element(page, "<h2>", words, "</h2>\n");
}

void jsni_html_subheading(jsni_text *page, const char *words)
{
    add_element(page, "<h3>", words, "</h3>\n");
}

void jsni_html_paragraph(jsni_text *page, const char *words)
{
    add_element(page, "<p>", words, "</p>\n");
}

void jsni_html_note(jsni_text *page, const char *words)
{
    add_element(page, "<p class=\"box\">", words, "</p>\n");
}

void jsni_html_caution(jsni_text *page, const char *words)
{
    add_element(page, "<p class=\"box caution\">", words, "</p>\n");
}

void jsni_html_code(jsni_text *page, const char *words)
{
    add_element(page, "<pre>", words, "</pre>\n");
}

void jsni_html_link(jsni_text *page, const char *address, const char *words)
{
    if (!jsni_address_is_harmless(address)) {
        jsni_html_paragraph(page, words);
        return;
    }
    add_element(page, "<p><a href=\"", address, "\">");
    add_element(page, "", words, "</a></p>\n");
}

void jsni_html_numbers_begin(jsni_text *page)
{
    jsni_text_add(page, "<div class=\"numbers\">\n");
}

void jsni_html_number(jsni_text *page, const char *name, const char *value,
                      const char *remark)
{
    add_element(page, "<div class=\"number\"><span>", name, "</span>");
    add_element(page, "<strong>", value, "</strong>");
    if (remark != NULL)
        add_element(page, "<span>", remark, "</span>");
    jsni_text_add(page, "</div>\n");
}

void jsni_html_numbers_end(jsni_text *page)
{
    jsni_text_add(page, "</div>\n");
}

void jsni_html_facts_begin(jsni_text *page)
{
    jsni_text_add(page, "<dl>\n");
}

void jsni_html_fact(jsni_text *page, const char *name, const char *value)
{
    add_element(page, "<dt>", name, "</dt>");
    add_element(page, "<dd>", value, "</dd>\n");
}

void jsni_html_facts_end(jsni_text *page)
{
    jsni_text_add(page, "</dl>\n");
}

void jsni_html_figure_begin(jsni_text *page)
{
    jsni_text_add(page, "<figure>\n");
}

void jsni_html_figure_end(jsni_text *page, const char *caption)
{
    if (caption != NULL)
        add_element(page, "<figcaption>", caption, "</figcaption>\n");
    jsni_text_add(page, "</figure>\n");
}

void jsni_html_charts(jsni_text *page, const jsni_chart *charts, size_t count,
                      const char *caption)
{
    jsni_text_add(page, "<figure class=\"charts\">\n");
    for (size_t i = 0; i < count; i++)
        jsni_chart_figure(page, &charts[i], 1, 1, charts[i].title, false);
    jsni_html_figure_end(page, caption);
}

void jsni_html_table(jsni_text *page, const jsni_table *table)
{
    jsni_text_add(page, "<div class=\"scroll\">\n");
    const jsn_status status = jsni_table_write(table, "html", page);
    if (status != JSN_OK && page->status == JSN_OK)
        page->status = status;
    jsni_text_add(page, "</div>\n");
}

void jsni_html_gallery_begin(jsni_text *page, size_t pixels)
{
    jsni_text_format(page,
                     "<style>.gallery-%zu{grid-template-columns:repeat(auto-fill,"
                     "minmax(%zupx,1fr))}</style>\n"
                     "<div class=\"gallery gallery-%zu\">\n",
                     pixels, pixels, pixels);
}

static void add_caption(jsni_text *page, const jsni_gallery_image *image)
{
    bool begun = image->flag != NULL;
    jsni_text_add(page, "<figcaption>");
    if (image->flag != NULL)
        add_element(page, "<b>", image->flag, "</b>");
    for (size_t i = 0; i < JSNI_GALLERY_LINES; i++) {
        if (image->line[i] == NULL)
            continue;
        add_element(page, begun ? "<br>" : "", image->line[i], "");
        begun = true;
    }
    jsni_text_add(page, "</figcaption>");
}

static void add_base64(jsni_text *page, const void *data, size_t bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *b = data;
    for (size_t i = 0; i < bytes; i += 3) {
        const size_t left = bytes - i;
        const uint32_t word = (uint32_t)b[i] << 16 |
                              (left > 1 ? (uint32_t)b[i + 1] << 8 : 0u) |
                              (left > 2 ? (uint32_t)b[i + 2] : 0u);
        const char four[4] = {digits[word >> 18], digits[word >> 12 & 63],
                              left > 1 ? digits[word >> 6 & 63] : '=',
                              left > 2 ? digits[word & 63] : '='};
        jsni_text_add_n(page, four, 4);
    }
}

void jsni_html_gallery_png(jsni_text *page, const jsni_gallery_image *image)
{
    const bool link = image->link != NULL && jsni_address_is_harmless(image->link);
    const char *const first = image->line[0];
    jsni_text_add(page, "<figure>");
    if (link)
        add_element(page, "<a href=\"", image->link, "\">");
    jsni_text_add(page, "<img src=\"data:image/png;base64,");
    add_base64(page, image->png, image->bytes);
    if (image->name != NULL)
        add_element(page, "\" title=\"", image->name, "");
    add_element(page, "\" alt=\"", first != NULL ? first : "", "\">");
    if (link)
        jsni_text_add(page, "</a>");
    if (first != NULL || image->flag != NULL)
        add_caption(page, image);
    jsni_text_add(page, "</figure>\n");
}

void jsni_html_gallery_end(jsni_text *page)
{
    jsni_text_add(page, "</div>\n");
}

void jsni_html_fold_begin(jsni_text *page, const char *words)
{
    add_element(page, "<details><summary>", words, "</summary>\n");
}

void jsni_html_fold_end(jsni_text *page)
{
    jsni_text_add(page, "</details>\n");
}
