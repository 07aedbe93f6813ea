/* report/run_curves.c - see run_curves.h. A chart without a single number is left out. */
#include "report/run_curves.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hd.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/svg.h"

enum { MOST_LINES = 64, MOST_CHARTS = 8, DASHES = 4, EPOCHS_WITH_MARKERS = 6 };

/* A chart that owns its numbers. */
typedef struct sheet {
    jsni_series series[MOST_LINES];
    double *numbers[MOST_LINES]; /* owned: x, then y */
    size_t count;
} sheet;

typedef struct line {
    const char *key, *name; /* name NULL: not in the legend */
    double scale;
    int colour, dash;
} line;

static void add_line(jsni_text *page, sheet *s, const jsni_run_record *run, line l)
{
    if (s->count == MOST_LINES || run->epochs == 0)
        return;
    double *x = jsni_alloc(2 * run->epochs, sizeof *x);
    if (x == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    double *y = x + run->epochs;
    /* What only the last epoch has, such as the consistency unless asked for, is no
     * curve. */
    const size_t least = run->epochs > 1 ? 2 : 1;
    if (jsni_run_record_curve(run, l.key, y) < least) {
        jsni_free(x);
        return;
    }
    for (size_t i = 0; i < run->epochs; i++) {
        x[i] = (double)i + 1.0;
        y[i] *= l.scale;
    }
    s->numbers[s->count] = x;
    s->series[s->count++] = (jsni_series){
        .name = l.name,
        .draw = run->epochs <= EPOCHS_WITH_MARKERS ? JSNI_DRAW_LINE | JSNI_DRAW_MARKERS
                                                   : JSNI_DRAW_LINE,
        .x = x,
        .y = y,
        .count = run->epochs,
        .colour = l.colour,
        .dash = l.dash};
}

static void release_sheet(sheet *s)
{
    for (size_t i = 0; i < s->count; i++)
        jsni_free(s->numbers[i]);
    s->count = 0;
}

/* Whether the positive numbers span more than a factor of twenty. */
static bool wants_logarithm(const sheet *s)
{
    double low = INFINITY, high = 0.0;
    for (size_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->series[k].count; i++) {
            const double y = s->series[k].y[i];
            if (y <= 0.0)
                return false;
            low = y < low ? y : low;
            high = y > high ? y : high;
        }
    return high > 20.0 * low;
}

static jsni_chart chart_of(const sheet *s, const char *title, const char *unit)
{
    return (jsni_chart){.title = title,
                        .x = {.label = "epoch", .whole = true},
                        .y = {.label = unit},
                        .series = s->series,
                        .series_count = s->count,
                        .width = 360,
                        .height = 280,
                        .legend = JSNI_LEGEND_BELOW};
}

/* `bare`: a figure by itself, not a part of a page. */
static void draw(jsni_text *page, const jsni_chart *charts, size_t count,
                 const char *caption, bool bare)
{
    if (count == 0)
        return;
    if (bare)
        jsni_chart_figure(page, charts, count, count > 1 ? 2 : 1, caption, false);
    else
        jsni_html_charts(page, charts, count, caption);
}

/* The charts of a single run: what they show, one line a row. */
static const struct {
    const char *chart, *unit, *key, *name;
    double scale;
    int colour, dash;
} single[] = {
    {"Accuracy", "%", "test_acc", "test", 100, 0, 0},
    {"Accuracy", "%", "val_acc", "validation", 100, 1, 0},
    {"Accuracy", "%", "val_acc_noisy", "validation, labels as used", 100, 1, 2},
    {"Accuracy", "%", "train_acc_all", "training (augmented)", 100, 7, 1},
    {"True class found in training", "%", "train_acc_true", "label right or unknown",
     100, 2, 0},
    {"True class found in training", "%", "train_acc_noisy", "label known to be wrong",
     100, 3, 0},
    {"Consistency with an augmented copy", "%", "consistency_true",
     "label right or unknown", 100, 2, 0},
    {"Consistency with an augmented copy", "%", "consistency_noisy",
     "label known to be wrong", 100, 3, 0},
    {"Training loss", "loss", "loss", "training loss", 1, 4, 0},
    {"Cross-entropy", "nats", "test_loss", "test", 1, 0, 0},
    {"Cross-entropy", "nats", "val_loss", "validation", 1, 1, 0},
    {"Learning rate", "rate", "lr", "learning rate", 1, 5, 0},
};

static void curves_of(jsni_text *page, const jsni_run_record *run, bool bare)
{
    sheet *sheets = jsni_alloc_zero(MOST_CHARTS, sizeof *sheets);
    jsni_chart charts[MOST_CHARTS];
    size_t count = 0;
    if (sheets == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    /* Against clean labels both validation lines are one. */
    const bool noisy = strcmp(jsni_run_record_setting(run, "val-labels"), "noisy") == 0;
    for (size_t i = 0; i < JSNI_COUNT_OF(single); i++) {
        sheet *s = &sheets[count];
        if (noisy || strcmp(single[i].key, "val_acc_noisy") != 0)
            add_line(page, s, run,
                     (line){single[i].key, single[i].name, single[i].scale,
                            single[i].colour, single[i].dash});
        const bool last = i + 1 == JSNI_COUNT_OF(single) ||
                          strcmp(single[i].chart, single[i + 1].chart) != 0;
        if (!last || s->count == 0)
            continue;
        /* Nothing is known of the labels: no claim about true classes. */
        const char *title = single[i].chart;
        if (strcmp(single[i].key, "train_acc_noisy") == 0 && s->count == 1 &&
            isnan(jsni_run_record_result(run, "noise_real")))
            title = "Given label found in training";
        charts[count] = chart_of(s, title, single[i].unit);
        charts[count].y.log_scale = single[i].scale == 1.0 && wants_logarithm(s);
        count++;
    }
    draw(page, charts, count, "Every epoch of the run", bare);
    for (size_t i = 0; i < MOST_CHARTS; i++)
        release_sheet(&sheets[i]);
    jsni_free(sheets);
}

static const struct {
    const char *chart, *unit, *key;
    double scale;
} compared[] = {
    {"Test accuracy", "%", "test_acc", 100},
    {"Validation accuracy", "%", "val_acc", 100},
    {"True class found, label right or unknown", "%", "train_acc_true", 100},
    {"True class found, label wrong", "%", "train_acc_noisy", 100},
    {"Consistency, label right or unknown", "%", "consistency_true", 100},
    {"Consistency, label wrong", "%", "consistency_noisy", 100},
    {"Training loss", "loss", "loss", 1},
    {"Learning rate", "rate", "lr", 1},
};

static bool first_of_group(const size_t *group, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (group[i] == group[at])
            return false;
    return true;
}

static void curves_of_several(jsni_text *page, const jsni_run_record *runs,
                              char *const *labels, const size_t *group, size_t count,
                              bool bare)
{
    sheet *sheets = jsni_alloc_zero(JSNI_COUNT_OF(compared), sizeof *sheets);
    jsni_chart charts[JSNI_COUNT_OF(compared)];
    size_t drawn = 0;
    if (sheets == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    bool known = false; /* which labels are right, in any of the runs */
    for (size_t i = 0; i < count; i++)
        known = known || !isnan(jsni_run_record_result(&runs[i], "noise_real"));
    for (size_t k = 0; k < JSNI_COUNT_OF(compared); k++) {
        sheet *s = &sheets[drawn];
        for (size_t i = 0; i < count; i++)
            add_line(page, s, &runs[i],
                     (line){compared[k].key,
                            first_of_group(group, i) ? labels[i] : NULL,
                            compared[k].scale, (int)(group[i] % JSNI_COLOURS),
                            (int)(group[i] / JSNI_COLOURS % DASHES)});
        if (s->count == 0)
            continue;
        const char *title = compared[k].chart;
        if (strcmp(compared[k].key, "train_acc_true") == 0 && !known)
            title = "Given label found in training";
        charts[drawn] = chart_of(s, title, compared[k].unit);
        charts[drawn].y.log_scale = compared[k].scale == 1.0 && wants_logarithm(s);
        drawn++;
    }
    draw(page, charts, drawn,
         "Every epoch; runs that differ only in their seed share a colour", bare);
    for (size_t k = 0; k < JSNI_COUNT_OF(compared); k++)
        release_sheet(&sheets[k]);
    jsni_free(sheets);
}

void jsni_run_curves(jsni_text *page, const jsni_run_record *run)
{
    curves_of(page, run, false);
}

void jsni_run_curves_compare(jsni_text *page, const jsni_run_record *runs,
                             char *const *labels, const size_t *group, size_t count)
{
    curves_of_several(page, runs, labels, group, count, false);
}

void jsni_run_curves_figure(jsni_text *out, const jsni_run_set *set)
{
    if (set->count == 1)
        curves_of(out, &set->runs[0], true);
    else
        curves_of_several(out, set->runs, set->labels, set->group, set->count, true);
}
