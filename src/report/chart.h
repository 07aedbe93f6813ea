/* report/chart.h - a chart with two axes: lines, bands, markers, bars, error bars.
 *
 *     const jsni_series series[] = {
 *         {.name = "CE", .draw = JSNI_DRAW_LINE, .x = epoch, .y = accuracy, .count = n},
 *         {.name = "GJS", .draw = JSNI_DRAW_LINE | JSNI_DRAW_BAND, .x = epoch, .y = mean,
 *          .low = lower, .high = upper, .count = n, .colour = 1},
 *     };
 *     const jsni_chart chart = {.title = "CIFAR-10, 40% noise", .x = {.label = "epoch"},
 *                               .y = {.label = "accuracy"}, .series = series,
 *                               .series_count = 2};
 *     jsni_chart_figure(&text, &chart, 1, 1, NULL, false);
 *
 * Zero-initialised fields mean the usual. Points that are not finite leave a gap.
 * Margins are computed from the widths of the labels, long texts are shortened or
 * turned, the legend stands beside or below the plot: texts never overlap.
 */
#ifndef JSNI_REPORT_CHART_H
#define JSNI_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

enum {
    JSNI_DRAW_LINE = 1,
    JSNI_DRAW_MARKERS = 2,
    JSNI_DRAW_BAND = 4,   /* between low and high */
    JSNI_DRAW_BARS = 8,   /* from 0 to y; bars of several series stand side by side */
    JSNI_DRAW_ERRORS = 16 /* a whisker from low to high; without bars such series are
                             drawn some pixels beside each other */
};

typedef struct jsni_series {
    const char *name;         /* in the legend; NULL: not there */
    unsigned draw;            /* JSNI_DRAW_*, 0: a line */
    const double *x;          /* [count]; NULL: 0, 1, 2, ... (category numbers) */
    const double *y;          /* [count] */
    const double *low, *high; /* [count], for bands and errors, else NULL */
    size_t count;
    int colour; /* see report/svg.h; modulo JSNI_COLOUR_COUNT */
    int dash;   /* 0 solid, 1 dashed, 2 dotted, 3 dash-dot, ...: jsni_svg_dash() */
} jsni_series;

typedef struct jsni_axis {
    const char *label;
    bool log_scale;
    double low, high;              /* both 0: from the data */
    const char *const *categories; /* names of 0, 1, 2, ... instead of ticks (x only) */
    size_t category_count;
    bool whole; /* ticks at whole numbers alone (x only) */
} jsni_axis;

typedef enum jsni_legend {
    JSNI_LEGEND_AUTO, /* beside the plot; none for a single series */
    JSNI_LEGEND_RIGHT,
    JSNI_LEGEND_BELOW,
    JSNI_LEGEND_NONE
} jsni_legend;

typedef struct jsni_chart {
    const char *title;
    jsni_axis x, y;
    const jsni_series *series; /* borrowed */
    size_t series_count;
    double width, height; /* pixels; 0: 480 x 320 */
    jsni_legend legend;
    bool markup; /* title, axis labels and names use the markup of jsni_svg_text();
                    leave it off for texts that come from data */
} jsni_chart;

/* A whole figure: `count` charts in rows of `columns`. `description` is read out by
 * screen readers and may be NULL; `plain`: no dark colours. */
void jsni_chart_figure(jsni_text *out, const jsni_chart *charts, size_t count,
                       size_t columns, const char *description, bool plain);

#endif /* JSNI_REPORT_CHART_H */
