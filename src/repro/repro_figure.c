/* repro/repro_figure.c - results as figures: bars over noises, curves over epochs, lines
 * over M. Curves are means over the seeds. Curves of consistency come from the run
 * folders; a folder that is gone leaves a gap, everything else is in the database. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/fail.h"
#include "report/chart.h"
#include "report/svg.h"
#include "repro/repro_impl.h"
#include "store/run_folder.h"

enum { MOST_SERIES = 32, MOST_CHARTS = 8 };

/* What a figure's charts point to. */
typedef struct drawing {
    jsni_chart charts[MOST_CHARTS];
    size_t chart_count;
    jsni_series series[MOST_CHARTS][MOST_SERIES];
    double *blocks[4 * MOST_CHARTS * MOST_SERIES]; /* owned */
    size_t block_count;
    char titles[MOST_CHARTS][2 * JSNI_REPRO_LABEL + 4];
    const char *categories[MOST_SERIES];
    char category_texts[MOST_SERIES][2 * JSNI_REPRO_LABEL];
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
    *s = (jsni_series){.name = name,
                       .colour = (int)(chart->series_count % JSNI_COLOURS),
                       .dash = (int)(chart->series_count / JSNI_COLOURS % 4)};
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

/* Bars: noises along x, a series a method. */
static jsn_status draw_bars(drawing *d, const jsni_repro_cells *cells)
{
    size_t columns[MOST_SERIES], column_count = 0;
    jsni_chart *chart = find_chart(d, cells->info->title, "label noise", "percent");
    for (size_t i = 0; i < cells->count; i++) {
        bool known = false;
        for (size_t k = 0; k < column_count; k++) {
            const jsni_repro_cell *c = &cells->items[columns[k]];
            known = known || (strcmp(c->group, cells->items[i].group) == 0 &&
                              strcmp(c->column, cells->items[i].column) == 0);
        }
        if (!known && column_count < MOST_SERIES)
            columns[column_count++] = i;
    }
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        jsni_series *s = NULL;
        for (size_t k = 0; k < chart->series_count; k++)
            if (strcmp(d->series[0][k].name, c->row) == 0)
                s = &d->series[0][k];
        if (s == NULL) {
            double *y = NULL, *low = NULL, *high = NULL;
            s = add_series(d, chart, c->row);
            if (s == NULL)
                break;
            JSNI_TRY(new_block(d, column_count, &y));
            JSNI_TRY(new_block(d, column_count, &low));
            JSNI_TRY(new_block(d, column_count, &high));
            s->draw = JSNI_DRAW_BARS | JSNI_DRAW_ERRORS;
            s->y = y;
            s->low = low;
            s->high = high;
            s->count = column_count;
        }
        for (size_t k = 0; k < column_count; k++) {
            const jsni_repro_cell *at = &cells->items[columns[k]];
            if (strcmp(at->group, c->group) != 0 || strcmp(at->column, c->column) != 0)
                continue;
            ((double *)s->y)[k] = c->mean;
            ((double *)s->low)[k] = c->mean - c->deviation;
            ((double *)s->high)[k] = c->mean + c->deviation;
        }
    }
    chart->x.categories = d->categories;
    chart->x.category_count = column_count;
    for (size_t k = 0; k < column_count; k++) {
        const jsni_repro_cell *at = &cells->items[columns[k]];
        (void)snprintf(d->category_texts[k], sizeof d->category_texts[k], "%s%s%s",
                       at->group, at->group[0] == '\0' ? "" : " ", at->column);
        d->categories[k] = d->category_texts[k];
    }
    chart->width = 900;
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
    jsni_run_rows rows = {0};
    const char *run = jsn_sweep_fact(trial, "run");
    *count = 0;
    if (run != NULL)
        JSNI_TRY(jsni_run_rows_read(&rows, run));
    *out = jsni_alloc(rows.count + 1, sizeof **out);
    jsn_status status = *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < rows.count; i++) {
        jsn_json *row = NULL;
        status = jsn_json_parse(&row, run, rows.lines[i], strlen(rows.lines[i]));
        const jsn_json *value = jsn_json_get(row, key);
        (*out)[i] =
            jsn_json_kind_of(value) == JSN_JSON_NUMBER ? jsn_json_real(value) : NAN;
        jsn_json_destroy(row);
    }
    *count = rows.count;
    jsni_run_rows_release(&rows);
    if (status != JSN_OK) {
        jsni_free(*out);
        *out = NULL;
    }
    return status;
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
    for (size_t i = 0; i < cells->count; i++) {
        const jsni_repro_cell *c = &cells->items[i];
        jsni_series *s = NULL;
        int m = 0;
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
        if (sscanf(c->row, "M = %d", &m) != 1)
            continue;
        ((double *)s->x)[s->count] = m;
        ((double *)s->y)[s->count] = c->mean;
        ((double *)s->low)[s->count] = c->mean - c->deviation;
        ((double *)s->high)[s->count] = c->mean + c->deviation;
        s->count++;
    }
    return JSN_OK;
}

jsn_status jsni_repro_figure(const jsni_repro_cells *cells,
                             const jsn_sweep_trial *trials, size_t count,
                             const char *caption, jsni_text *out)
{
    drawing *d = jsni_alloc_zero(1, sizeof *d);
    JSNI_TRY_ALLOC(d);
    jsn_status status = JSN_OK;
    switch (cells->info->kind) {
    case JSNI_REPRO_BARS:
        status = draw_bars(d, cells);
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
        jsni_chart_figure(out, d->charts, d->chart_count, d->chart_count > 1 ? 2 : 1,
                          caption, false);
    release(d);
    return status;
}
