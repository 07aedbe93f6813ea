/* study/grid_figure.h - grids (study/grid.h) as figures; each appends an SVG. */
#ifndef JSNI_STUDY_GRID_FIGURE_H
#define JSNI_STUDY_GRID_FIGURE_H

#include "study/grid.h"

/* A chart of a figure. */
typedef struct jsni_grid_panel {
    const char *title; /* of curves, NULL: a chart for each column, by its heading */
    const char *y;
    const jsni_grid *grid; /* of bars */
    const char *key; /* of curves: field of an epoch; NULL: the study's objective */
} jsni_grid_panel;

enum { JSNI_GRID_PANELS = 8, JSNI_GRID_SERIES = 32 };

/* Panels below each other: columns along x, a bar a row. A row has one colour in all of
 * them, so that one legend is enough. At most JSNI_GRID_PANELS with JSNI_GRID_SERIES
 * columns each; of the rows as many are drawn. */
JSN_MUST_CHECK jsn_status jsni_grid_bars(const jsni_grid_panel *panels, size_t count,
                                         const char *x, const char *caption,
                                         jsni_text *out);

/* Means over the seeds along the epochs, a curve a row. Fields of epochs are read from the
 * run folders; a folder that is gone leaves a gap. The last of the panels has no y; at most
 * JSNI_GRID_PANELS charts. */
JSN_MUST_CHECK jsn_status jsni_grid_curves(const jsni_grid *grid,
                                           const jsni_grid_panel *panels,
                                           const jsn_sweep_trial *trials,
                                           size_t trial_count, const char *caption,
                                           jsni_text *out);

/* One chart: means against the x of the cells, a line a column. */
JSN_MUST_CHECK jsn_status jsni_grid_lines(const jsni_grid *grid, const char *title,
                                          const char *x, const char *y,
                                          const char *caption, jsni_text *out);

#endif /* JSNI_STUDY_GRID_FIGURE_H */
