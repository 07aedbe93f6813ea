/* report/figure_pgf.c - a figure for LaTeX: \\input{FILE.pgf}, with \\usepackage{pgf}. Texts
 * are set by LaTeX, in the fonts of the paper. */
#include <string.h>

#include "report/escape.h"
#include "report/figure.h"
#include "report/svg.h"

/* Pixels downwards from the upper edge, in points. */
static void add_point(jsni_text *out, double x, double y)
{
    jsni_text_add(out, "{\\pgfqpoint{");
    jsni_svg_number(out, JSNI_FIGURE_POINTS * x);
    jsni_text_add(out, "bp}{");
    jsni_svg_number(out, -JSNI_FIGURE_POINTS * y);
    jsni_text_add(out, "bp}}");
}

static void begin(jsni_text *out, double height)
{
    (void)out;
    (void)height;
}

static void add_colour(jsni_text *out, unsigned rgb)
{
    jsni_text_format(out, "\\definecolor{jensen}{RGB}{%u,%u,%u}", rgb >> 16 & 255,
                     rgb >> 8 & 255, rgb & 255);
}

static void add_length(jsni_text *out, double pixels)
{
    jsni_text_add(out, "{");
    jsni_svg_number(out, JSNI_FIGURE_POINTS * pixels);
    jsni_text_add(out, "bp}");
}

static void style(jsni_text *out, const jsni_figure_paint *p)
{
    jsni_text_add(out, "\\begin{pgfscope}");
    if (p->filled) {
        add_colour(out, p->fill);
        jsni_text_add(out, "\\pgfsetfillcolor{jensen}");
    }
    if (p->stroked) {
        add_colour(out, p->stroke);
        jsni_text_add(out, "\\pgfsetstrokecolor{jensen}");
    }
    jsni_text_add(out, "\\pgfsetlinewidth");
    add_length(out, p->width);
    if (p->dash[0] != '\0') {
        jsni_text_add(out, "\\pgfsetdash{");
        for (const char *at = p->dash; *at != '\0';) {
            const size_t n = strcspn(at, " ");
            jsni_text_format(out, "{%.*sbp}", (int)n, at);
            at += at[n] == ' ' ? n + 1 : n;
        }
        jsni_text_add(out, "}{0bp}");
    }
    jsni_text_format(out, "%s%s\n", p->round ? "\\pgfsetroundjoin\\pgfsetroundcap" : "",
                     p->opacity < 1.0 ? "\\pgfsetfillopacity{0.18}" : "");
}

static void move(jsni_text *out, double x, double y)
{
    jsni_text_add(out, "\\pgfpathmoveto");
    add_point(out, x, y);
    jsni_text_add(out, "\n");
}

static void line(jsni_text *out, double x, double y)
{
    jsni_text_add(out, "\\pgfpathlineto");
    add_point(out, x, y);
    jsni_text_add(out, "\n");
}

static void curve(jsni_text *out, const double at[6])
{
    jsni_text_add(out, "\\pgfpathcurveto");
    for (size_t i = 0; i < 6; i += 2)
        add_point(out, at[i], at[i + 1]);
    jsni_text_add(out, "\n");
}

static void close_outline(jsni_text *out)
{
    jsni_text_add(out, "\\pgfpathclose\n");
}

static void paint(jsni_text *out, const jsni_figure_paint *p)
{
    jsni_text_format(out, "\\pgfusepath{%s}\\end{pgfscope}\n",
                     p->filled && p->stroked ? "fill,stroke"
                     : p->filled             ? "fill"
                     : p->stroked            ? "stroke"
                                             : "discard");
}

static void clip(jsni_text *out, double x, double y, double width, double height)
{
    jsni_text_add(out, "\\begin{pgfscope}\\pgfpathrectanglecorners");
    add_point(out, x, y);
    add_point(out, x + width, y + height);
    jsni_text_add(out, "\\pgfusepath{clip}\n");
}

static void clip_end(jsni_text *out)
{
    jsni_text_add(out, "\\end{pgfscope}\n");
}

static void add_text_at(jsni_text *out, const jsni_figure_text *text, double x,
                        double y, unsigned colour)
{
    add_colour(out, colour);
    jsni_text_format(out, "\\pgftext[base%s,at=",
                     text->anchor == 0.0   ? ",left"
                     : text->anchor == 1.0 ? ",right"
                                           : "");
    add_point(out, x, y);
    jsni_text_add(out, ",rotate=");
    jsni_svg_number(out, -text->turn);
    jsni_text_format(out, "]{\\color{jensen}%s", text->bold ? "\\bfseries" : "");
    for (size_t i = 0; i < text->count; i++) {
        const jsni_figure_piece *piece = &text->pieces[i];
        jsni_text_add(out, "\\raisebox");
        add_length(out, -piece->drop);
        jsni_text_add(out, "{\\fontsize");
        add_length(out, piece->size);
        add_length(out, 1.2 * piece->size);
        jsni_text_format(out, "\\selectfont%s{}", piece->italic ? "\\itshape" : "");
        jsni_escape_latex(out, piece->words);
        jsni_text_add(out, "}");
    }
    jsni_text_add(out, "}\n");
}

/* LaTeX draws no outlines of letters: an edge is the text in white, a pixel off on every
 * side. */
static void add_text(jsni_text *out, const jsni_figure_text *text)
{
    if (!text->edge)
        add_text_at(out, text, text->x, text->y, text->fill);
    for (int i = 0; i < 9 && text->edge; i++)
        add_text_at(out, text, text->x + i % 3 - 1, text->y + i / 3 - 1, 0xFFFFFF);
}

static void end(jsni_text *file, const jsni_text *body, double width, double height)
{
    jsni_text_add(file,
                  "% a figure of jensen: \\usepackage{pgf,xcolor}, \\input{FILE.pgf}\n"
                  "\\begin{pgfpicture}\n\\pgfpathrectanglecorners");
    add_point(file, 0.0, 0.0);
    add_point(file, width, height);
    jsni_text_add(file, "\\pgfusepath{use as bounding box}\n");
    jsni_text_add(file, body->data == NULL ? "" : body->data);
    jsni_text_add(file, "\\end{pgfpicture}%\n");
}

const jsni_figure_format jsni_figure_pgf = {".pgf", begin,    style,         move,
                                            line,   curve,    close_outline, paint,
                                            clip,   clip_end, add_text,      end};
