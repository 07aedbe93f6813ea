/* report/chart_layout.h - where the parts of a chart lie; between chart.c, which finds
 * it, and chart_series.c, which draws the data into it. */
#ifndef JSNI_REPORT_CHART_LAYOUT_H
#define JSNI_REPORT_CHART_LAYOUT_H

#include "report/axis.h"
#include "report/chart.h"

typedef struct jsni_layout {
    double width, height; /* of the chart */
    double left, top;     /* of the plot inside it */
    double plot_width, plot_height;
    double x_labels; /* height of the labels below the plot */
    double below;    /* height of everything further down */
    double x_low, x_high, y_low, y_high;
    bool x_log, y_log;
    jsni_tick x_ticks[JSNI_TICKS], y_ticks[JSNI_TICKS];
    size_t x_count, y_count;
    double turn; /* of category labels, degrees */
    bool wrap;   /* category labels have two lines */
    jsni_legend legend;
    size_t legend_columns;
    double name_width; /* of the widest name in the legend */
} jsni_layout;

/* Data to pixels. */
double jsni_layout_x(const jsni_layout *l, double value);
double jsni_layout_y(const jsni_layout *l, double value);

void jsni_chart_series(jsni_text *out, const jsni_layout *l, const jsni_chart *c);

#endif /* JSNI_REPORT_CHART_LAYOUT_H */
