/* cli/command_eval.c - a finished run on labelled data. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/cli_cell.h"
#include "cli/cli_csv.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_print.h"
#include "core/json.h"
#include "jensen/classifier.h"

typedef struct eval_values {
    char *device, *csv;
    int64_t threads, consistency, tta;
    bool json;
    jsn_texts limit;
} eval_values;

static const jsn_option_info options[] = {
    CLI_DEVICE_ROW(eval_values, "auto, cpu, ref, cuda"),
    CLI_THREADS_ROW(eval_values),
    {"consistency", 0, JSN_OPTION_INT, "1", 0, 1, NULL, "0|1",
     "compare with one augmented copy of each image, which is a second pass",
     offsetof(eval_values, consistency)},
    {"tta", 0, JSN_OPTION_INT, "1", 1, 10, NULL, "N",
     "average over N views: the image, its mirror image, both moved into the corners",
     offsetof(eval_values, tta)},
    {"csv", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "a row for every image: path, label, prediction and their probabilities",
     offsetof(eval_values, csv)},
    CLI_LIMIT_ROW(eval_values),
    CLI_JSON_ROW(eval_values, "one JSON object on stdout"),
};

static void put_class_scores(jsni_json_writer *w, const jsn_classifier_scores *s,
                             size_t classes)
{
    jsni_json_begin_array(w, "class_scores");
    for (size_t k = 0; k < classes; k++) {
        const jsn_class_scores *one = &s->per_class[k];
        jsni_json_begin_object(w, NULL);
        jsni_json_put_int(w, "labels", (int64_t)one->labels);
        jsni_json_put_int(w, "predictions", (int64_t)one->predictions);
        jsni_json_put_real(w, "precision", one->precision);
        jsni_json_put_real(w, "recall", one->recall);
        jsni_json_put_real(w, "f1", one->f1);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static void put_confusion(jsni_json_writer *w, const jsn_classifier_scores *s,
                          size_t classes)
{
    if (s->confusion == NULL) {
        jsni_json_put_null(w, "confusion");
        return;
    }
    jsni_json_begin_array(w, "confusion");
    for (size_t k = 0; k < classes; k++) {
        jsni_json_begin_array(w, NULL);
        for (size_t j = 0; j < classes; j++)
            jsni_json_put_int(w, NULL, (int64_t)s->confusion[k * classes + j]);
        jsni_json_end(w);
    }
    jsni_json_end(w);
}

static jsn_status print_json(const jsn_classifier *c, const jsn_classifier_scores *s)
{
    const size_t classes = jsn_classifier_classes(c);
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "split", s->split);
    jsni_json_put_int(w, "samples", (int64_t)s->samples);
    jsni_json_put_int(w, "bad_images", (int64_t)s->bad_images);
    jsni_json_put_real(w, "accuracy", s->accuracy);
    jsni_json_put_real(w, "balanced_accuracy", s->balanced_accuracy);
    jsni_json_put_real(w, "macro_f1", s->macro_f1);
    jsni_json_put_real(w, "top5", s->top5);
    jsni_json_put_real(w, "loss", s->loss);
    jsni_json_put_real(w, "ece", s->ece);
    jsni_json_put_real(w, "consistency", s->consistency);
    jsni_json_begin_array(w, "classes");
    for (size_t k = 0; k < classes; k++)
        jsni_json_put_text(w, NULL, jsn_classifier_class(c, k));
    jsni_json_end(w);
    put_class_scores(w, s, classes);
    put_confusion(w, s, classes);
    jsni_json_end(w);
    return cli_print_json(w);
}

/* The longest name of a class, in [least, most] characters. */
static size_t name_width(const jsn_classifier *c, size_t least, size_t most)
{
    size_t width = least;
    for (size_t k = 0; k < jsn_classifier_classes(c); k++) {
        const size_t name = cli_cell_width(jsn_classifier_class(c, k));
        width = name > width ? name : width;
    }
    return width < most ? width : most;
}

static void print_share(double share)
{
    if (isnan(share))
        cli_print(" %9s", "-");
    else
        cli_print(" %8.2f%%", 100.0 * share);
}

static void print_classes(const jsn_classifier *c, const jsn_classifier_scores *s)
{
    enum { MOST_ROWS = 200, MOST_LABEL = 32 };
    const size_t classes = jsn_classifier_classes(c);
    if (classes > MOST_ROWS) {
        cli_print("\nscores of %zu classes: too many to print, --json has them\n",
                  classes);
        return;
    }
    const size_t width = name_width(c, 5, MOST_LABEL);
    cli_print("\n");
    cli_put_left("class", width);
    cli_print(" %9s %9s %9s %9s\n", "precision", "recall", "F1", "images");
    for (size_t k = 0; k < classes; k++) {
        const jsn_class_scores *one = &s->per_class[k];
        cli_put_left(jsn_classifier_class(c, k), width);
        print_share(one->precision);
        print_share(one->recall);
        print_share(one->f1);
        cli_print(" %9llu\n", (unsigned long long)one->labels);
    }
}

static void print_confusion(const jsn_classifier *c, const jsn_classifier_scores *s)
{
    enum { MOST_COLUMNS = 12, MOST_LABEL = 24, LEAST_COLUMN = 6, MOST_COLUMN = 10 };
    const size_t classes = jsn_classifier_classes(c);
    if (classes > MOST_COLUMNS) {
        cli_print("\nconfusion of %zu classes: %s\n", classes,
                  s->confusion != NULL ? "too wide to print, --json has it"
                                       : "too many for a matrix, left out");
        return;
    }
    const size_t label = name_width(c, 1, MOST_LABEL);
    const size_t column = name_width(c, LEAST_COLUMN, MOST_COLUMN);
    cli_print("\nconfusion (rows: label, columns: predicted)\n");
    cli_put_left("", label);
    for (size_t k = 0; k < classes; k++) {
        cli_print(" ");
        cli_put_right(jsn_classifier_class(c, k), column);
    }
    cli_print("\n");
    for (size_t k = 0; k < classes; k++) {
        cli_put_left(jsn_classifier_class(c, k), label);
        for (size_t j = 0; j < classes; j++)
            cli_print(" %*llu", (int)column,
                      (unsigned long long)s->confusion[k * classes + j]);
        cli_print("\n");
    }
}

static void print_text(const jsn_classifier *c, const jsn_classifier_scores *s)
{
    cli_print("split        %s\nsamples      %llu\n", s->split,
              (unsigned long long)s->samples);
    if (s->bad_images > 0)
        cli_print("bad images   %llu\n", (unsigned long long)s->bad_images);
    cli_print("accuracy     %.2f%%\n", 100.0 * s->accuracy);
    cli_print("balanced     %.2f%%\nmacro F1     %.2f%%\n",
              100.0 * s->balanced_accuracy, 100.0 * s->macro_f1);
    if (jsn_classifier_classes(c) > 5) /* of five, any class is among the first five */
        cli_print("top-5        %.2f%%\n", 100.0 * s->top5);
    cli_print("cross-entropy %.4f\ncalibration error %.4f\n", s->loss, s->ece);
    if (!isnan(s->consistency))
        cli_print("consistency  %.2f%%\n", 100.0 * s->consistency);
    print_classes(c, s);
    print_confusion(c, s);
}

typedef struct image_table {
    FILE *file;
    const jsn_classifier *classifier;
} image_table;

static jsn_status add_image(void *user, const jsn_classifier_image *image)
{
    const image_table *t = user;
    cli_csv_cell(t->file, image->path);
    cli_print_to(t->file, ",");
    cli_csv_cell(t->file, jsn_classifier_class(t->classifier, (size_t)image->label));
    cli_print_to(t->file, ",");
    if (image->predicted < 0) {
        cli_print_to(t->file, ",,\n");
        return JSN_OK;
    }
    cli_csv_cell(t->file,
                 jsn_classifier_class(t->classifier, (size_t)image->predicted));
    cli_print_to(t->file, ",%.6g,%.6g\n", image->probability, image->label_probability);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const eval_values *v = values;
    if (args->count != 2)
        return cli_usage("wants a run folder and a data set");
    jsn_classifier *c = NULL;
    jsn_classifier_scores scores = {0};
    image_table table = {0};
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.run = args->items[0];
    o.device = v->device;
    o.threads = (size_t)v->threads;
    o.views = (size_t)v->tta;
    jsn_status status = jsn_classifier_create(&c, &o);
    table.classifier = c;
    if (status == JSN_OK && v->csv != NULL)
        status = cli_csv_open(&table.file, v->csv);
    if (table.file != NULL)
        cli_print_to(table.file, "path,label,predicted,probability,p_given\n");
    if (status == JSN_OK)
        status = jsn_classifier_evaluate_images(
            c, args->items[1], v->consistency != 0, cli_logger(),
            table.file != NULL ? add_image : NULL, &table, &scores);
    status = cli_csv_close(table.file, v->csv, status);
    if (status == JSN_OK && v->json)
        status = print_json(c, &scores);
    else if (status == JSN_OK)
        print_text(c, &scores);
    jsn_classifier_scores_release(&scores);
    jsn_classifier_close(c);
    return status;
}

const cli_command cli_command_eval = {
    .name = "eval",
    .summary = "accuracy of a finished run on labelled data",
    .usage = "(RUN | WEIGHTS) DATA [OPTIONS]",
    .details =
        "DATA is a data set as for train. Its test split is used, else its validation\n"
        "split, else all it has (',split=train' picks one); which one is said. Its "
        "classes\n"
        "go by their names: some of the run's may be missing, none new. Images that "
        "cannot\n"
        "be read are named on stderr. Precision of a class: the share of its label "
        "among\n"
        "the images predicted to be it; recall: the share of its images that are "
        "found;\n"
        "F1: the harmonic mean of both. The confusion of more than 12 classes is in "
        "--json\n"
        "alone.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(eval_values),
    .run = run,
};
