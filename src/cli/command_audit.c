/* cli/command_audit.c - finds the labels of a data set that are probably wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "cli/cli_print.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/review.h"

typedef struct audit_values {
    char *out, *posteriors, *labels, *method;
    int64_t folds, threads;
    double cutoff;
    bool labels_only, again, mirror;
    int64_t check;
    jsn_texts set, limit;
    bool json;
} audit_values;

static const jsn_option_info options[] = {
    CLI_OUT_ROW(audit_values, NULL, "DIR",
                "folder to write (default: audits/<data>-<8 digits>)"),
    {"folds", 0, JSN_OPTION_INT, "5", 2, 100, NULL, "K",
     "number of folds; a network trained on the other folds judges each",
     offsetof(audit_values, folds)},
    {"posteriors", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE.npy",
     "your own class probabilities, instead of training: [images][classes], or "
     "[views][images][classes]",
     offsetof(audit_values, posteriors)},
    {"labels", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE.csv",
     "labels to use instead of those of DATA: columns path,label",
     offsetof(audit_values, labels)},
    {"method", 0, JSN_OPTION_TEXT, "combined", 0, 0, NULL, "NAME",
     "how labels are judged", offsetof(audit_values, method)},
    {"mirror", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "judge each image and its mirror image: two views",
     offsetof(audit_values, mirror)},
    {"cutoff", 0, JSN_OPTION_REAL, "0.5", 1e-6, 1, NULL, "X",
     "list a label as suspect from this chance of being wrong on",
     offsetof(audit_values, cutoff)},
    {"labels-only", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "judge only the labels; do not search for copies and faulty images",
     offsetof(audit_values, labels_only)},
    {"again", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "estimate how many wrong labels a review has left, from a random sample of the "
     "rest",
     offsetof(audit_values, again)},
    {"check", 0, JSN_OPTION_INT, "0", 0, 1e9, NULL, "N",
     "with --again: draw a new sample of N labels (the first has 50)",
     offsetof(audit_values, check)},
    {"set", 0, JSN_OPTION_TEXTS, NULL, 0, 0, NULL, "OPTION=VALUE",
     "an option of 'jensen train' for the folds: epochs=20, network=resnet18, ...",
     offsetof(audit_values, set)},
    CLI_READERS_ROW(audit_values),
    CLI_LIMIT_ROW(audit_values),
    CLI_JSON_ROW(audit_values, "one JSON object on stdout"),
};

static int stop(void *user)
{
    (void)user;
    return cli_stop_requested();
}

/* Copies, blurred images and the like: they follow the suspects in the list. */
static int64_t count_faults(const jsni_json *faults)
{
    int64_t sum = 0;
    for (size_t i = 0; i < jsni_json_count(faults); i++)
        sum += jsni_json_int(jsni_json_at(faults, i));
    return sum;
}

static jsn_status print_summary(const char *folder, const char *json)
{
    jsni_json *doc = NULL;
    const jsn_status status = jsni_json_parse(&doc, "audit.json", json, strlen(json));
    if (status != JSN_OK)
        return status;
    const double low = jsni_json_real(jsni_json_get(doc, "noise_low"));
    const double high = jsni_json_real(jsni_json_get(doc, "noise_high"));
    const int64_t suspects = jsni_json_int(jsni_json_get(doc, "suspects"));
    cli_print("wrong labels  %.1f%%, %.1f%% to %.1f%%\n",
              100.0 * jsni_json_real(jsni_json_get(doc, "noise_rate")), 100.0 * low,
              100.0 * high);
    cli_print("suspects      %lld of %lld\n", (long long)suspects,
              (long long)jsni_json_int(jsni_json_get(doc, "images")));
    const int64_t faults = count_faults(jsni_json_get(doc, "image_faults"));
    if (faults > 0)
        cli_print("faulty        %lld %s (copies, blurred, ...), last in the list "
                  "unless suspect\n",
                  (long long)faults, jsni_noun((size_t)faults, "image", "images"));
    if (jsni_json_bool(jsni_json_get(doc, "in_sample")))
        cli_print("in sample     the run has been trained on these labels\n");
    cli_print("list          %s/suspects.csv\npage          %s/audit.html\n", folder,
              folder);
    if (suspects > 0) {
        cli_print("next          jensen review ");
        cli_print_word(folder);
        cli_print("\n");
    }
    jsni_json_destroy(doc);
    return JSN_OK;
}

static jsn_status print_left_json(const jsn_audit_left *left)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    const double images = (double)left->images;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_int(w, "images", (int64_t)left->images);
    jsni_json_put_int(w, "population", (int64_t)left->population);
    jsni_json_put_int(w, "sample", (int64_t)left->sample);
    jsni_json_put_int(w, "checked", (int64_t)left->checked);
    jsni_json_put_int(w, "wrong", (int64_t)left->wrong);
    jsni_json_put_int(w, "unsure", (int64_t)left->unsure);
    jsni_json_put_int(w, "later", (int64_t)left->later);
    jsni_json_put_real(w, "left", left->left);
    jsni_json_put_real(w, "left_low", left->low);
    jsni_json_put_real(w, "left_high", left->high);
    jsni_json_put_real(w, "noise_rate", left->left / images);
    jsni_json_put_real(w, "noise_low", left->low / images);
    jsni_json_put_real(w, "noise_high", left->high / images);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_left(const char *folder, const jsn_audit_left *left)
{
    const double percent = 100.0 / (double)left->images;
    if (left->checked < left->sample) {
        cli_print("to check      %zu of %zu labels, drawn from %zu; jensen review ",
                  left->sample - left->checked, left->sample, left->population);
        cli_print_word(folder);
        cli_print("\n");
        return;
    }
    cli_print("checked       %zu labels of %zu: %zu wrong, %zu unsure\n", left->sample,
              left->population, left->wrong, left->unsure);
    cli_print("wrong labels  %.1f%% left, %.1f%% to %.1f%% (%.0f to %.0f labels)\n",
              percent * left->left, percent * left->low, percent * left->high,
              left->low, left->high);
    if (left->later > 0)
        cli_print("later         %zu other labels were decided since the sample was "
                  "drawn; --check N draws a new one\n",
                  left->later);
}

static jsn_status run_again(const audit_values *v, const char *folder)
{
    jsn_audit_check job;
    jsn_audit_left left;
    jsn_audit_check_init(&job);
    job.folder = folder;
    job.draw = (size_t)v->check;
    job.logger = cli_logger();
    const jsn_status status = jsn_audit_again(&job, &left);
    if (status == JSN_OK && v->json)
        return print_left_json(&left);
    if (status == JSN_OK)
        print_left(folder, &left);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const audit_values *v = values;
    if (args->count != 1)
        return cli_usage("needs one data set or one finished run, got %zu",
                         args->count);
    if (v->check > 0 && !v->again)
        return cli_usage("--check goes with --again");
    if (v->again)
        return run_again(v, args->items[0]);
    char *folder = NULL, *json = NULL;
    jsn_audit_job job;
    jsn_audit_job_init(&job);
    job.data = args->items[0];
    job.out = v->out;
    job.labels = v->labels;
    job.posteriors = v->posteriors;
    job.folds = (size_t)v->folds;
    job.set = &v->set;
    job.labels_only = v->labels_only;
    job.mirror = v->mirror;
    job.how.method = v->method;
    job.how.cutoff = v->cutoff;
    job.how.threads = (size_t)v->threads;
    job.logger = cli_logger();
    job.stop = stop;
    cli_catch_signals();
    jsn_status status = jsn_audit_data(&job, &folder, &json);
    if (status == JSN_OK && v->json)
        cli_print("%s\n", json);
    else if (status == JSN_OK)
        status = print_summary(folder, json);
    jsn_text_release(folder);
    jsn_text_release(json);
    return cli_offer_out(status, v->out, "audits");
}

const cli_command cli_command_audit = {
    .name = "audit",
    .summary = "find the labels that are probably wrong",
    .usage = "DATA|RUN [-o DIR] [--folds K | --posteriors FILE.npy] [--json] | "
             "DIR --again [--check N]",
    .details =
        "Estimates for every image the chance that its label is wrong. The data is\n"
        "cut into folds, and a network trained on the other folds (GJS) judges each\n"
        "fold. So no network judges a label that it has learned. The same command\n"
        "continues an audit that was stopped. You can give a finished run instead of\n"
        "DATA: it has seen the labels, so it finds fewer wrong ones.\n\n"
        "The folder has suspects.csv (the worst label first), scores.csv (all\n"
        "images), audit.json (estimated share of wrong labels, which class is taken\n"
        "for which), posteriors.npy and the page audit.html.\n\n"
        "After a review, 'jensen audit DIR --again' draws 50 labels that nobody has\n"
        "decided about. 'jensen review DIR' shows them. The same command then\n"
        "estimates how many wrong labels are left.\n\n"
        "  jensen audit photos\n"
        "  jensen audit photos --posteriors p.npy -o audit\n"
        "  jensen labels apply audit --min-score 0.9 --out labels.csv\n"
        "  jensen train photos --labels labels.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .named = "method",
    .names = JSN_CATALOG_AUDIT_METHODS,
    .values_size = sizeof(audit_values),
    .run = run,
    .continues = true,
};
