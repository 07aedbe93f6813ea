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

/* Numbers that the drawing owns, all NaN. */
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

/* Room for `count` means with their deviations, as put_mean() writes them. */
static jsn_status make_means(drawing *d, jsni_series *s, size_t count, unsigned draw)
{
    double *block = NULL;
    JSNI_TRY(new_block(d, 3 * count, &block));
    s->draw = draw | JSNI_DRAW_ERRORS;
    s->y = block;
    s->low = block + count;
    s->high = block + 2 * count;
    return JSN_OK;
}

/* A deviation to either side, as far as there are percentages. NaN: a single run. */
static void put_mean(const jsni_series *s, size_t at, const jsni_repro_cell *c)
{
    const bool single = isnan(c->deviation);
    ((double *)s->y)[at] = c->mean;
    ((double *)s->low)[at] = single ? NAN : fmax(0.0, c->mean - c->deviation);
    ((double *)s->high)[at] = single ? NAN : fmin(100.0, c->mean + c->deviation);
}

/* Bars of a data set: noises along x, a series a method. */
static jsn_status draw_panel(drawing *d, const jsni_repro_cells *cells,
                             const char *title, const char *y)
{
    const jsni_repro_cell *columns[MOST_SERIES];
    size_t count = 0;
    jsni_chart *chart = find_chart(d, title, "label noise", y);
    if (chart == NULL)
        return JSN_OK;
    const size_t at = (size_t)(chart - d->charts);
    for (size_t i = 0; i < cells->count && count < MOST_SERIES; i++)
        if (jsni_repro_first_of_column(cells, i)) {
            columns[count] = &cells->items[i];
            jsni_repro_column_name(columns[count], d->category_texts[at][count]);
            d->categories[at][count] = d->category_texts[at][count];
            count++;
        }
    for (size_t r = 0; r < d->row_count; r++) {
        jsni_series *s = add_series(d, chart, d->rows[r]);
        JSNI_TRY(make_means(d, s, count, JSNI_DRAW_BARS));
        for (size_t k = 0; k < count; k++) {
            const jsni_repro_cell *c = jsni_repro_at(cells, d->rows[r], columns[k]);
            if (c != NULL)
                put_mean(s, k, c);
        }
        s->count = count;
    }
    chart->x.categories = d->categories[at];
    chart->x.category_count = count;
    chart->width = 900;
    return JSN_OK;
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
                       cells->data->title);
        return draw_panel(d, cells, title, "percent");
    }
    const bool consistency =
        strcmp(cells->info->measures[0].metric, "consistency") == 0;
    for (size_t i = 0; i < count; i++)
        JSNI_TRY(draw_panel(d, panels[i], panels[i]->data->title,
                            consistency ? "consistency, %" : "test accuracy, %"));
    for (size_t i = 0; i + 1 < d->chart_count; i++)
        d->charts[i].legend = JSNI_LEGEND_NONE;
    jsni_chart *last = &d->charts[d->chart_count - 1];
    last->legend = JSNI_LEGEND_BELOW;
    last->height = 342; /* 320 and a row of the legend: plots of the same height */
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

/* The mean over the seeds. */
static jsn_status mean_curve(drawing *d, const jsni_repro_cell *cell,
                             const jsn_sweep_trial *trials, size_t count,
                             const char *key, jsni_series *s)
{
    double *sum = NULL, *x = NULL;
    size_t length = 0, runs = 0;
    for (size_t t = 0; t < count; t++) {
        double *values = NULL;
        size_t n = 0;
        if (!jsni_repro_is_of(&trials[t], cell))
            continue;
        JSNI_TRY(read_curve(&trials[t], key, &values, &n));
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

/* What is drawn over the epochs. */
typedef struct panel {
    const char *title; /* NULL: a chart for each column of the result */
    const char *key;   /* field of an epoch; NULL: the objective */
    const char *y;
} panel;

static const panel objective[] = {{NULL, NULL, "validation accuracy, %"}};
static const panel agreement[] = {
    {"validation accuracy", "val_acc", "percent"},
    {"consistency, correct labels", "consistency_true", "percent"},
    {"consistency, wrong labels", "consistency_noisy", "percent"}};

/* A curve a row. */
static jsn_status draw_curves(drawing *d, const jsni_repro_cells *cells,
                              const jsn_sweep_trial *trials, size_t count,
                              const panel *p)
{
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        char title[2 * JSNI_REPRO_LABEL + 4];
        (void)snprintf(title, sizeof title, "%s %s", c->group, c->column);
        jsni_chart *chart =
            find_chart(d, p->title == NULL ? title : p->title, "epoch", p->y);
        jsni_series *s = chart == NULL ? NULL : add_series(d, chart, c->row);
        if (s != NULL)
            JSNI_TRY(mean_curve(d, c, trials, count, p->key, s));
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
            double *x = NULL;
            s = add_series(d, chart, c->column);
            if (s == NULL)
                break;
            JSNI_TRY(new_block(d, cells->count, &x));
            s->x = x;
            JSNI_TRY(
                make_means(d, s, cells->count, JSNI_DRAW_LINE | JSNI_DRAW_MARKERS));
        }
        ((double *)s->x)[s->count] = m;
        put_mean(s, s->count++, c);
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
        status = draw_curves(d, cells, trials, count, objective);
        break;
    case JSNI_REPRO_CONSIST:
        for (size_t p = 0; status == JSN_OK && p < JSNI_COUNT_OF(agreement); p++)
            status = draw_curves(d, cells, trials, count, &agreement[p]);
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
