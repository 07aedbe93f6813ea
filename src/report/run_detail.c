/* report/run_detail.c - see run_detail.h. */
#include "report/run_detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/file.h"
#include "core/text.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/matrix.h"
#include "store/run_folder.h"

enum { MOST_CLASSES = 10000, MOST_BARS = 25, WORST = 15, MOST_BINS = 100 };
/* Those of a run have at most 96 pixels a side. */
#define MOST_PNG_BYTES ((size_t)1 << 16)

static const char *class_name(const jsni_run_record *run, int64_t label)
{
    return label >= 0 ? run->evaluation.classes[label] : "?";
}

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
                              .width = 420,
                              .height = 380,
                              .legend = JSNI_LEGEND_BELOW};
    char caption[160];
    (void)jsni_format(caption, sizeof caption,
                      "How often predictions of a confidence are right; expected "
                      "calibration error %.2f%%",
                      100.0 * part->ece);
    jsni_html_figure_begin(page);
    jsni_chart_figure(page, &chart, 1, 1, "calibration", false);
    jsni_html_figure_end(page, caption);
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
                   jsn_noun((uint64_t)samples, "image", "images"));
    jsni_html_heading(page, heading);
    if (part->confusion != NULL)
        draw_confusion(page, part->confusion,
                       isnan(jsni_run_record_result(run, "noise_real")) ? "given label"
                                                                        : "true class",
                       names, size);
    show_classes(page, part->class_accuracy, names, size);
    show_calibration(page, part);
}

/* A picture that the run made, not whatever a link of that name leads to. */
static bool is_png(const char *data, size_t bytes)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    return bytes >= sizeof signature - 1 &&
           memcmp(data, signature, sizeof signature - 1) == 0;
}

static void add_doubtful(jsni_text *page, const jsni_run_record *run,
                         const jsni_record_doubt *doubt)
{
    char first[256], second[256];
    if (doubt->thumbnail == NULL)
        return;
    jsni_text pair = jsni_text_in(first, sizeof first);
    jsni_text_format(&pair, "%s \xe2\x86\x92 %s", class_name(run, doubt->label),
                     class_name(run, doubt->predicted));
    jsni_text words = jsni_text_in(second, sizeof second);
    jsni_text_format(&words, "%.1f%% sure", 100.0 * doubt->confidence);
    if (doubt->truth >= 0)
        jsni_text_format(&words, "; true: %s", class_name(run, doubt->truth));
    const char *flag =
        doubt->truth >= 0 && doubt->truth != doubt->label ? "wrong label" : NULL;
    char *path = jsni_path_join(run->path, doubt->thumbnail);
    char *png = NULL;
    size_t bytes = 0;
    const jsn_status status = path == NULL
                                  ? JSN_ERR_MEMORY
                                  : jsni_file_read(path, MOST_PNG_BYTES, &png, &bytes);
    if (status == JSN_OK && is_png(png, bytes))
        jsni_html_gallery_png(page, png, bytes, first, second, flag);
    else if (status == JSN_ERR_MEMORY)
        page->status = status;
    jsni_free(png);
    jsni_free(path);
}

static void list_doubtful(jsni_text *page, const jsni_run_record *run)
{
    const jsni_record_evaluation *e = &run->evaluation;
    jsni_table table = {0};
    jsni_table_column(&table, NULL, "Image", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Label", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Predicted", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Confidence, %", JSNI_ALIGN_RIGHT);
    jsni_table_column(&table, NULL, "True", JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < e->doubtful_count; i++) {
        const jsni_record_doubt *doubt = &e->doubtful[i];
        jsni_table_row(&table);
        jsni_table_text(&table, doubt->path != NULL ? doubt->path : "");
        jsni_table_text(&table, class_name(run, doubt->label));
        jsni_table_text(&table, class_name(run, doubt->predicted));
        jsni_table_number(&table, 100.0 * doubt->confidence, NAN, 2);
        if (doubt->truth >= 0)
            jsni_table_text(&table, class_name(run, doubt->truth));
        else
            (void)jsni_table_empty(&table);
    }
    jsni_html_fold_begin(page, "The same as a list with file names");
    jsni_html_table(page, &table);
    jsni_html_fold_end(page);
    jsni_table_release(&table);
}

void jsni_run_detail_doubtful(jsni_text *page, const jsni_run_record *run)
{
    const jsni_record_evaluation *e = &run->evaluation;
    const size_t count = e->doubtful_count;
    if (count == 0)
        return;
    size_t known = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        known += e->doubtful[i].truth >= 0;
        wrong +=
            e->doubtful[i].truth >= 0 && e->doubtful[i].truth != e->doubtful[i].label;
    }
    char paragraph[320];
    jsni_text words = jsni_text_in(paragraph, sizeof paragraph);
    jsni_text_format(&words,
                     "The %zu training %s whose label the network contradicts most "
                     "confidently: label \xe2\x86\x92 prediction.",
                     count, jsn_noun(count, "image", "images"));
    if (e->contradicted > (int64_t)count)
        jsni_text_format(&words,
                         " " JSNI_RUN_DOUBTFUL
                         " in the run folder lists all %lld contradicted ones.",
                         (long long)e->contradicted);
    if (known > 0)
        jsni_text_format(&words, " %zu of %zu %s %s known to be wrong.", wrong, known,
                         jsn_noun(known, "label", "labels"),
                         jsn_noun(wrong, "is", "are"));
    jsni_html_heading(page, "Doubtful labels");
    jsni_html_paragraph(page, paragraph);
    jsni_html_gallery_begin(page, 104);
    for (size_t i = 0; i < count; i++)
        add_doubtful(page, run, &e->doubtful[i]);
    jsni_html_gallery_end(page);
    list_doubtful(page, run);
}
