/* report/chart_series.c - the data of a chart: bands below bars below lines below
 * markers, each in the order of the series. */
#include <math.h>
#include <stdio.h>

#include "report/chart_layout.h"
#include "report/svg.h"

/* Far outside is as good as outside, and keeps coordinates short and finite. */
static double tame(double pixel)
{
    return pixel < -1e4 ? -1e4 : pixel > 1e4 ? 1e4 : pixel;
}

static void add_point(jsni_text *out, char command, double x, double y)
{
    jsni_text_add_n(out, &command, 1);
    jsni_svg_number(out, tame(x));
    jsni_text_add(out, " ");
    jsni_svg_number(out, tame(y));
}

/* Series with whiskers stand a little beside each other, where those of one x would lie
 * on one another. Bars do so by themselves. */
static double shift_of(const jsni_chart *c, const jsni_series *s)
{
    const double step = 5.0;
    size_t rank = 0, count = 0;
    if ((s->draw & JSNI_DRAW_BARS) || !(s->draw & JSNI_DRAW_ERRORS))
        return 0.0;
    for (size_t i = 0; i < c->series_count; i++)
        if ((c->series[i].draw & (JSNI_DRAW_BARS | JSNI_DRAW_ERRORS)) ==
            JSNI_DRAW_ERRORS) {
            rank += &c->series[i] < s;
            count++;
        }
    return step * ((double)rank - 0.5 * (double)(count - 1));
}

static double x_of(const jsni_layout *l, const jsni_series *s, size_t i)
{
    return jsni_layout_x(l, s->x != NULL ? s->x[i] : (double)i);
}

static bool usable(const jsni_layout *l, const jsni_series *s, size_t i)
{
    const double x = s->x != NULL ? s->x[i] : (double)i;
    return !isnan(x) && !isnan(s->y[i]) && (!l->x_log || x > 0.0);
}

static void draw_line(jsni_text *out, const jsni_layout *l, const jsni_series *s,
                      double shift)
{
    bool down = false;
    jsni_text_format(out, "<path class=\"j-line j-s%d\" stroke-dasharray=\"%s\" d=\"",
                     s->colour % JSNI_COLOUR_COUNT, jsni_svg_dash(s->dash));
    for (size_t i = 0; i < s->count; i++) {
        if (!usable(l, s, i)) {
            down = false;
            continue;
        }
        add_point(out, down ? 'L' : 'M', x_of(l, s, i) + shift,
                  jsni_layout_y(l, s->y[i]));
        down = true;
    }
    jsni_text_add(out, "\"/>\n");
}

/* Runs of finite points, there along `high` and back along `low`. */
static void draw_band(jsni_text *out, const jsni_layout *l, const jsni_series *s)
{
    jsni_text_format(out, "<path class=\"j-band j-f%d\" d=\"",
                     s->colour % JSNI_COLOUR_COUNT);
    for (size_t start = 0; start < s->count;) {
        size_t end = start;
        while (end < s->count && usable(l, s, end) && isfinite(s->low[end]) &&
               isfinite(s->high[end]))
            end++;
        for (size_t i = start; i < end; i++)
            add_point(out, i == start ? 'M' : 'L', x_of(l, s, i),
                      jsni_layout_y(l, s->high[i]));
        for (size_t i = end; i > start; i--)
            add_point(out, 'L', x_of(l, s, i - 1), jsni_layout_y(l, s->low[i - 1]));
        if (end > start)
            jsni_text_add(out, "z");
        start = end + 1;
    }
    jsni_text_add(out, "\"/>\n");
}

/* The offset of series `index` among `bars` bar series, and their width in pixels. */
static double bar_offset(const jsni_layout *l, const jsni_chart *c, size_t index,
                         double *width)
{
    size_t bars = 0, rank = 0, slots = 1;
    for (size_t s = 0; s < c->series_count; s++)
        if (c->series[s].draw & JSNI_DRAW_BARS) {
            rank += s < index;
            bars++;
            slots = c->series[s].count > slots ? c->series[s].count : slots;
        }
    if (c->x.categories != NULL && c->x.category_count > 0)
        slots = c->x.category_count;
    *width =
        fmin(0.8 * l->plot_width / (double)slots / (double)(bars > 0 ? bars : 1), 48.0);
    return *width * ((double)rank - (double)bars / 2.0);
}

static void draw_bars(jsni_text *out, const jsni_layout *l, const jsni_chart *c,
                      size_t index)
{
    const jsni_series *s = &c->series[index];
    double width = 0.0;
    const double offset = bar_offset(l, c, index, &width);
    const double base = l->y_log ? l->top + l->plot_height : jsni_layout_y(l, 0.0);
    char name[16] = "j-f";
    const int colour = s->colour % JSNI_COLOUR_COUNT;
    name[3] = (char)(colour < 10 ? '0' + colour : '1');
    name[4] = (char)(colour < 10 ? '\0' : '0' + colour - 10);
    for (size_t i = 0; i < s->count; i++) {
        if (!usable(l, s, i))
            continue;
        const double y = tame(jsni_layout_y(l, s->y[i]));
        const double gap = width > 6.0 ? 1.0 : 0.0;
        jsni_svg_rect(out, x_of(l, s, i) + offset + gap / 2, fmin(y, base), width - gap,
                      fabs(base - y), name);
    }
}

/* A whisker with its two ends. */
static void add_whisker(jsni_text *out, double x, double low, double high,
                        const char *class_name, double width)
{
    jsni_text_format(out, "<path class=\"%s\" stroke-width=\"", class_name);
    jsni_svg_number(out, width);
    jsni_text_add(out, "\" d=\"");
    add_point(out, 'M', x - 3, low);
    add_point(out, 'L', x + 3, low);
    add_point(out, 'M', x, low);
    add_point(out, 'L', x, high);
    add_point(out, 'M', x - 3, high);
    add_point(out, 'L', x + 3, high);
    jsni_text_add(out, "\"/>\n");
}

/* On bars in grey with a light edge, which shows on any colour; else in the series' own
 * colour. */
static void draw_errors(jsni_text *out, const jsni_layout *l, const jsni_chart *c,
                        size_t index)
{
    const jsni_series *s = &c->series[index];
    const bool bars = s->draw & JSNI_DRAW_BARS;
    double width = 0.0;
    const double offset = bars ? bar_offset(l, c, index, &width) : shift_of(c, s);
    char name[16];
    (void)snprintf(name, sizeof name, "j-s%d", s->colour % JSNI_COLOUR_COUNT);
    for (size_t i = 0; i < s->count; i++) {
        if (!usable(l, s, i) || isnan(s->low[i]) || isnan(s->high[i]))
            continue;
        const double x = x_of(l, s, i) + offset + width / 2;
        const double low = jsni_layout_y(l, s->low[i]);
        const double high = jsni_layout_y(l, s->high[i]);
        if (bars)
            add_whisker(out, x, low, high, "j-halo", 3.0);
        add_whisker(out, x, low, high, bars ? "j-axis" : name, bars ? 1.0 : 1.5);
    }
}

static void draw_markers(jsni_text *out, const jsni_layout *l, const jsni_series *s,
                         double shift)
{
    for (size_t i = 0; i < s->count; i++)
        if (usable(l, s, i) && isfinite(s->y[i]))
            jsni_svg_marker(out, x_of(l, s, i) + shift, jsni_layout_y(l, s->y[i]),
                            s->colour % JSNI_COLOUR_COUNT);
}

void jsni_chart_series(jsni_text *out, const jsni_layout *l, const jsni_chart *c)
{
    static const unsigned order[] = {JSNI_DRAW_BAND, JSNI_DRAW_BARS, JSNI_DRAW_ERRORS,
                                     JSNI_DRAW_LINE, JSNI_DRAW_MARKERS};
    for (size_t layer = 0; layer < sizeof order / sizeof order[0]; layer++)
        for (size_t i = 0; i < c->series_count; i++) {
            const jsni_series *s = &c->series[i];
            const unsigned draw = s->draw == 0 ? JSNI_DRAW_LINE : s->draw;
            const bool limits = s->low != NULL && s->high != NULL;
            if (!(draw & order[layer]))
                continue;
            if (order[layer] == JSNI_DRAW_BAND && limits)
                draw_band(out, l, s);
            else if (order[layer] == JSNI_DRAW_BARS)
                draw_bars(out, l, c, i);
            else if (order[layer] == JSNI_DRAW_ERRORS && limits)
                draw_errors(out, l, c, i);
            else if (order[layer] == JSNI_DRAW_LINE)
                draw_line(out, l, s, shift_of(c, s));
            else if (order[layer] == JSNI_DRAW_MARKERS)
                draw_markers(out, l, s, shift_of(c, s));
        }
}
