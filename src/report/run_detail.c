/* report/run_detail.c - see run_detail.h. */
#include "report/run_detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/text.h"
#include "core/words.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/matrix.h"

enum { MOST_CLASSES = 10000, MOST_BARS = 25, WORST = 15, MOST_BINS = 100 };
/* Rows of the confusion matrix as shares of their sum. */
static void find_shares(const double *counts, size_t size, double *out)
{
    for (size_t i = 0; i < size; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < size; j++)
            sum += counts[i * size + j];
        for (size_t j = 0; j < size; j++)
            out[i * size + j] = sum > 0.0 ? counts[i * size + j] / sum : NAN;
    }
}

/* `row`: what a row is, "true class" or "given label". */
static void draw_confusion(jsni_text *page, const double *counts, const char *row,
                           const char *const *names, size_t size)
{
    char caption[96];
    double *values = jsni_alloc(size * size, sizeof *values);
    if (values == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    find_shares(counts, size, values);
    const jsni_matrix matrix = {.row_label = row,
                                .column_label = "predicted",
                                .names = names,
                                .values = values,
                                .size = size};
    jsni_html_figure_begin(page);
    jsni_matrix_figure(page, &matrix, "confusion matrix", false);
    (void)snprintf(caption, sizeof caption, "Confusion: where the images of each %s go",
                   row);
    jsni_html_figure_end(page, caption);
    jsni_free(values);
}

typedef struct graded {
    double accuracy;
    size_t label;
} graded;

static int by_accuracy(const void *a, const void *b)
{
    const graded *x = a, *y = b;
    if (x->accuracy != y->accuracy)
        return x->accuracy < y->accuracy ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

/* Bars of all classes, or a table of the worst ones when there are many. */
static void show_classes(jsni_text *page, const double *accuracy,
                         const char *const *names, size_t size)
{
    graded *all = jsni_alloc(size, sizeof *all);
    double *percent = jsni_alloc(size, sizeof *percent);
    if (all == NULL || percent == NULL) {
        page->status = JSN_ERR_MEMORY;
    } else {
        size_t count = 0;
        for (size_t k = 0; k < size; k++) {
            percent[k] = accuracy != NULL ? 100.0 * accuracy[k] : NAN;
            if (!isnan(percent[k]))
                all[count++] = (graded){percent[k], k};
        }
        if (size <= MOST_BARS) {
            const jsni_series bars = {
                .draw = JSNI_DRAW_BARS, .y = percent, .count = size};
            const jsni_chart chart = {
                .title = "Accuracy of each class",
                .x = {.categories = names, .category_count = size},
                .y = {.label = "%", .low = 0, .high = 100},
                .series = &bars,
                .series_count = 1,
                .width = 640,
                .height = 320};
            jsni_html_figure_begin(page);
            jsni_chart_figure(page, &chart, 1, 1, "accuracy of each class", false);
            jsni_html_figure_end(page, NULL);
        } else {
            jsni_table table = {.caption = "The classes with the lowest accuracy"};
            qsort(all, count, sizeof *all, by_accuracy);
            jsni_table_column(&table, NULL, "Class", JSNI_ALIGN_LEFT);
            jsni_table_column(&table, NULL, "Accuracy, %", JSNI_ALIGN_RIGHT);
            for (size_t i = 0; i < count && i < WORST; i++) {
                jsni_table_row(&table);
                jsni_table_text(&table, names[all[i].label]);
                jsni_table_number(&table, all[i].accuracy, NAN, 1);
            }
            jsni_html_table(page, &table);
            jsni_table_release(&table);
        }
    }
    jsni_free(percent);
    jsni_free(all);
}

static void show_calibration(jsni_text *page, const jsni_record_part *part)
{
    double x[MOST_BINS], y[MOST_BINS];
    size_t count = 0;
    for (size_t b = 0; b < part->bin_count && count < MOST_BINS; b++) {
        const jsni_record_bin *bin = &part->bins[b];
        if (!(bin->samples >= 1.0))
            continue;
        y[count] = 100.0 * bin->accuracy;
        x[count++] = 100.0 * bin->confidence;
    }
    if (count == 0)
        return;
    static const double ends[2] = {0.0, 100.0};
    const jsni_series series[2] = {
        {.name = "perfect", .x = ends, .y = ends, .count = 2, .colour = 7, .dash = 1},
        {.name = "this run",
         .draw = JSNI_DRAW_LINE | JSNI_DRAW_MARKERS,
         .x = x,
         .y = y,
         .count = count},
    };
    const jsni_chart chart = {.title = "Calibration",
                              .x = {.label = "confidence, %", .low = 0, .high = 100},
                              .y = {.label = "accuracy, %", .low = 0, .high = 100},
                              .series = series,
                              .series_count = 2,
                              .width = 360,
                              .height = 340,
                              .legend = JSNI_LEGEND_BELOW};
    char caption[160];
    (void)jsni_format(caption, sizeof caption,
                      "How often predictions of a confidence are right; expected "
                      "calibration error %.2f%%",
                      100.0 * part->ece);
    jsni_html_charts(page, &chart, 1, caption);
}

void jsni_run_detail_evaluation(jsni_text *page, const jsni_run_record *run)
{
    const jsni_record_evaluation *e = &run->evaluation;
    const jsni_record_part *part = e->test.known ? &e->test : &e->val;
    const size_t size = e->class_count;
    if (!part->known || size == 0 || size > MOST_CLASSES)
        return;
    const char *const *names = (const char *const *)e->classes;
    char heading[96];
    const int64_t samples = part->samples < 0 ? 0 : part->samples;
    (void)snprintf(heading, sizeof heading, "Classes: %lld %s %s", (long long)samples,
                   e->test.known ? "test" : "validation",
                   jsni_noun((uint64_t)samples, "image", "images"));
    jsni_html_heading(page, heading);
    if (part->confusion != NULL)
        draw_confusion(page, part->confusion,
                       isnan(jsni_run_record_result(run, "noise_real")) ? "given label"
                                                                        : "true class",
                       names, size);
    show_classes(page, part->class_accuracy, names, size);
    show_calibration(page, part);
}
