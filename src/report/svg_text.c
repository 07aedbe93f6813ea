/* report/svg_text.c - texts of a figure: their markup and their width (report/svg.h). */
#include "report/svg.h"

#include <string.h>

#include "report/escape.h"

/* Widths of printable ASCII in a Helvetica-like face, thousandths of the size. */
static const short widths[95] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

/* Faces that may stand in are up to this much wider. */
static const double allowance = 1.14;
static const double small = 0.72; /* size of lowered and raised text */

double jsni_svg_width(const char *words, double size, bool markup)
{
    double sum = 0.0;
    int depth = 0;
    while (*words != '\0') {
        if (markup && (strncmp(words, "_{", 2) == 0 || strncmp(words, "^{", 2) == 0)) {
            depth = 1;
            words += 2;
            continue;
        }
        if (markup && ((depth > 0 && *words == '}') || *words == '\\')) {
            depth = *words == '}' ? 0 : depth;
            words++;
            continue;
        }
        unsigned point = 0;
        const size_t length = jsni_utf8_next(words, &point);
        double width = 620.0;
        if (length == 1 && point >= 32 && point < 127)
            width = widths[point - 32];
        else if (point >= 0x1100 && point != 0x2212)
            width = point >= 0x2E80 ? 1000.0 : 700.0;
        sum += depth > 0 ? small * width : width;
        words += length == 0 ? 1 : length;
    }
    return sum * size / 1000.0 * allowance;
}

double jsni_svg_exact_width(const char *words, double size)
{
    return jsni_svg_width(words, size, false) / allowance;
}

static void add_piece(jsni_text *out, const char *words, size_t length)
{
    char piece[8];
    memcpy(piece, words, length);
    piece[length] = '\0';
    jsni_escape_xml(out, piece);
}

/* Markup as tspans; the shift of the baseline is taken back by the next piece. */
static void add_markup(jsni_text *out, const char *words, double size)
{
    double shift = 0.0; /* now in force */
    double pending = 0.0;
    while (*words != '\0') {
        unsigned point = 0;
        if (strncmp(words, "_{", 2) == 0 || strncmp(words, "^{", 2) == 0) {
            shift = (*words == '_' ? 0.22 : -0.38) * size;
            jsni_text_add(out, "<tspan font-size=\"");
            jsni_svg_number(out, small * size);
            jsni_text_add(out, "\" dy=\"");
            jsni_svg_number(out, shift + pending);
            jsni_text_add(out, "\">");
            pending = 0.0;
            words += 2;
        } else if (shift != 0.0 && *words == '}') {
            jsni_text_add(out, "</tspan>");
            pending = -shift;
            shift = 0.0;
            words++;
        } else {
            const bool italic = *words == '\\' && words[1] != '\0';
            words += italic ? 1 : 0;
            size_t length = jsni_utf8_next(words, &point);
            length = length == 0 ? 1 : length;
            if (italic || pending != 0.0) {
                jsni_text_add(out, italic ? "<tspan font-style=\"italic\"" : "<tspan");
                if (pending != 0.0) {
                    jsni_text_add(out, " dy=\"");
                    jsni_svg_number(out, pending);
                    jsni_text_add(out, "\"");
                }
                jsni_text_add(out, ">");
                add_piece(out, words, length);
                jsni_text_add(out, "</tspan>");
                pending = 0.0;
            } else {
                add_piece(out, words, length);
            }
            words += length;
        }
    }
    if (shift != 0.0)
        jsni_text_add(out, "</tspan>");
}

void jsni_svg_text(jsni_text *out, double x, double y, const jsni_svg_label *label,
                   const char *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const double size = label->size > 0.0 ? label->size : JSNI_FONT;
    jsni_text_format(out, "<text class=\"%s\"%s text-anchor=\"%s\" x=\"",
                     label->muted ? "j-muted" : "j-text",
                     label->markup ? " xml:space=\"preserve\"" : "",
                     anchors[label->anchor]);
    jsni_svg_number(out, x);
    jsni_text_add(out, "\" y=\"");
    jsni_svg_number(out, y);
    jsni_text_add(out, "\" font-size=\"");
    jsni_svg_number(out, size);
    jsni_text_add(out, label->bold ? "\" font-weight=\"bold\"" : "\"");
    if (label->turn != 0.0) {
        jsni_text_add(out, " transform=\"rotate(");
        jsni_svg_number(out, label->turn);
        jsni_text_add(out, " ");
        jsni_svg_number(out, x);
        jsni_text_add(out, " ");
        jsni_svg_number(out, y);
        jsni_text_add(out, ")\"");
    }
    jsni_text_add(out, ">");
    if (label->markup)
        add_markup(out, words, size);
    else
        jsni_escape_xml(out, words);
    jsni_text_add(out, "</text>\n");
}
