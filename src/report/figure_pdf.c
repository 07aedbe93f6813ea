/* report/figure_pdf.c - a figure as a PDF of one page, in the plainest form: no
 * compression, and the fonts that every reader has (Helvetica, Symbol). */
#include <math.h>
#include <string.h>

#include "report/escape.h"
#include "report/figure.h"
#include "report/svg.h"

static void add_numbers(jsni_text *out, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jsni_svg_number(out, numbers[i]);
        jsni_text_add(out, " ");
    }
}

/* Pixels from the upper left corner from here on. */
static void begin(jsni_text *out, double height)
{
    jsni_text_format(out, "%g 0 0 %g 0 ", JSNI_FIGURE_POINTS, -JSNI_FIGURE_POINTS);
    jsni_svg_number(out, JSNI_FIGURE_POINTS * height);
    jsni_text_add(out, " cm\n");
}

static void move(jsni_text *out, double x, double y)
{
    add_numbers(out, (const double[]){x, y}, 2);
    jsni_text_add(out, "m\n");
}

static void line(jsni_text *out, double x, double y)
{
    add_numbers(out, (const double[]){x, y}, 2);
    jsni_text_add(out, "l\n");
}

static void curve(jsni_text *out, const double at[6])
{
    add_numbers(out, at, 6);
    jsni_text_add(out, "c\n");
}

static void close_outline(jsni_text *out)
{
    jsni_text_add(out, "h\n");
}

static void add_colour(jsni_text *out, unsigned rgb, const char *operator)
{
    jsni_text_format(out, "%.3f %.3f %.3f %s\n", (double)(rgb >> 16 & 255) / 255.0,
                     (double)(rgb >> 8 & 255) / 255.0,
                     (double)(rgb & 255) / 255.0, operator);
}

static void style(jsni_text *out, const jsni_figure_paint *p)
{
    jsni_text_add(out, "q\n");
    if (p->filled)
        add_colour(out, p->fill, "rg");
    if (p->stroked)
        add_colour(out, p->stroke, "RG");
    jsni_svg_number(out, p->width);
    jsni_text_format(out, " w [%s] 0 d\n%s%s", p->dash, p->round ? "1 j 1 J\n" : "",
                     p->opacity < 1.0 ? "/Faint gs\n" : "");
}

static void paint(jsni_text *out, const jsni_figure_paint *p)
{
    jsni_text_add(out, p->filled && p->stroked ? "B\nQ\n"
                       : p->filled             ? "f\nQ\n"
                       : p->stroked            ? "S\nQ\n"
                                               : "n\nQ\n");
}

static void clip(jsni_text *out, double x, double y, double width, double height)
{
    jsni_text_add(out, "q\n");
    add_numbers(out, (const double[]){x, y, width, height}, 4);
    jsni_text_add(out, "re W n\n");
}

static void clip_end(jsni_text *out)
{
    jsni_text_add(out, "Q\n");
}

/* The fonts of the page. */
enum { PLAIN, BOLD, ITALIC, SYMBOL };

/* A character in one of the fonts: its code there. What no font has is a question mark. */
static int code_of(unsigned point, bool *symbol)
{
    static const struct {
        unsigned point;
        int code;
        bool symbol;
    } others[] = {{0x3C0, 'p', true},    {0x2212, '-', true},   {0x3B1, 'a', true},
                  {0x3B2, 'b', true},    {0x3B5, 'e', true},    {0x2264, 0xA3, true},
                  {0x2265, 0xB3, true},  {0x2192, 0xAE, true},  {0x2211, 0xE5, true},
                  {0x2013, 0x96, false}, {0x2014, 0x97, false}, {0x2026, 0x85, false},
                  {0x2019, 0x92, false}};
    *symbol = false;
    if (point < 0x80 || (point >= 0xA0 && point <= 0xFF))
        return (int)point;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].point == point) {
            *symbol = others[i].symbol;
            return others[i].code;
        }
    return '?';
}

/* The words as strings of the fonts that have them. */
static void add_words(jsni_text *out, const char *words, int font, double size)
{
    int now = -1;
    while (*words != '\0') {
        unsigned point = '?';
        bool symbol = false;
        const size_t length = jsni_utf8_next(words, &point);
        const int code = code_of(point, &symbol);
        const int wanted = symbol ? SYMBOL : font;
        if (wanted != now) {
            jsni_text_format(out, "%s/F%d ", now < 0 ? "" : ") Tj\n", wanted);
            jsni_svg_number(out, size);
            jsni_text_add(out, " Tf (");
            now = wanted;
        }
        jsni_text_format(
            out, code < 32 || code > 126 || strchr("()\\", code) ? "\\%03o" : "%c",
            code);
        words += length == 0 ? 1 : length;
    }
    if (now >= 0)
        jsni_text_add(out, ") Tj\n");
}

static void add_text(jsni_text *out, const jsni_figure_text *text)
{
    const double pi = 3.14159265358979323846, angle = text->turn * pi / 180.0;
    double width = 0.0;
    for (size_t i = 0; i < text->count; i++)
        width += jsni_svg_exact_width(text->pieces[i].words, text->pieces[i].size);
    jsni_text_add(out, text->edge ? "q 1 Tr 3 w 1 j 1 1 1 RG\n" : "q\n");
    add_colour(out, text->fill, "rg");
    add_numbers(out, (const double[]){cos(angle), sin(angle), -sin(angle), cos(angle)},
                4);
    add_numbers(out, (const double[]){text->x, text->y}, 2);
    jsni_text_add(out, "cm\n");
    double x = -text->anchor * width;
    for (size_t i = 0; i < text->count; i++) {
        const jsni_figure_piece *piece = &text->pieces[i];
        jsni_text_add(out, "BT 1 0 0 -1 ");
        add_numbers(out, (const double[]){x, piece->drop}, 2);
        jsni_text_add(out, "Tm\n");
        add_words(out, piece->words,
                  text->bold      ? BOLD
                  : piece->italic ? ITALIC
                                  : PLAIN,
                  piece->size);
        jsni_text_add(out, "ET\n");
        x += jsni_svg_exact_width(piece->words, piece->size);
    }
    jsni_text_add(out, "Q\n");
}

/* Objects one after another, then where each begins. */
static void end(jsni_text *file, const jsni_text *body, double width, double height)
{
    enum { OBJECTS = 9 };
    static const char *const fonts[] = {"Helvetica", "Helvetica-Bold",
                                        "Helvetica-Oblique", "Symbol"};
    size_t at[OBJECTS + 1];
    jsni_text_add(file, "%PDF-1.4\n");
    at[1] = file->length;
    jsni_text_add(file, "1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n");
    at[2] = file->length;
    jsni_text_add(file, "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n");
    at[3] = file->length;
    jsni_text_add(file, "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 ");
    add_numbers(
        file, (const double[]){JSNI_FIGURE_POINTS * width, JSNI_FIGURE_POINTS * height},
        2);
    jsni_text_add(file, "]/Contents 4 0 R/Resources<</ExtGState<</Faint 5 0 R>>/Font<<"
                        "/F0 6 0 R/F1 7 0 R/F2 8 0 R/F3 9 0 R>>>>>>\nendobj\n");
    at[4] = file->length;
    jsni_text_format(file, "4 0 obj\n<</Length %zu>>\nstream\n", body->length);
    jsni_text_add(file, body->data == NULL ? "" : body->data);
    jsni_text_add(file, "\nendstream\nendobj\n");
    at[5] = file->length;
    jsni_text_add(file, "5 0 obj\n<</Type/ExtGState/ca 0.18/CA 0.18>>\nendobj\n");
    for (size_t i = 0; i < 4; i++) {
        at[6 + i] = file->length;
        jsni_text_format(
            file, "%zu 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/%s%s>>\nendobj\n",
            6 + i, fonts[i], i == SYMBOL ? "" : "/Encoding/WinAnsiEncoding");
    }
    const size_t table = file->length;
    jsni_text_format(file, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (size_t i = 1; i <= OBJECTS; i++)
        jsni_text_format(file, "%010zu 00000 n \n", at[i]);
    jsni_text_format(file,
                     "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%zu\n%%%%EOF\n",
                     OBJECTS + 1, table);
}

const jsni_figure_format jsni_figure_pdf = {".pdf", begin,    style,         move,
                                            line,   curve,    close_outline, paint,
                                            clip,   clip_end, add_text,      end};
