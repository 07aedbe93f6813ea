/* report/ternary.h - a function on the probability simplex of three classes as a heat
 * map over a triangle, with a colour bar below it. */
#ifndef JSNI_REPORT_TERNARY_H
#define JSNI_REPORT_TERNARY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

/* The value at p = (p[0], p[1], p[2]), which sums to 1. */
typedef double jsni_ternary_fn(const void *user, const double p[3]);

typedef struct jsni_ternary {
    const char *title;
    const char *corners[3]; /* top, left, right: where p[0], p[1], p[2] is 1 */
    const char *scale;      /* name of the value, at the colour bar */
    jsni_ternary_fn *fn;
    const void *user;       /* borrowed */
    const double *point;    /* [3]: a place to mark, or NULL */
    const char *point_name; /* beside the mark, or NULL */
    bool markup;
} jsni_ternary;

enum { JSNI_TERNARY_WIDTH = 280, JSNI_TERNARY_HEIGHT = 340 };

/* Draws it with the upper left corner at x, y. The colours run from the smallest to the
 * largest value found on the grid. */
void jsni_ternary_draw(jsni_text *out, const jsni_ternary *map, double x, double y);

#endif /* JSNI_REPORT_TERNARY_H */
