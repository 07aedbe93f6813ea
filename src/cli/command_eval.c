/* cli/command_eval.c - a finished run on labelled data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_cell.h"
#include "cli/cli_csv.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "cli/cli_print.h"
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
     "also measure agreement with an augmented copy of each image (a second pass)",
     offsetof(eval_values, consistency)},
    {"tta", 0, JSN_OPTION_INT, "1", 1, 10, NULL, "N",
     "average over N views: the image, its mirror image, both shifted to the corners",
     offsetof(eval_values, tta)},
    {"csv", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "a row for every image: path, label, prediction and their probabilities",
     offsetof(eval_values, csv)},
    CLI_LIMIT_ROW(eval_values),
    CLI_JSON_ROW(eval_values, "one JSON object on stdout"),
};

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

static void show_share(cli_record *r, const char *key, double share)
{
    if (isnan(share))
        cli_words(r, " %9s", "-");
    cli_field_share(r, key, " %8.2f%%", share);
}

static void show_classes(cli_record *r, const jsn_classifier *c,
                         const jsn_classifier_scores *s)
{
    enum { MOST_ROWS = 200, MOST_LABEL = 32 };
    const size_t classes = jsn_classifier_classes(c);
    if (r->json == NULL && classes > MOST_ROWS) {
        cli_words(r, "\nscores of %zu classes: too many to print, --json has them\n",
                  classes);
        return;
    }
    const size_t width = name_width(c, 5, MOST_LABEL);
    cli_words(r, "\n");
    cli_cell_left(r, "class", width);
    cli_words(r, " %9s %9s %9s %9s\n", "precision", "recall", "F1", "images");
    cli_begin_array(r, "class_scores");
    for (size_t k = 0; k < classes; k++) {
        const jsn_class_scores *one = &s->per_class[k];
        cli_begin_object(r, NULL);
        cli_cell_left(r, jsn_classifier_class(c, k), width);
        cli_field_int(r, "predictions", NULL, (int64_t)one->predictions);
        show_share(r, "precision", one->precision);
        show_share(r, "recall", one->recall);
        show_share(r, "f1", one->f1);
        cli_field_int(r, "labels", " %9lld\n", (int64_t)one->labels);
        cli_end(r);
    }
    cli_end(r);
}

static void show_confusion(cli_record *r, const jsn_classifier *c,
                           const jsn_classifier_scores *s)
{
    enum { MOST_COLUMNS = 12, MOST_LABEL = 24, LEAST_COLUMN = 6, MOST_COLUMN = 10 };
    const size_t classes = jsn_classifier_classes(c);
    if (r->json == NULL && classes > MOST_COLUMNS) {
        cli_words(r, "\nconfusion of %zu classes: %s\n", classes,
                  s->confusion != NULL ? "too wide to print, --json has it"
                                       : "too many for a matrix, left out");
        return;
    }
    if (s->confusion == NULL) {
        cli_field_null(r, "confusion");
        return;
    }
    const size_t label = name_width(c, 1, MOST_LABEL);
    const size_t column = name_width(c, LEAST_COLUMN, MOST_COLUMN);
    char format[16];
    (void)snprintf(format, sizeof format, " %%%zulld", column);
    cli_words(r, "\nconfusion (rows: label, columns: predicted)\n");
    cli_cell_left(r, "", label);
    for (size_t k = 0; k < classes; k++) {
        cli_words(r, " ");
        cli_cell_right(r, jsn_classifier_class(c, k), column);
    }
    cli_words(r, "\n");
    cli_begin_array(r, "confusion");
    for (size_t k = 0; k < classes; k++) {
        cli_begin_array(r, NULL);
        cli_cell_left(r, jsn_classifier_class(c, k), label);
        for (size_t j = 0; j < classes; j++)
            cli_field_int(r, NULL, format, (int64_t)s->confusion[k * classes + j]);
        cli_words(r, "\n");
        cli_end(r);
    }
    cli_end(r);
}

static jsn_status describe(const jsn_classifier *c, const jsn_classifier_scores *s,
                           bool json)
{
    const size_t classes = jsn_classifier_classes(c);
    cli_record r;
    const jsn_status status = cli_record_open(&r, json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "split", "split        %s\n", s->split);
    cli_field_int(&r, "samples", "samples      %lld\n", (int64_t)s->samples);
    cli_field_int(&r, "bad_images", s->bad_images > 0 ? "bad images   %lld\n" : NULL,
                  (int64_t)s->bad_images);
    cli_field_share(&r, "accuracy", "accuracy     %.2f%%\n", s->accuracy);
    cli_field_share(&r, "balanced_accuracy", "balanced     %.2f%%\n",
                    s->balanced_accuracy);
    cli_field_share(&r, "macro_f1", "macro F1     %.2f%%\n", s->macro_f1);
    /* Of five, any class is among the first five. */
    cli_field_share(&r, "top5", classes > 5 ? "top-5        %.2f%%\n" : NULL, s->top5);
    cli_field_real(&r, "loss", "cross-entropy %.4f\n", s->loss);
    cli_field_real(&r, "ece", "calibration error %.4f\n", s->ece);
    cli_field_share(&r, "consistency", "consistency  %.2f%%\n", s->consistency);
    cli_begin_array(&r, "classes");
    for (size_t k = 0; k < classes; k++)
        cli_field_text(&r, NULL, NULL, jsn_classifier_class(c, k));
    cli_end(&r);
    show_classes(&r, c, s);
    show_confusion(&r, c, s);
    cli_end(&r);
    return cli_record_close(&r);
}

typedef struct image_table {
    cli_csv csv;
    const jsn_classifier *classifier;
} image_table;

static jsn_status add_image(void *user, const jsn_classifier_image *image)
{
    const image_table *t = user;
    FILE *file = t->csv.file;
    cli_csv_cell(file, image->path);
    cli_print_to(file, ",");
    cli_csv_cell(file, jsn_classifier_class(t->classifier, (size_t)image->label));
    cli_print_to(file, ",");
    if (image->predicted < 0) {
        cli_print_to(file, ",,\n");
        return JSN_OK;
    }
    cli_csv_cell(file, jsn_classifier_class(t->classifier, (size_t)image->predicted));
    cli_print_to(file, ",%.6g,%.6g\n", image->probability, image->label_probability);
    return JSN_OK;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const eval_values *v = values;
    if (args->count != 2)
        return cli_usage("needs a run folder and a data set");
    if (v->csv != NULL && strcmp(v->csv, "-") == 0)
        return cli_usage("--csv needs a file; stdout has the result");
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
        status = cli_csv_open(&table.csv, v->csv);
    if (table.csv.file != NULL)
        cli_print_to(table.csv.file, "path,label,predicted,probability,p_given\n");
    if (status == JSN_OK)
        status = jsn_classifier_evaluate_images(
            c, args->items[1], v->consistency != 0, cli_logger(),
            table.csv.file != NULL ? add_image : NULL, &table, &scores);
    status = cli_csv_close(&table.csv, status);
    if (status == JSN_OK)
        status = describe(c, &scores, v->json);
    jsn_classifier_scores_release(&scores);
    jsn_classifier_close(c);
    return status;
}

const cli_command cli_command_eval = {
    .name = "eval",
    .summary = "accuracy of a finished run on labelled data",
    .usage = "(RUN | WEIGHTS) DATA [OPTIONS]",
    .details =
        "DATA is a data set as for train. Uses its test split, else its validation\n"
        "split, else everything, and says which; ',split=train' picks one. Classes\n"
        "are matched by name: some of the run's may be missing, none may be new.\n"
        "Images that cannot be read are named on stderr. Precision of a class: of\n"
        "the images predicted as it, the share with its label. Recall: of the images\n"
        "with its label, the share predicted as it. F1: their harmonic mean. The\n"
        "confusion matrix of more than 12 classes is only in --json.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(eval_values),
    .run = run,
};
