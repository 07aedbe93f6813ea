/* repro/repro_figure.c - results as figures: bars over noises (a panel a data set),
 * curves over epochs, lines over M. Curves are means over the seeds. Curves of
 * consistency come from the run folders; a folder that is gone leaves a gap, everything
 * else is in the database. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "core/hd.h"
#include "report/chart.h"
#include "report/svg.h"
#include "repro/repro_impl.h"
#include "store/record_epoch.h"
#include "store/run_rows.h"

enum { MOST_SERIES = 32, MOST_CHARTS = 8 };

/* A figure's charts and what they point to. */
typedef struct drawing {
    jsni_chart charts[MOST_CHARTS];
    size_t count;
    jsni_series series[MOST_CHARTS][MOST_SERIES];
    double *numbers[MOST_CHARTS][MOST_SERIES]; /* owned */
    const char *categories[MOST_CHARTS][MOST_SERIES];
    char title[2 * JSNI_REPRO_LABEL + 4];
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
static void put_mean(const points *p, size_t at, double x, const jsni_repro_cell *c)
{
    p->x[at] = x;
    p->y[at] = c->mean;
    if (!isnan(c->deviation)) { /* of a single run */
        p->low[at] = fmax(0.0, c->mean - c->deviation);
        p->high[at] = fmin(100.0, c->mean + c->deviation);
    }
}

/* Bars of a data set: noises along x, a series a method of any of the panels. */
static jsn_status draw_panel(drawing *d, const jsni_repro_cells *cells,
                             const char *const *rows, size_t count, const char *title,
                             const char *y)
{
    jsni_chart *chart = add_chart(d, title, "label noise", y);
    const char **categories = d->categories[d->count - 1];
    for (size_t i = 0; i < cells->count; i++)
        categories[cells->items[i].at_column] = cells->items[i].heading;
    chart->x.categories = categories;
    chart->x.category_count = cells->columns;
    chart->width = 900;
    for (size_t r = 0; r < count; r++) {
        points p;
        JSNI_TRY(add_series(d, rows[r], JSNI_DRAW_BARS | JSNI_DRAW_ERRORS,
                            cells->columns, &p));
        for (size_t i = 0; i < cells->count; i++)
            if (strcmp(cells->items[i].row, rows[r]) == 0)
                put_mean(&p, cells->items[i].at_column,
                         (double)cells->items[i].at_column, &cells->items[i]);
    }
    return JSN_OK;
}

/* Adds the rows of a panel that are not among the others'. */
static void collect_rows(const jsni_repro_cells *cells, const char **rows,
                         size_t *count)
{
    for (size_t i = 0; i < cells->count; i++) {
        size_t k = 0;
        while (k < *count && strcmp(rows[k], cells->items[i].row) != 0)
            k++;
        if (k == *count && k < MOST_SERIES)
            rows[(*count)++] = cells->items[i].row;
    }
}

/* A panel a data set below each other; every one has the bars of all methods, so that a
 * method has one colour and one legend below the last panel is enough. */
static jsn_status draw_bars(drawing *d, const jsni_repro_cells *cells,
                            const jsni_repro_others *others)
{
    const jsni_repro_cells *panels[MOST_CHARTS];
    const char *rows[MOST_SERIES];
    const size_t more = others == NULL ? 0 : others->count;
    size_t count = 0, row_count = 0;
    for (size_t i = 0; i < more; i++) {
        if (i == others->before)
            panels[count++] = cells;
        panels[count++] = &others->items[i];
    }
    if (count == more)
        panels[count++] = cells;
    for (size_t i = 0; i < count; i++)
        collect_rows(panels[i], rows, &row_count);
    (void)snprintf(d->title, sizeof d->title, "%s: %s", cells->info->title,
                   cells->data->title);
    if (more == 0)
        return draw_panel(d, cells, rows, row_count, d->title, "percent");
    const bool consistency =
        strcmp(cells->info->measures[0].metric, "consistency") == 0;
    for (size_t i = 0; i < count; i++) {
        JSNI_TRY(draw_panel(d, panels[i], rows, row_count, panels[i]->data->title,
                            consistency ? "consistency, %" : "test accuracy, %"));
        d->charts[i].legend = JSNI_LEGEND_NONE;
    }
    d->charts[count - 1].legend = JSNI_LEGEND_BELOW;
    /* 320 and a row of the legend: plots of the same height. */
    d->charts[count - 1].height = 342;
    return JSN_OK;
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
static jsn_status add_up(const jsni_repro_cell *cell, const jsn_sweep_trial *trials,
                         size_t count, const char *key, double **sum, size_t *length)
{
    size_t runs = 0;
    for (size_t t = 0; t < count; t++) {
        double *values = NULL;
        size_t n = 0;
        if (!jsni_repro_is_of(&trials[t], cell))
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

static jsn_status add_curve(drawing *d, const jsni_repro_cell *cell,
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

/* What is drawn over the epochs. */
static const struct panel {
    jsni_repro_kind kind;
    const char *title; /* NULL: the column of the result */
    const char *key;   /* field of an epoch; NULL: the objective */
    const char *y;
} panels[] = {
    {JSNI_REPRO_CURVES, NULL, NULL, "validation accuracy, %"},
    {JSNI_REPRO_CONSIST, "validation accuracy", "val_acc", "percent"},
    {JSNI_REPRO_CONSIST, "consistency, correct labels", "consistency_true", "percent"},
    {JSNI_REPRO_CONSIST, "consistency, wrong labels", "consistency_noisy", "percent"},
};

/* A chart a column, a curve a row. */
static jsn_status draw_curves(drawing *d, const jsni_repro_cells *cells,
                              const jsn_sweep_trial *trials, size_t count,
                              const struct panel *p)
{
    for (size_t column = 0; column < cells->columns; column++) {
        const jsni_chart *chart = NULL;
        for (size_t i = 0; i < cells->count; i++) {
            const jsni_repro_cell *c = &cells->items[i];
            if (c->at_column != column)
                continue;
            if (chart == NULL)
                chart = add_chart(d, p->title == NULL ? c->heading : p->title, "epoch",
                                  p->y);
            if (chart->series_count < MOST_SERIES)
                JSNI_TRY(add_curve(d, c, trials, count, p->key));
        }
    }
    return JSN_OK;
}

/* Accuracy against M, a line a noise. */
static jsn_status draw_views(drawing *d, const jsni_repro_cells *cells)
{
    jsni_chart *chart = add_chart(d, cells->info->title, "M", "validation accuracy, %");
    chart->x.low = INFINITY;
    chart->x.high = -INFINITY;
    for (size_t column = 0; column < cells->columns; column++) {
        points p;
        JSNI_TRY(add_series(d, "",
                            JSNI_DRAW_LINE | JSNI_DRAW_MARKERS | JSNI_DRAW_ERRORS,
                            cells->rows, &p));
        for (size_t i = 0; i < cells->count; i++) {
            const jsni_repro_cell *c = &cells->items[i];
            if (c->at_column != column)
                continue;
            d->series[0][column].name = c->column;
            put_mean(&p, c->at_row, c->recipe.m, c);
            /* Room for the whiskers at both ends. */
            chart->x.low = fmin(chart->x.low, c->recipe.m - 0.2);
            chart->x.high = fmax(chart->x.high, c->recipe.m + 0.2);
        }
    }
    return JSN_OK;
}

jsn_status jsni_repro_figure(const jsni_repro_cells *cells,
                             const jsni_repro_others *others,
                             const jsn_sweep_trial *trials, size_t count,
                             const char *caption, jsni_text *out)
{
    const jsni_repro_kind kind = cells->info->kind;
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    jsn_status status = JSN_OK;
    if (kind == JSNI_REPRO_BARS)
        status = draw_bars(d, cells, others);
    else if (kind == JSNI_REPRO_VIEWS)
        status = draw_views(d, cells);
    for (size_t p = 0; status == JSN_OK && p < JSNI_COUNT_OF(panels); p++)
        if (kind == panels[p].kind)
            status = draw_curves(d, cells, trials, count, &panels[p]);
    if (status == JSN_OK && d->count > 0)
        jsni_chart_figure(out, d->charts, d->count,
                          kind == JSNI_REPRO_BARS ? 1 : 2, /* bars are wide */
                          caption, false);
    release(d);
    return status;
}
