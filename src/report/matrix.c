/* report/matrix.c - see report/matrix.h. */
#include "report/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "report/svg.h"

enum { PAD = 10, NAMES = 110, NUMBERED = 25, MOST_NAME = 200 /* bytes */ };

/* Name `index`, cut to NAMES pixels with an ellipsis. */
static const char *name_of(const jsni_matrix *m, size_t index, char *room, size_t size)
{
    if (m->names == NULL) {
        (void)snprintf(room, size, "%zu", index);
        return room;
    }
    size_t length = strlen(m->names[index]);
    length = length < MOST_NAME ? length : MOST_NAME;
    (void)snprintf(room, size, "%s", m->names[index]);
    while (length > 1 && jsni_svg_width(room, JSNI_FONT_SMALL, false) > NAMES) {
        while (--length > 1 && ((unsigned char)m->names[index][length] & 0xC0) == 0x80)
            continue;
        (void)snprintf(room, size, "%.*s\xE2\x80\xA6", (int)length, m->names[index]);
    }
    return room;
}

static double widest_name(const jsni_matrix *m)
{
    double widest = 0.0;
    for (size_t i = 0; i < m->size; i++) {
        char room[256];
        widest = fmax(widest, jsni_svg_width(name_of(m, i, room, sizeof room),
                                             JSNI_FONT_SMALL, false));
    }
    return widest;
}

static void draw_cell(jsni_text *out, double value, double x, double y, double side,
                      bool number)
{
    if (!(value >= 0.0))
        return;
    const double shade = value < 1.0 ? value : 1.0;
    if (shade > 0.0) {
        /* The square root lifts the small shares, which are what a confusion is about. */
        jsni_text_format(out, "<rect class=\"j-f0\" opacity=\"%.3f\" x=\"",
                         sqrt(shade));
        jsni_svg_number(out, x);
        jsni_text_add(out, "\" y=\"");
        jsni_svg_number(out, y);
        jsni_text_format(out, "\" width=\"%.2f\" height=\"%.2f\"/>\n", side, side);
    }
    char text[16];
    if (!number || shade < 0.0005)
        return;
    (void)jsni_format(text, sizeof text, shade < 0.0995 ? "%.1f" : "%.0f",
                      100.0 * shade);
    const jsni_svg_label label = {.anchor = JSNI_CENTRE, .size = 10.5};
    jsni_text_add(out, sqrt(shade) > 0.6 ? "<g class=\"j-over\">" : "<g>");
    jsni_svg_text(out, x + side / 2, y + side / 2 + 3.8, &label, text);
    jsni_svg_group_end(out);
}

typedef struct frame {
    double left, top, side, names;
    size_t every; /* names shown */
} frame;

static void draw_names(jsni_text *out, const jsni_matrix *m, const frame *f)
{
    for (size_t i = 0; i < m->size; i += f->every) {
        char room[256];
        const char *name = name_of(m, i, room, sizeof room);
        const double middle = f->side * ((double)i + 0.5);
        jsni_svg_label label = {
            .anchor = JSNI_RIGHT, .size = JSNI_FONT_SMALL, .muted = true};
        jsni_svg_text(out, f->left - 6, f->top + middle + 4, &label, name);
        label.anchor = JSNI_LEFT;
        label.turn = -90;
        jsni_svg_text(out, f->left + middle + 4, f->top - 6, &label, name);
    }
}

void jsni_matrix_figure(jsni_text *out, const jsni_matrix *m, const char *description,
                        bool plain)
{
    const double n = (double)m->size;
    frame f = {.names = widest_name(m), .every = 1};
    f.side = m->size <= 12 ? 34.0 : m->size <= NUMBERED ? 28.0 : fmax(2.0, 520.0 / n);
    while ((double)f.every * f.side < 13.0)
        f.every++;
    const double head = m->title != NULL ? JSNI_FONT_TITLE + 14 : 0;
    f.left = PAD + f.names + 8 + (m->row_label != NULL ? 18 : 0);
    f.top = PAD + head + f.names + 8 + (m->column_label != NULL ? 18 : 0);
    const double span = f.side * n;
    const double title_width =
        m->title != NULL ? jsni_svg_width(m->title, JSNI_FONT_TITLE * 1.16, false)
                         : 0.0;
    jsni_svg_begin(out, fmax(f.left + span, PAD + title_width) + PAD + 4,
                   f.top + span + PAD + 4, m->title, description, plain);
    jsni_svg_label label = {.anchor = JSNI_LEFT, .size = JSNI_FONT_TITLE, .bold = true};
    if (m->title != NULL)
        jsni_svg_text(out, PAD, PAD + JSNI_FONT_TITLE - 1, &label, m->title);
    label = (jsni_svg_label){.anchor = JSNI_CENTRE};
    if (m->column_label != NULL)
        jsni_svg_text(out, f.left + span / 2, PAD + head + JSNI_FONT, &label,
                      m->column_label);
    label.turn = -90;
    if (m->row_label != NULL)
        jsni_svg_text(out, PAD + JSNI_FONT, f.top + span / 2, &label, m->row_label);
    draw_names(out, m, &f);
    for (size_t i = 0; i <= m->size && m->size <= NUMBERED; i++) {
        const double at = f.side * (double)i;
        jsni_svg_line(out, f.left, f.top + at, f.left + span, f.top + at, "j-grid");
        jsni_svg_line(out, f.left + at, f.top, f.left + at, f.top + span, "j-grid");
    }
    for (size_t r = 0; r < m->size; r++)
        for (size_t c = 0; c < m->size; c++)
            draw_cell(out, m->values[r * m->size + c], f.left + f.side * (double)c,
                      f.top + f.side * (double)r, f.side, m->size <= NUMBERED);
    jsni_svg_end(out);
}
