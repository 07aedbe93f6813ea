/* report/axis.h - ranges, ticks and their labels, linear and logarithmic. */
#ifndef JSNI_REPORT_AXIS_H
#define JSNI_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { JSNI_TICKS = 64, JSNI_TICK_TEXT = 32 };

typedef struct jsni_tick {
    double value;
    char text[JSNI_TICK_TEXT]; /* "" for a minor tick; markup ("10^{-4}") */
} jsni_tick;

/* Fills `ticks` (room for JSNI_TICKS) with at most about `most` >= 2 labelled ticks in
 * [low, high] at round values, in rising order, and returns how many. */
size_t jsni_axis_ticks(double low, double high, bool log_scale, size_t most,
                       jsni_tick *ticks);

/* Makes a usable range from data limits, whatever these are: an empty or inverted one
 * (low > high: no data) becomes 0..1, a point gets room around it, and `room` (a fraction) is added at both
 * ends, on the scale of the axis. A logarithmic range is kept positive. The ends stay so
 * far from those of double that all arithmetic with them is finite. */
void jsni_axis_range(double *low, double *high, bool log_scale, double room);

/* Where `value` lies between low (0) and high (1) on the scale of the axis. */
double jsni_axis_place(double value, double low, double high, bool log_scale);

#endif /* JSNI_REPORT_AXIS_H */
