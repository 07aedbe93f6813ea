/* report/chart.c - layout of a chart, axes and legend; see report/chart.h. The data are
 * drawn by chart_series.c. */
#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/axis.h"
#include "report/chart_layout.h"
#include "report/escape.h"
#include "report/svg.h"

enum { PAD = 10, KEY = 26, ROW = 18, TICK = 5 };
#define ELLIPSIS "\xE2\x80\xA6"
enum { MOST_TURNED = 110, MOST_LABEL = 160 }; /* pixels of a turned label; bytes */

static void widen(double *low, double *high, double value, bool log_scale)
{
    if (!isfinite(value) || (log_scale && value <= 0.0))
        return;
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* Ranges of both axes from the data, where they are not given. */
static void find_ranges(jsni_layout *l, const jsni_chart *c)
{
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    bool bars = false;
    for (size_t s = 0; s < c->series_count; s++) {
        const jsni_series *series = &c->series[s];
        bars = bars || (series->draw & JSNI_DRAW_BARS);
        for (size_t i = 0; i < series->count; i++) {
            widen(&x0, &x1, series->x != NULL ? series->x[i] : (double)i,
                  c->x.log_scale);
            widen(&y0, &y1, series->y[i], c->y.log_scale);
            if (series->low != NULL)
                widen(&y0, &y1, series->low[i], c->y.log_scale);
            if (series->high != NULL)
                widen(&y0, &y1, series->high[i], c->y.log_scale);
        }
    }
    if (bars && !c->y.log_scale)
        widen(&y0, &y1, 0.0, false);
    jsni_axis_range(&x0, &x1, c->x.log_scale, bars ? 0.05 : 0.0);
    const bool from_zero = bars && y0 == 0.0;
    jsni_axis_range(&y0, &y1, c->y.log_scale, 0.05);
    if (c->x.categories != NULL) {
        x0 = -0.5;
        x1 = (double)c->x.category_count - 0.5;
    }
    l->x_low = x0;
    l->x_high = x1;
    l->y_low = from_zero ? 0.0 : y0;
    l->y_high = y1;
    if (c->x.low != c->x.high) {
        l->x_low = c->x.low;
        l->x_high = c->x.high;
    }
    if (c->y.low != c->y.high) {
        l->y_low = c->y.low;
        l->y_high = c->y.high;
    }
    l->x_log = c->x.log_scale;
    l->y_log = c->y.log_scale;
}

/* `words` cut to `width` pixels with an ellipsis. */
static const char *fit(char *room, size_t size, const char *words, double width,
                       double font, bool markup)
{
    if (markup || jsni_svg_width(words, font, false) <= width)
        return words;
    size_t length = strlen(words);
    length = length < size - sizeof ELLIPSIS ? length : size - sizeof ELLIPSIS;
    do {
        while (length > 0 && ((unsigned char)words[--length] & 0xC0) == 0x80)
            continue;
        (void)snprintf(room, size, "%.*s" ELLIPSIS, (int)length, words);
    } while (length > 1 && jsni_svg_width(room, font, false) > width);
    return room;
}

static size_t named_series(const jsni_chart *c)
{
    size_t count = 0;
    for (size_t s = 0; s < c->series_count; s++)
        count += c->series[s].name != NULL;
    return count;
}

static double widest_name(const jsni_chart *c)
{
    double width = 0.0;
    for (size_t s = 0; s < c->series_count; s++)
        if (c->series[s].name != NULL)
            width = fmax(width,
                         jsni_svg_width(c->series[s].name, JSNI_FONT_SMALL, c->markup));
    return width;
}

/* Leaves the ticks at whole numbers, without decimals. */
static size_t keep_whole(jsni_tick *ticks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = nearbyint(ticks[i].value);
        if (fabs(ticks[i].value - value) > 1e-6)
            continue;
        ticks[kept].value = value;
        (void)snprintf(ticks[kept++].text, JSNI_TICK_TEXT, "%.0f", value);
    }
    return kept;
}

/* The most ticks of the x axis whose labels keep apart. */
static void find_x_ticks(jsni_layout *l, bool whole)
{
    for (size_t most = 12; most >= 2; most--) {
        double widest = 0.0;
        l->x_count = jsni_axis_ticks(l->x_low, l->x_high, l->x_log, most, l->x_ticks);
        if (whole)
            l->x_count = keep_whole(l->x_ticks, l->x_count);
        double place = -INFINITY, nearest = INFINITY;
        for (size_t i = 0; i < l->x_count; i++) {
            if (l->x_ticks[i].text[0] == '\0')
                continue;
            const double at = jsni_layout_x(l, l->x_ticks[i].value);
            widest =
                fmax(widest, jsni_svg_width(l->x_ticks[i].text, JSNI_FONT_SMALL, true));
            nearest = fmin(nearest, at - place);
            place = at;
        }
        if (nearest >= widest + 10.0)
            return;
    }
}

/* The first line of a label that has two: up to the space that makes them most alike;
 * 0: it has no space. */
static size_t first_line(const char *words, double *width)
{
    size_t best = 0;
    *width = jsni_svg_width(words, JSNI_FONT_SMALL, false);
    for (size_t i = 0; words[i] != '\0' && i < MOST_LABEL; i++) {
        char head[MOST_LABEL];
        if (words[i] != ' ' || i == 0)
            continue;
        (void)snprintf(head, sizeof head, "%.*s", (int)i, words);
        const double both = fmax(jsni_svg_width(head, JSNI_FONT_SMALL, false),
                                 jsni_svg_width(words + i + 1, JSNI_FONT_SMALL, false));
        if (both < *width) {
            *width = both;
            best = i;
        }
    }
    return best;
}

/* Labels of categories: in a line, in two, or turned. Gives their height. */
static double place_categories(jsni_layout *l, const jsni_chart *c, double slot)
{
    double widest = 0.0, wrapped = 0.0;
    for (size_t i = 0; i < c->x.category_count; i++) {
        double width = 0.0;
        (void)first_line(c->x.categories[i], &width);
        wrapped = fmax(wrapped, width);
        widest =
            fmax(widest, jsni_svg_width(c->x.categories[i], JSNI_FONT_SMALL, false));
    }
    l->turn = 0.0;
    l->wrap = widest + 6.0 > slot && wrapped + 6.0 <= slot;
    if (widest + 6.0 <= slot)
        return JSNI_FONT_SMALL + 4;
    if (l->wrap)
        return 2 * JSNI_FONT_SMALL + 6;
    widest = fmin(widest, MOST_TURNED);
    l->turn = slot >= 22.0 ? -40.0 : -90.0;
    return (slot >= 22.0 ? 0.64 : 1.0) * widest + 12.0;
}

/* Margins from the texts, then the plot's rectangle. */
static void lay_out(jsni_layout *l, const jsni_chart *c)
{
    const size_t named = named_series(c);
    const double width = c->width > 0 ? c->width : 480;
    const double height = c->height > 0 ? c->height : 320;
    l->legend = c->legend != JSNI_LEGEND_AUTO ? c->legend
                : named > 1                   ? JSNI_LEGEND_RIGHT
                                              : JSNI_LEGEND_NONE;
    if (named == 0)
        l->legend = JSNI_LEGEND_NONE;
    l->name_width = fmin(widest_name(c), 0.45 * width);
    l->width = width;
    l->height = height;
    double right = PAD + 6, bottom = PAD;
    if (l->legend == JSNI_LEGEND_RIGHT)
        right = l->name_width + KEY + 2 * PAD + 8;
    if (l->legend == JSNI_LEGEND_BELOW) {
        const double cell = l->name_width + KEY + 16;
        l->legend_columns = (size_t)fmax(1.0, floor((width - 2 * PAD) / cell));
        if (l->legend_columns > named)
            l->legend_columns = named;
        /* As many rows as needed, then rows of equal length. */
        const size_t rows = (named + l->legend_columns - 1) / l->legend_columns;
        l->legend_columns = (named + rows - 1) / rows;
        bottom +=
            ROW * (double)((named + l->legend_columns - 1) / l->legend_columns) + 4;
    }
    l->top = PAD + (c->title != NULL ? JSNI_FONT_TITLE + 10 : 4);
    bottom += c->x.label != NULL ? JSNI_FONT + 10 : 4;
    const double below = bottom;
    /* The y labels decide the left margin, which decides the x labels. */
    const double guess = height - l->top - bottom - JSNI_FONT_SMALL - 8;
    l->y_count = jsni_axis_ticks(l->y_low, l->y_high, l->y_log,
                                 (size_t)fmax(2.0, guess / 32.0), l->y_ticks);
    double label = 0.0;
    for (size_t i = 0; i < l->y_count; i++)
        label = fmax(label, jsni_svg_width(l->y_ticks[i].text, JSNI_FONT_SMALL, true));
    l->left = PAD + label + TICK + 5 + (c->y.label != NULL ? JSNI_FONT + 8 : 0);
    l->plot_width = fmax(40.0, width - l->left - right);
    double x_labels = JSNI_FONT_SMALL + TICK + 5;
    if (c->x.categories != NULL && c->x.category_count > 0) {
        x_labels = place_categories(l, c, l->plot_width / (double)c->x.category_count) +
                   TICK + 3;
    }
    l->x_labels = x_labels;
    l->below = below;
    l->plot_height = fmax(40.0, height - l->top - x_labels - below);
}

double jsni_layout_x(const jsni_layout *l, double value)
{
    return l->left +
           l->plot_width * jsni_axis_place(value, l->x_low, l->x_high, l->x_log);
}

double jsni_layout_y(const jsni_layout *l, double value)
{
    return l->top + l->plot_height -
           l->plot_height * jsni_axis_place(value, l->y_low, l->y_high, l->y_log);
}

static void draw_y_axis(jsni_text *out, const jsni_layout *l)
{
    const jsni_svg_label label = {
        .anchor = JSNI_RIGHT, .size = JSNI_FONT_SMALL, .muted = true, .markup = true};
    for (size_t i = 0; i < l->y_count; i++) {
        const double y = jsni_layout_y(l, l->y_ticks[i].value);
        if (l->y_ticks[i].text[0] == '\0') {
            jsni_svg_line(out, l->left - 3, y, l->left, y, "j-axis");
            continue;
        }
        jsni_svg_line(out, l->left, y, l->left + l->plot_width, y, "j-grid");
        jsni_svg_line(out, l->left - TICK, y, l->left, y, "j-axis");
        jsni_svg_text(out, l->left - TICK - 3, y + 4, &label, l->y_ticks[i].text);
    }
}

static void draw_x_axis(jsni_text *out, jsni_layout *l, const jsni_chart *c)
{
    const double floor_y = l->top + l->plot_height;
    jsni_svg_label label = {
        .anchor = JSNI_CENTRE, .size = JSNI_FONT_SMALL, .muted = true, .markup = true};
    if (c->x.categories == NULL) {
        for (size_t i = 0; i < l->x_count; i++) {
            const double x = jsni_layout_x(l, l->x_ticks[i].value);
            const bool named = l->x_ticks[i].text[0] != '\0';
            if (named)
                jsni_svg_line(out, x, l->top, x, floor_y, "j-grid");
            jsni_svg_line(out, x, floor_y, x, floor_y + (named ? TICK : 3), "j-axis");
            jsni_svg_text(out, x, floor_y + TICK + JSNI_FONT_SMALL + 1, &label,
                          l->x_ticks[i].text);
        }
        return;
    }
    label.markup = false;
    label.turn = l->turn;
    label.anchor = l->turn == 0.0 ? JSNI_CENTRE : JSNI_RIGHT;
    const double slot = l->plot_width / (double)c->x.category_count;
    for (size_t i = 0; i < c->x.category_count; i++) {
        char room[MOST_LABEL];
        const char *words = c->x.categories[i];
        const double x = jsni_layout_x(l, (double)i) + (l->turn == 0.0 ? 0.0 : 4.0);
        double y = floor_y + TICK + (l->turn == 0.0 ? JSNI_FONT_SMALL + 1 : 7);
        double width = 0.0;
        const size_t head = l->wrap ? first_line(words, &width) : 0;
        if (head > 0) {
            (void)snprintf(room, sizeof room, "%.*s", (int)head, words);
            jsni_svg_text(out, x, y, &label, room);
            words += head + 1;
            y += JSNI_FONT_SMALL + 2;
        }
        jsni_svg_text(out, x, y, &label,
                      fit(room, sizeof room, words, l->turn == 0.0 ? slot : MOST_TURNED,
                          JSNI_FONT_SMALL, false));
    }
}

static void draw_titles(jsni_text *out, const jsni_layout *l, const jsni_chart *c)
{
    char room[256];
    jsni_svg_label label = {.anchor = JSNI_LEFT, .size = JSNI_FONT_TITLE, .bold = true};
    label.markup = c->markup;
    if (c->title != NULL)
        jsni_svg_text(out, l->left, PAD + JSNI_FONT_TITLE - 1, &label,
                      fit(room, sizeof room, c->title, l->width - l->left - 4,
                          JSNI_FONT_TITLE * 1.16, c->markup));
    label = (jsni_svg_label){.anchor = JSNI_CENTRE, .markup = c->markup};
    if (c->x.label != NULL)
        jsni_svg_text(
            out, l->left + l->plot_width / 2,
            l->top + l->plot_height + l->x_labels + JSNI_FONT + 3, &label,
            fit(room, sizeof room, c->x.label, l->plot_width, JSNI_FONT, c->markup));
    label.turn = -90;
    if (c->y.label != NULL)
        jsni_svg_text(out, PAD + JSNI_FONT - 2, l->top + l->plot_height / 2, &label,
                      fit(room, sizeof room, c->y.label, l->height - 2 * PAD, JSNI_FONT,
                          c->markup));
}

static void draw_key(jsni_text *out, const jsni_series *s, double x, double y)
{
    const int colour = s->colour % JSNI_COLOUR_COUNT;
    const unsigned draw = s->draw == 0 ? JSNI_DRAW_LINE : s->draw;
    char name[32];
    if (draw & (JSNI_DRAW_BAND | JSNI_DRAW_BARS)) {
        const bool bars = draw & JSNI_DRAW_BARS;
        (void)snprintf(name, sizeof name, "j-f%d%s", colour, bars ? "" : " j-band");
        jsni_svg_rect(out, x, y - (bars ? 10 : 9), bars ? 12 : 20, bars ? 11 : 10,
                      name);
    }
    if (draw & JSNI_DRAW_LINE)
        jsni_text_format(out,
                         "<path class=\"j-line j-s%d\" stroke-dasharray=\"%s\" "
                         "d=\"M%.1f %.1fh20\"/>\n",
                         colour, jsni_svg_dash(s->dash), x, y - 4);
    if (draw & JSNI_DRAW_MARKERS)
        jsni_svg_marker(out, x + 10, y - 4, colour);
}

static void draw_legend(jsni_text *out, const jsni_layout *l, const jsni_chart *c)
{
    const jsni_svg_label label = {
        .anchor = JSNI_LEFT, .size = JSNI_FONT_SMALL, .markup = c->markup};
    size_t place = 0;
    if (l->legend == JSNI_LEGEND_NONE)
        return;
    for (size_t s = 0; s < c->series_count; s++) {
        char room[160];
        if (c->series[s].name == NULL)
            continue;
        double x = l->left + l->plot_width + PAD + 6;
        double y = l->top + JSNI_FONT + ROW * (double)place;
        if (l->legend == JSNI_LEGEND_BELOW) {
            const double cell = l->name_width + KEY + 16;
            const double all = cell * (double)l->legend_columns - 16;
            const double left = fmax(PAD, l->left + (l->plot_width - all) / 2);
            const double limit = fmax(PAD, l->width - PAD - all);
            x = fmin(left, limit) + cell * (double)(place % l->legend_columns);
            y = l->top + l->plot_height + l->x_labels +
                (c->x.label != NULL ? JSNI_FONT + 10 : 4) + 14 +
                ROW * (double)(place / l->legend_columns);
        }
        draw_key(out, &c->series[s], x, y);
        jsni_svg_text(out, x + KEY, y, &label,
                      fit(room, sizeof room, c->series[s].name, l->name_width + 1,
                          JSNI_FONT_SMALL, c->markup));
        place++;
    }
}

/* One chart with its upper left corner at x, y of the figure. */
static void draw_chart(jsni_text *out, const jsni_chart *chart, double x, double y)
{
    jsni_layout layout = {0};
    find_ranges(&layout, chart);
    lay_out(&layout, chart);
    if (chart->x.categories == NULL)
        find_x_ticks(&layout, chart->x.whole);
    jsni_svg_group(out, x, y);
    draw_y_axis(out, &layout);
    draw_x_axis(out, &layout, chart);
    const double floor_y = layout.top + layout.plot_height;
    jsni_svg_line(out, layout.left, floor_y, layout.left + layout.plot_width, floor_y,
                  "j-axis");
    jsni_svg_line(out, layout.left, layout.top, layout.left, floor_y, "j-axis");
    /* Room for the half of a marker that lies outside of the axes. */
    const double room = 6.0;
    jsni_svg_clip(out, layout.left - room, layout.top - room,
                  layout.plot_width + 2.0 * room, layout.plot_height + 2.0 * room);
    jsni_chart_series(out, &layout, chart);
    jsni_svg_clip_end(out);
    draw_titles(out, &layout, chart);
    draw_legend(out, &layout, chart);
    jsni_svg_group_end(out);
}

void jsni_chart_figure(jsni_text *out, const jsni_chart *charts, size_t count,
                       size_t columns, const char *description, bool plain)
{
    double cell_width = 0.0, cell_height = 0.0;
    columns = columns == 0 ? 1 : columns > count ? count : columns;
    for (size_t i = 0; i < count; i++) {
        cell_width = fmax(cell_width, charts[i].width > 0 ? charts[i].width : 480);
        cell_height = fmax(cell_height, charts[i].height > 0 ? charts[i].height : 320);
    }
    const size_t rows = count == 0 ? 0 : (count + columns - 1) / columns;
    jsni_svg_begin(out, cell_width * (double)columns, cell_height * (double)rows,
                   count > 0 && !charts[0].markup ? charts[0].title : NULL, description,
                   plain);
    for (size_t i = 0; i < count; i++)
        draw_chart(out, &charts[i], cell_width * (double)(i % columns),
                   cell_height * (double)(i / columns));
    jsni_svg_end(out);
}
