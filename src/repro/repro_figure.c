/* repro/repro_figure.c - results as figures: bars over noises (a panel a data set),
 * curves over epochs, lines over M. Curves are means over the seeds. Curves of
 * consistency come from the run folders; a folder that is gone leaves a gap, everything
 * else is in the database. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "report/chart.h"
#include "report/svg.h"
#include "repro/repro_impl.h"
#include "store/record_epoch.h"
#include "store/run_rows.h"

enum { MOST_SERIES = 32, MOST_CHARTS = 8 };

/* What a figure's charts point to. */
typedef struct drawing {
    jsni_chart charts[MOST_CHARTS];
    size_t chart_count;
    jsni_series series[MOST_CHARTS][MOST_SERIES];
    double *blocks[4 * MOST_CHARTS * MOST_SERIES]; /* owned */
    size_t block_count;
    char titles[MOST_CHARTS][2 * JSNI_REPRO_LABEL + 4];
    const char *rows[MOST_SERIES]; /* of bars: the methods */
    size_t row_count;
    const char *categories[MOST_CHARTS][MOST_SERIES];
    char category_texts[MOST_CHARTS][MOST_SERIES][2 * JSNI_REPRO_LABEL];
} drawing;

static jsn_status new_block(drawing *d, size_t count, double **out)
{
    JSNI_TRY_ALLOC(*out = jsni_alloc(count == 0 ? 1 : count, sizeof **out));
    d->blocks[d->block_count++] = *out;
    for (size_t i = 0; i < count; i++)
        (*out)[i] = NAN;
    return JSN_OK;
}

static void release(drawing *d)
{
    for (size_t i = 0; i < d->block_count; i++)
        jsni_free(d->blocks[i]);
    jsni_free(d);
}

static jsni_series *add_series(drawing *d, jsni_chart *chart, const char *name)
{
    const size_t at = (size_t)(chart - d->charts);
    if (chart->series_count == MOST_SERIES)
        return NULL;
    jsni_series *s = &d->series[at][chart->series_count];
    /* A dash of its own as well: curves that are equal do not hide each other. */
    const size_t number = chart->series_count;
    *s = (jsni_series){.name = name,
                       .colour = (int)(number % JSNI_COLOURS),
                       .dash = (int)((number + number / JSNI_COLOURS) % JSNI_DASHES)};
    chart->series = d->series[at];
    chart->series_count++;
    return s;
}

/* The chart with this title, made when it is missing; NULL when there are too many. */
static jsni_chart *find_chart(drawing *d, const char *title, const char *x,
                              const char *y)
{
    for (size_t i = 0; i < d->chart_count; i++)
        if (strcmp(d->titles[i], title) == 0)
            return &d->charts[i];
    if (d->chart_count == MOST_CHARTS)
        return NULL;
    jsni_chart *chart = &d->charts[d->chart_count];
    (void)snprintf(d->titles[d->chart_count], sizeof d->titles[0], "%s", title);
    *chart = (jsni_chart){.title = d->titles[d->chart_count],
                          .x = {.label = x, .whole = true}, /* epochs or M */
                          .y = {.label = y}};
    d->chart_count++;
    return chart;
}

static void collect_rows(drawing *d, const jsni_repro_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        size_t k = 0;
        while (k < d->row_count && strcmp(d->rows[k], cells->items[i].row) != 0)
            k++;
        if (k == d->row_count && k < MOST_SERIES)
            d->rows[d->row_count++] = cells->items[i].row;
    }
}

/* The place of a cell's column among `columns` (indices of cells), `count` when it is
 * none of them. */
static size_t column_of(const jsni_repro_cells *cells, const size_t *columns,
                        size_t count, const jsni_repro_cell *cell)
{
    size_t k = 0;
    while (k < count && (strcmp(cells->items[columns[k]].group, cell->group) != 0 ||
                         strcmp(cells->items[columns[k]].column, cell->column) != 0))
        k++;
    return k;
}

/* Bars that are yet to get their values. */
static jsn_status add_bars(drawing *d, jsni_chart *chart, const char *name,
                           size_t count)
{
    double *y = NULL, *low = NULL, *high = NULL;
    jsni_series *s = add_series(d, chart, name);
    JSNI_TRY(new_block(d, count, &y));
    JSNI_TRY(new_block(d, count, &low));
    JSNI_TRY(new_block(d, count, &high));
    s->draw = JSNI_DRAW_BARS | JSNI_DRAW_ERRORS;
    s->y = y;
    s->low = low;
    s->high = high;
    s->count = count;
    return JSN_OK;
}

/* A deviation to either side, as far as there are percentages. NaN: a single run. */
static void put_limits(const jsni_repro_cell *c, double *low, double *high)
{
    *low = isnan(c->deviation) ? NAN : fmax(0.0, c->mean - c->deviation);
    *high = isnan(c->deviation) ? NAN : fmin(100.0, c->mean + c->deviation);
}

/* Bars of a data set: noises along x, a series a method. */
static jsn_status draw_panel(drawing *d, const jsni_repro_cells *cells,
                             const char *title, const char *y)
{
    size_t columns[MOST_SERIES], count = 0;
    jsni_chart *chart = find_chart(d, title, "label noise", y);
    if (chart == NULL)
        return JSN_OK;
    const size_t at = (size_t)(chart - d->charts);
    for (size_t i = 0; i < cells->count && count < MOST_SERIES; i++)
        if (column_of(cells, columns, count, &cells->items[i]) == count)
            columns[count++] = i;
    for (size_t r = 0; r < d->row_count; r++)
        JSNI_TRY(add_bars(d, chart, d->rows[r], count));
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        const size_t k = column_of(cells, columns, count, c);
        for (size_t r = 0; k < count && r < d->row_count; r++) {
            const jsni_series *s = &d->series[at][r];
            if (strcmp(s->name, c->row) != 0)
                continue;
            ((double *)s->y)[k] = c->mean;
            put_limits(c, (double *)s->low + k, (double *)s->high + k);
        }
    }
    chart->x.categories = d->categories[at];
    chart->x.category_count = count;
    for (size_t k = 0; k < count; k++) {
        const jsni_repro_cell *c = &cells->items[columns[k]];
        (void)snprintf(d->category_texts[at][k], sizeof d->category_texts[at][k],
                       "%s%s%s", c->group, c->group[0] == '\0' ? "" : " ", c->column);
        d->categories[at][k] = d->category_texts[at][k];
    }
    chart->width = 900;
    return JSN_OK;
}

static const char *title_of(const jsni_repro_cells *cells)
{
    return jsni_repro_dataset_find(cells->dataset, strlen(cells->dataset))->title;
}

/* A panel a data set below each other; every one has the bars of all methods, so that a
 * method has one colour and one legend below the last panel is enough. */
static jsn_status draw_bars(drawing *d, const jsni_repro_cells *cells,
                            const jsni_repro_others *others)
{
    const jsni_repro_cells *panels[JSNI_REPRO_OTHERS + 1];
    char title[2 * JSNI_REPRO_LABEL + 4];
    size_t count = 0;
    for (size_t i = 0; others != NULL && i < others->before; i++)
        panels[count++] = &others->items[i];
    panels[count++] = cells;
    for (size_t i = others == NULL ? 0 : others->before;
         others != NULL && i < others->count; i++)
        panels[count++] = &others->items[i];
    for (size_t i = 0; i < count; i++)
        collect_rows(d, panels[i]);
    if (count == 1) {
        (void)snprintf(title, sizeof title, "%s: %s", cells->info->title,
                       title_of(cells));
        return draw_panel(d, cells, title, "percent");
    }
    const bool consistency =
        strcmp(cells->info->measures[0].metric, "consistency") == 0;
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(draw_panel(d, panels[i], title_of(panels[i]),
                            consistency ? "consistency, %" : "test accuracy, %"));
    for (size_t i = 0; i + 1 < d->chart_count; i++)
        d->charts[i].legend = JSNI_LEGEND_NONE;
    jsni_chart *last = &d->charts[d->chart_count - 1];
    last->legend = JSNI_LEGEND_BELOW;
    last->height = 342; /* 320 and a row of the legend: plots of the same height */
    return JSN_OK;
}

/* The mean over the seeds of one series of numbers, by `take`. */
typedef jsn_status take_fn(const jsn_sweep_trial *trial, const char *key, double **out,
                           size_t *count);

static jsn_status take_steps(const jsn_sweep_trial *trial, const char *key,
                             double **out, size_t *count)
{
    (void)key;
    JSNI_TRY_ALLOC(*out = jsni_alloc(trial->step_count + 1, sizeof **out));
    *count = trial->step_count;
    for (size_t i = 0; i < trial->step_count; i++)
        (*out)[i] = trial->steps[i];
    return JSN_OK;
}

static jsn_status take_metric(const jsn_sweep_trial *trial, const char *key,
                              double **out, size_t *count)
{
    jsn_epoch *rows = NULL;
    const char *run = jsn_sweep_fact(trial, "run");
    *count = 0;
    if (run != NULL)
        JSNI_TRY(jsni_run_rows_read(run, &rows, count));
    *out = jsni_alloc(*count + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < *count; i++)
        (*out)[i] = jsni_epoch_number(&rows[i], key);
    jsni_free(rows);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status mean_curve(drawing *d, const jsni_repro_cell *cell,
                             const jsn_sweep_trial *trials, size_t count, take_fn *take,
                             const char *key, jsni_series *s)
{
    double *sum = NULL, *x = NULL;
    size_t length = 0, runs = 0;
    for (size_t t = 0; t < count; t++) {
        double *values = NULL;
        size_t n = 0;
        if (!jsni_repro_is_of(&trials[t], cell))
            continue;
        JSNI_TRY(take(&trials[t], key, &values, &n));
        if (n == 0) {
            jsni_free(values);
            continue;
        }
        if (sum == NULL) {
            d->blocks[d->block_count++] = values;
            sum = values;
            length = n;
        } else {
            length = n < length ? n : length;
            for (size_t i = 0; i < length; i++)
                sum[i] += values[i];
            jsni_free(values);
        }
        runs++;
    }
    JSNI_TRY(new_block(d, length, &x));
    for (size_t i = 0; i < length; i++) {
        x[i] = (double)i + 1.0;
        sum[i] *= 100.0 / (double)runs;
    }
    s->x = x;
    s->y = sum == NULL ? x : sum;
    s->count = length;
    return JSN_OK;
}

/* One chart a column of the result, a curve a row. */
static jsn_status draw_curves(drawing *d, const jsni_repro_cells *cells,
                              const jsn_sweep_trial *trials, size_t count)
{
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        char title[2 * JSNI_REPRO_LABEL + 4];
        (void)snprintf(title, sizeof title, "%s %s", c->group, c->column);
        jsni_chart *chart = find_chart(d, title, "epoch", "validation accuracy, %");
        jsni_series *s = chart == NULL ? NULL : add_series(d, chart, c->row);
        if (s != NULL)
            JSNI_TRY(mean_curve(d, c, trials, count, take_steps, NULL, s));
    }
    return JSN_OK;
}

/* Accuracy, consistency on correctly labelled and on mislabelled samples. */
static jsn_status draw_consistency(drawing *d, const jsni_repro_cells *cells,
                                   const jsn_sweep_trial *trials, size_t count)
{
    static const char *const panels[][3] = {
        {"validation accuracy", "val_acc", "percent"},
        {"consistency, correct labels", "consistency_true", "percent"},
        {"consistency, wrong labels", "consistency_noisy", "percent"}};
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < cells->count; i++) {
            jsni_chart *chart = find_chart(d, panels[p][0], "epoch", panels[p][2]);
            jsni_series *s =
                chart == NULL ? NULL : add_series(d, chart, cells->items[i].row);
            if (s != NULL)
                JSNI_TRY(mean_curve(d, &cells->items[i], trials, count, take_metric,
                                    panels[p][1], s));
        }
    return JSN_OK;
}

/* Accuracy against M, a line a noise. */
static jsn_status draw_views(drawing *d, const jsni_repro_cells *cells)
{
    jsni_chart *chart =
        find_chart(d, cells->info->title, "M", "validation accuracy, %");
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        const int m = c->recipe.m;
        jsni_series *s = NULL;
        for (size_t k = 0; k < chart->series_count; k++)
            if (strcmp(d->series[0][k].name, c->column) == 0)
                s = &d->series[0][k];
        if (s == NULL) {
            double *x = NULL, *y = NULL, *low = NULL, *high = NULL;
            s = add_series(d, chart, c->column);
            if (s == NULL)
                break;
            JSNI_TRY(new_block(d, cells->count, &x));
            JSNI_TRY(new_block(d, cells->count, &y));
            JSNI_TRY(new_block(d, cells->count, &low));
            JSNI_TRY(new_block(d, cells->count, &high));
            s->draw = JSNI_DRAW_LINE | JSNI_DRAW_MARKERS | JSNI_DRAW_ERRORS;
            s->x = x;
            s->y = y;
            s->low = low;
            s->high = high;
        }
        ((double *)s->x)[s->count] = m;
        ((double *)s->y)[s->count] = c->mean;
        put_limits(c, (double *)s->low + s->count, (double *)s->high + s->count);
        s->count++;
        least = m < least ? m : least;
        most = m > most ? m : most;
    }
    if (most > least) { /* room for the whiskers at both ends */
        chart->x.low = least - 0.2;
        chart->x.high = most + 0.2;
    }
    return JSN_OK;
}

jsn_status jsni_repro_figure(const jsni_repro_cells *cells,
                             const jsni_repro_others *others,
                             const jsn_sweep_trial *trials, size_t count,
                             const char *caption, jsni_text *out)
{
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    jsn_status status = JSN_OK;
    size_t columns = 2;
    switch (cells->info->kind) {
    case JSNI_REPRO_BARS:
        columns = 1; /* they are wide */
        status = draw_bars(d, cells, others);
        break;
    case JSNI_REPRO_CURVES:
        status = draw_curves(d, cells, trials, count);
        break;
    case JSNI_REPRO_CONSIST:
        status = draw_consistency(d, cells, trials, count);
        break;
    case JSNI_REPRO_VIEWS:
        status = draw_views(d, cells);
        break;
    default:
        break;
    }
    if (status == JSN_OK && d->chart_count > 0)
        jsni_chart_figure(out, d->charts, d->chart_count, columns, caption, false);
    release(d);
    return status;
}
