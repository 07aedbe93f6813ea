/* study/grid_figure.c - see grid_figure.h. Curves of fields come from the run folders,
 * everything else is in the database. */
#include "study/grid_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "report/chart.h"
#include "report/svg.h"
#include "store/record_epoch.h"
#include "store/run_rows.h"

enum { MOST_SERIES = JSNI_GRID_SERIES, MOST_CHARTS = JSNI_GRID_PANELS };

/* A figure's charts and what they point to. */
typedef struct drawing {
    jsni_chart charts[MOST_CHARTS];
    size_t count;
    jsni_series series[MOST_CHARTS][MOST_SERIES];
    double *numbers[MOST_CHARTS][MOST_SERIES]; /* owned */
    const char *categories[MOST_CHARTS][MOST_SERIES];
} drawing;

static jsni_chart *add_chart(drawing *d, const char *title, const char *x,
                             const char *y)
{
    jsni_chart *chart = &d->charts[d->count];
    *chart = (jsni_chart){.title = title,
                          .x = {.label = x, .whole = true}, /* epochs or M */
                          .y = {.label = y},
                          .series = d->series[d->count]};
    d->count++;
    return chart;
}

/* The numbers of a series, [count] each. */
typedef struct points {
    double *x, *y, *low, *high;
} points;

/* Adds a series to the last chart; its points are NaN. There is room for one more. */
static jsn_status add_series(drawing *d, const char *name, unsigned draw, size_t count,
                             points *out)
{
    jsni_chart *chart = &d->charts[d->count - 1];
    const size_t number = chart->series_count;
    double *numbers = jsni_alloc(4 * count + 1, sizeof *numbers);
    JSNI_TRY_ALLOC(numbers);
    for (size_t i = 0; i < 4 * count; i++)
        numbers[i] = NAN;
    *out = (points){numbers, numbers + count, numbers + 2 * count, numbers + 3 * count};
    d->numbers[d->count - 1][number] = numbers;
    /* A dash of its own as well: curves that are equal do not hide each other. */
    d->series[d->count - 1][number] =
        (jsni_series){.name = name,
                      .draw = draw,
                      .x = out->x,
                      .y = out->y,
                      .low = out->low,
                      .high = out->high,
                      .count = count,
                      .colour = (int)(number % JSNI_COLOURS),
                      .dash = (int)((number + number / JSNI_COLOURS) % JSNI_DASHES)};
    chart->series_count++;
    return JSN_OK;
}

static void release(drawing *d)
{
    for (size_t i = 0; i < MOST_CHARTS; i++)
        for (size_t k = 0; k < MOST_SERIES; k++)
            jsni_free(d->numbers[i][k]);
    jsni_free(d);
}

/* The mean with a deviation to either side, as far as there are percentages. */
static void put_mean(const points *p, size_t at, double x, const jsni_grid_cell *c)
{
    p->x[at] = x;
    p->y[at] = c->mean;
    if (!isnan(c->deviation)) { /* more than a single run */
        p->low[at] = fmax(0.0, c->mean - c->deviation);
        p->high[at] = fmin(100.0, c->mean + c->deviation);
    }
}

/* Bars of a grid, a series a row of any of the panels. */
static jsn_status draw_panel(drawing *d, const jsni_grid_panel *panel, const char *x,
                             const char *const *rows, size_t count)
{
    const jsni_grid *grid = panel->grid;
    jsni_chart *chart = add_chart(d, panel->title, x, panel->y);
    const char **categories = d->categories[d->count - 1];
    for (size_t i = 0; i < grid->count; i++)
        categories[grid->items[i].at_column] = grid->items[i].heading;
    chart->x.categories = categories;
    chart->x.category_count = grid->columns;
    chart->width = 900;
    for (size_t r = 0; r < count; r++) {
        points p;
        JSNI_TRY(add_series(d, rows[r], JSNI_DRAW_BARS | JSNI_DRAW_ERRORS,
                            grid->columns, &p));
        for (size_t i = 0; i < grid->count; i++)
            if (strcmp(grid->items[i].row, rows[r]) == 0)
                put_mean(&p, grid->items[i].at_column, (double)grid->items[i].at_column,
                         &grid->items[i]);
    }
    return JSN_OK;
}

/* Adds the rows of a panel that are not among the others'. */
static void collect_rows(const jsni_grid *grid, const char **rows, size_t *count)
{
    for (size_t i = 0; i < grid->count; i++) {
        size_t k = 0;
        while (k < *count && strcmp(rows[k], grid->items[i].row) != 0)
            k++;
        if (k == *count && k < MOST_SERIES)
            rows[(*count)++] = grid->items[i].row;
    }
}

/* The figure of what has been drawn, if that went well. */
static jsn_status finish(drawing *d, jsn_status status, size_t columns,
                         const char *caption, jsni_text *out)
{
    if (status == JSN_OK)
        jsni_chart_figure(out, d->charts, d->count, columns, caption, false);
    release(d);
    return status;
}

jsn_status jsni_grid_bars(const jsni_grid_panel *panels, size_t count, const char *x,
                          const char *caption, jsni_text *out)
{
    const char *rows[MOST_SERIES];
    size_t row_count = 0;
    jsn_status status = JSN_OK;
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    for (size_t i = 0; i < count; i++)
        collect_rows(panels[i].grid, rows, &row_count);
    for (size_t i = 0; status == JSN_OK && i < count; i++)
        status = draw_panel(d, &panels[i], x, rows, row_count);
    for (size_t i = 0; count > 1 && i < count; i++)
        d->charts[i].legend = i + 1 < count ? JSNI_LEGEND_NONE : JSNI_LEGEND_BELOW;
    if (count > 1) /* 320 and a row of the legend: plots of the same height */
        d->charts[count - 1].height = 342;
    return finish(d, status, 1, caption, out); /* they are wide */
}

/* A number after every epoch of a run: the objective, or what its folder has as `key`. */
static jsn_status read_curve(const jsn_sweep_trial *trial, const char *key,
                             double **out, size_t *count)
{
    jsn_epoch *rows = NULL;
    const char *run = jsn_sweep_fact(trial, "run");
    *count = key == NULL ? trial->step_count : 0;
    if (key != NULL && run != NULL)
        JSNI_TRY(jsni_run_rows_read(run, &rows, count));
    *out = jsni_alloc(*count + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < *count; i++)
        (*out)[i] = key == NULL ? trial->steps[i] : jsni_epoch_number(&rows[i], key);
    jsni_free(rows);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

/* The mean over the seeds, as long as the shortest of their curves. *sum is the caller's,
 * also on failure. */
static jsn_status add_up(const jsni_grid_cell *cell, const jsn_sweep_trial *trials,
                         size_t count, const char *key, double **sum, size_t *length)
{
    size_t runs = 0;
    for (size_t t = 0; t < count; t++) {
        double *values = NULL;
        size_t n = 0;
        if (!jsni_grid_is_of(&trials[t], cell))
            continue;
        JSNI_TRY(read_curve(&trials[t], key, &values, &n));
        if (n > 0 && runs++ == 0) {
            *sum = values;
            *length = n;
            continue;
        }
        if (n > 0 && n < *length)
            *length = n;
        for (size_t i = 0; n > 0 && i < *length; i++)
            (*sum)[i] += values[i];
        jsni_free(values);
    }
    for (size_t i = 0; i < *length; i++)
        (*sum)[i] *= 100.0 / (double)runs;
    return JSN_OK;
}

static jsn_status add_curve(drawing *d, const jsni_grid_cell *cell,
                            const jsn_sweep_trial *trials, size_t count,
                            const char *key)
{
    double *sum = NULL;
    size_t length = 0;
    points p;
    jsn_status status = add_up(cell, trials, count, key, &sum, &length);
    if (status == JSN_OK)
        status = add_series(d, cell->row, JSNI_DRAW_LINE, length, &p);
    for (size_t i = 0; status == JSN_OK && i < length; i++) {
        p.x[i] = (double)i + 1.0;
        p.y[i] = sum[i];
    }
    jsni_free(sum);
    return status;
}

/* The cells of a column, or with a title all of them. */
static jsn_status draw_curves(drawing *d, const jsni_grid *grid,
                              const jsni_grid_panel *panel, size_t column,
                              const jsn_sweep_trial *trials, size_t count)
{
    const jsni_chart *chart = NULL;
    for (size_t i = 0; i < grid->count; i++) {
        const jsni_grid_cell *c = &grid->items[i];
        if (panel->title == NULL && c->at_column != column)
            continue;
        if (chart == NULL)
            chart = add_chart(d, panel->title == NULL ? c->heading : panel->title,
                              "epoch", panel->y);
        if (chart->series_count < MOST_SERIES)
            JSNI_TRY(add_curve(d, c, trials, count, panel->key));
    }
    return JSN_OK;
}

jsn_status jsni_grid_curves(const jsni_grid *grid, const jsni_grid_panel *panels,
                            const jsn_sweep_trial *trials, size_t trial_count,
                            const char *caption, jsni_text *out)
{
    jsn_status status = JSN_OK;
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    for (size_t p = 0; panels[p].y != NULL; p++)
        for (size_t k = 0; k < (panels[p].title == NULL ? grid->columns : 1); k++)
            if (status == JSN_OK && d->count < MOST_CHARTS)
                status = draw_curves(d, grid, &panels[p], k, trials, trial_count);
    return finish(d, status, 2, caption, out);
}

static jsn_status draw_line(drawing *d, const jsni_grid *grid, size_t column)
{
    points p;
    jsni_axis *axis = &d->charts[0].x;
    JSNI_TRY(add_series(d, NULL, JSNI_DRAW_LINE | JSNI_DRAW_MARKERS | JSNI_DRAW_ERRORS,
                        grid->rows, &p));
    for (size_t i = 0; i < grid->count; i++) {
        const jsni_grid_cell *c = &grid->items[i];
        if (c->at_column != column)
            continue;
        d->series[0][column].name = c->column;
        put_mean(&p, c->at_row, c->x, c);
        /* Room for the whiskers at both ends. */
        axis->low = fmin(axis->low, c->x - 0.2);
        axis->high = fmax(axis->high, c->x + 0.2);
    }
    return JSN_OK;
}

jsn_status jsni_grid_lines(const jsni_grid *grid, const char *title, const char *x,
                           const char *y, const char *caption, jsni_text *out)
{
    jsn_status status = JSN_OK;
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    jsni_chart *chart = add_chart(d, title, x, y);
    chart->x.low = INFINITY;
    chart->x.high = -INFINITY;
    for (size_t k = 0; status == JSN_OK && k < grid->columns && k < MOST_SERIES; k++)
        status = draw_line(d, grid, k);
    return finish(d, status, 2, caption, out);
}
