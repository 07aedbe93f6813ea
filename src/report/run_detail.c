/* report/run_detail.c - see run_detail.h. The files may have been edited: whatever has
 * not the expected shape is left out. */
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
#define MOST_PNG_BYTES ((size_t)1 << 20)

static const char *class_name(const jsni_run_record *run, int64_t label, char *spare,
                              size_t room)
{
    const jsn_json *classes = jsn_json_get(run->evaluation, "classes");
    if (label >= 0 && (size_t)label < jsn_json_count(classes))
        return jsn_json_text(jsn_json_at(classes, (size_t)label));
    (void)snprintf(spare, room, "class %lld", (long long)label);
    return spare;
}

/* Rows of the confusion matrix as shares of their sum. */
static bool read_confusion(const jsn_json *rows, size_t size, double *out)
{
    for (size_t i = 0; i < size; i++) {
        const jsn_json *row = jsn_json_at(rows, i);
        double sum = 0.0;
        if (jsn_json_count(row) != size)
            return false;
        for (size_t j = 0; j < size; j++)
            sum += jsn_json_real(jsn_json_at(row, j));
        for (size_t j = 0; j < size; j++) {
            const double count = jsn_json_real(jsn_json_at(row, j));
            out[i * size + j] = sum > 0.0 ? count / sum : NAN;
        }
    }
    return true;
}

/* `row`: what a row is, "true class" or "given label". */
static void draw_confusion(jsni_text *page, const jsn_json *rows, const char *row,
                           const char *const *names, size_t size)
{
    char caption[96];
    double *values = jsni_alloc(size * size, sizeof *values);
    if (values == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    if (read_confusion(rows, size, values)) {
        const jsni_matrix matrix = {.row_label = row,
                                    .column_label = "predicted",
                                    .names = names,
                                    .values = values,
                                    .size = size};
        jsni_html_figure_begin(page);
        jsni_matrix_figure(page, &matrix, "confusion matrix", false);
        (void)snprintf(caption, sizeof caption,
                       "Confusion: where the images of each %s go", row);
        jsni_html_figure_end(page, caption);
    }
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
static void show_classes(jsni_text *page, const jsn_json *list,
                         const char *const *names, size_t size)
{
    graded *all = jsni_alloc(size, sizeof *all);
    double *percent = jsni_alloc(size, sizeof *percent);
    if (all == NULL || percent == NULL) {
        page->status = JSN_ERR_MEMORY;
    } else {
        size_t count = 0;
        for (size_t k = 0; k < size; k++) {
            const jsn_json *value = jsn_json_at(list, k);
            const bool known = jsn_json_kind_of(value) == JSN_JSON_NUMBER;
            percent[k] = known ? 100.0 * jsn_json_real(value) : NAN;
            if (known)
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

static void show_calibration(jsni_text *page, const jsn_json *part)
{
    const jsn_json *bins = jsn_json_get(part, "calibration");
    double x[MOST_BINS], y[MOST_BINS];
    size_t count = 0;
    for (size_t b = 0; b < jsn_json_count(bins) && count < MOST_BINS; b++) {
        const jsn_json *bin = jsn_json_at(bins, b);
        if (jsn_json_count(bin) != 3 || jsn_json_real(jsn_json_at(bin, 0)) < 1.0)
            continue;
        y[count] = 100.0 * jsn_json_real(jsn_json_at(bin, 1));
        x[count++] = 100.0 * jsn_json_real(jsn_json_at(bin, 2));
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
                      100.0 * jsni_run_record_number(part, "ece"));
    jsni_html_figure_begin(page);
    jsni_chart_figure(page, &chart, 1, 1, "calibration", false);
    jsni_html_figure_end(page, caption);
}

void jsni_run_detail_evaluation(jsni_text *page, const jsni_run_record *run)
{
    const jsn_json *part = jsn_json_get(run->evaluation, "test");
    const char *which = "test";
    if (part == NULL) {
        part = jsn_json_get(run->evaluation, "val");
        which = "validation";
    }
    const jsn_json *classes = jsn_json_get(run->evaluation, "classes");
    const jsn_json *confusion = jsn_json_get(part, "confusion");
    const size_t size = jsn_json_count(classes);
    if (part == NULL || size == 0 || size > MOST_CLASSES)
        return;
    const char **names = jsni_alloc(size, sizeof *names);
    if (names == NULL) {
        page->status = JSN_ERR_MEMORY;
        return;
    }
    for (size_t k = 0; k < size; k++)
        names[k] = jsn_json_text(jsn_json_at(classes, k));
    char heading[96];
    const int64_t samples = jsn_json_int(jsn_json_get(part, "samples"));
    (void)snprintf(heading, sizeof heading, "Classes: %lld %s %s", (long long)samples,
                   which, jsn_noun((uint64_t)samples, "image", "images"));
    jsni_html_heading(page, heading);
    if (jsn_json_count(confusion) == size)
        draw_confusion(page, confusion,
                       isnan(jsni_run_record_result(run, "noise_real")) ? "given label"
                                                                        : "true class",
                       names, size);
    show_classes(page, jsn_json_get(part, "class_accuracy"), names, size);
    show_calibration(page, part);
    jsni_free(names);
}

/* Names inside the run folder only. */
static bool inside(const char *name)
{
    return name[0] != '/' && strstr(name, "..") == NULL;
}

static void add_doubtful(jsni_text *page, const jsni_run_record *run,
                         const jsn_json *entry)
{
    const char *thumbnail = jsn_json_text(jsn_json_get(entry, "thumbnail"));
    const int64_t label = jsn_json_int(jsn_json_get(entry, "label"));
    const int64_t predicted = jsn_json_int(jsn_json_get(entry, "predicted"));
    const jsn_json *truth = jsn_json_get(entry, "true");
    char first[256], second[256], a[32], b[32];
    jsni_text pair = jsni_text_in(first, sizeof first);
    jsni_text_format(&pair, "%s \xe2\x86\x92 %s", class_name(run, label, a, sizeof a),
                     class_name(run, predicted, b, sizeof b));
    jsni_text words = jsni_text_in(second, sizeof second);
    jsni_text_format(&words, "%.1f%% sure",
                     100.0 * jsni_run_record_number(entry, "confidence"));
    const char *flag = NULL;
    if (truth != NULL) {
        const int64_t right = jsn_json_int(truth);
        jsni_text_format(&words, "; true: %s", class_name(run, right, a, sizeof a));
        flag = right == label ? NULL : "wrong label";
    }
    if (thumbnail[0] == '\0' || !inside(thumbnail))
        return;
    char *path = jsni_path_join(run->path, thumbnail);
    char *png = NULL;
    size_t bytes = 0;
    const jsn_status status = path == NULL
                                  ? JSN_ERR_MEMORY
                                  : jsni_file_read(path, MOST_PNG_BYTES, &png, &bytes);
    if (status == JSN_OK)
        jsni_html_gallery_png(page, png, bytes, first, second, flag);
    else if (status == JSN_ERR_MEMORY)
        page->status = status;
    jsni_free(png);
    jsni_free(path);
}

static void list_doubtful(jsni_text *page, const jsni_run_record *run,
                          const jsn_json *list)
{
    jsni_table table = {0};
    char spare[32];
    jsni_table_column(&table, NULL, "Image", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Label", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Predicted", JSNI_ALIGN_LEFT);
    jsni_table_column(&table, NULL, "Confidence, %", JSNI_ALIGN_RIGHT);
    jsni_table_column(&table, NULL, "True", JSNI_ALIGN_LEFT);
    for (size_t i = 0; i < jsn_json_count(list); i++) {
        const jsn_json *entry = jsn_json_at(list, i);
        const jsn_json *truth = jsn_json_get(entry, "true");
        jsni_table_row(&table);
        jsni_table_text(&table, jsn_json_text(jsn_json_get(entry, "path")));
        jsni_table_text(&table,
                        class_name(run, jsn_json_int(jsn_json_get(entry, "label")),
                                   spare, sizeof spare));
        jsni_table_text(&table,
                        class_name(run, jsn_json_int(jsn_json_get(entry, "predicted")),
                                   spare, sizeof spare));
        jsni_table_number(&table, 100.0 * jsni_run_record_number(entry, "confidence"),
                          NAN, 2);
        if (truth != NULL)
            jsni_table_text(&table,
                            class_name(run, jsn_json_int(truth), spare, sizeof spare));
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
    const jsn_json *list = jsn_json_get(run->evaluation, "doubtful");
    const size_t count = jsn_json_count(list);
    if (count == 0)
        return;
    size_t known = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const jsn_json *entry = jsn_json_at(list, i);
        const jsn_json *truth = jsn_json_get(entry, "true");
        known += truth != NULL;
        wrong += truth != NULL &&
                 jsn_json_int(truth) != jsn_json_int(jsn_json_get(entry, "label"));
    }
    char paragraph[320];
    jsni_text words = jsni_text_in(paragraph, sizeof paragraph);
    jsni_text_format(&words,
                     "The %zu training %s whose label the network contradicts most "
                     "confidently: label \xe2\x86\x92 prediction.",
                     count, jsn_noun(count, "image", "images"));
    const int64_t all = jsn_json_int(jsn_json_get(run->evaluation, "contradicted"));
    if (all > (int64_t)count)
        jsni_text_format(&words,
                         " " JSNI_RUN_DOUBTFUL
                         " in the run folder lists all %lld contradicted ones.",
                         (long long)all);
    if (known > 0)
        jsni_text_format(&words, " %zu of %zu %s %s known to be wrong.", wrong, known,
                         jsn_noun(known, "label", "labels"),
                         jsn_noun(wrong, "is", "are"));
    jsni_html_heading(page, "Doubtful labels");
    jsni_html_paragraph(page, paragraph);
    jsni_html_gallery_begin(page, 104);
    for (size_t i = 0; i < count; i++)
        add_doubtful(page, run, jsn_json_at(list, i));
    jsni_html_gallery_end(page);
    list_doubtful(page, run, list);
}
