/* cli/command_noise.c - makes, inspects, imports and exports noisy labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_cell.h"
#include "cli/cli_options.h"
#include "cli/cli_record.h"
#include "jensen/dataset.h"
#include "jensen/noise.h"
#include "jensen/train.h"

typedef struct noise_values {
    char *noise, *out, *matrix;
    int64_t seed;
    bool json;
    jsn_texts limit;
} noise_values;

static const jsn_option_info options[] = {
    {"noise", 0, JSN_OPTION_TEXT, "sym:rate=0.4", 0, 0, NULL, "SPEC",
     "noise model or label file; 'jensen show noise' lists them",
     offsetof(noise_values, noise)},
    CLI_SEED_ROW(noise_values),
    CLI_OUT_ROW(noise_values, NULL, "FILE", "CSV to write: path,given,noisy"),
    {"matrix", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "CSV to write: how often each class got each label, as shares",
     offsetof(noise_values, matrix)},
    CLI_LIMIT_ROW(noise_values),
    CLI_JSON_ROW(noise_values, "one JSON object on stdout"),
};

/* The input of a split; *paths and *names are the caller's to free(). */
static jsn_status make_input(const jsn_dataset *data, const noise_values *v,
                             jsn_noise_input *in, const char ***paths,
                             const char ***names)
{
    const jsn_dataset_traits *traits = jsn_dataset_about(data);
    const jsn_split split = jsn_dataset_about(data)->main_split;
    jsn_noise_input_init(in);
    in->samples = jsn_dataset_samples(data, split);
    in->labels = jsn_dataset_labels(data, split);
    in->classes = traits->classes;
    in->asymmetric = traits->asymmetric;
    in->seed = (uint64_t)v->seed;
    *paths = calloc(in->samples + 1, sizeof **paths);
    *names = calloc(in->classes + 1, sizeof **names);
    if (*paths == NULL || *names == NULL)
        return JSN_ERR_MEMORY;
    for (size_t i = 0; i < in->samples; i++)
        (*paths)[i] = jsn_dataset_path(data, split, i);
    for (size_t c = 0; c < in->classes; c++)
        (*names)[c] = jsn_dataset_class(data, c);
    in->paths = *paths;
    in->class_names = *names;
    return JSN_OK;
}

/* The label that most changed samples of class `c` got; classes when none changed. */
static size_t main_target(const jsn_noise_result *r, size_t c)
{
    size_t best = r->classes;
    for (size_t d = 0; r->transitions != NULL && d < r->classes; d++)
        if (d != c && r->transitions[c * r->classes + d] > 0 &&
            (best == r->classes || r->transitions[c * r->classes + d] >
                                       r->transitions[c * r->classes + best]))
            best = d;
    return best;
}

static void show_classes(cli_record *r, const jsn_noise_input *in,
                         const jsn_noise_result *n)
{
    enum { LEAST_NAME = 24 };
    size_t width = LEAST_NAME;
    for (size_t c = 0; c < n->classes; c++) {
        const size_t name = cli_cell_width(in->class_names[c]);
        width = name > width ? name : width;
    }
    cli_words(r, "\n");
    cli_cell_left(r, "class", width);
    cli_words(r, " %8s  %s\n", "wrong", n->transitions != NULL ? "most often as" : "");
    cli_begin_array(r, "class_rates");
    for (size_t c = 0; c < n->classes; c++) {
        const size_t target = main_target(n, c);
        cli_cell_left(r, in->class_names[c], width);
        cli_field_share(r, NULL, " %7.2f%%", n->class_rates[c]);
        cli_words(r, "  %s\n", target < n->classes ? in->class_names[target] : "-");
    }
    cli_end(r);
    cli_begin_array(r, "class_names");
    for (size_t c = 0; c < n->classes; c++)
        cli_field_text(r, NULL, NULL, in->class_names[c]);
    cli_end(r);
}

static jsn_status describe(const noise_values *v, const jsn_noise_input *in,
                           const jsn_noise_result *n)
{
    cli_record r;
    const jsn_status status = cli_record_open(&r, v->json);
    if (status != JSN_OK)
        return status;
    cli_begin_object(&r, NULL);
    cli_field_text(&r, "noise", "noise     %s", v->noise);
    cli_field_int(&r, "seed", ", seed %lld\n", v->seed);
    cli_field_int(&r, "samples", "samples   %lld", (int64_t)n->samples);
    const bool some = n->listed_samples != n->samples;
    cli_field_int(&r, "listed", some ? ", %lld with a label" : NULL,
                  (int64_t)n->listed_samples);
    if (some)
        cli_words(&r, ", %zu left for validation", n->samples - n->listed_samples);
    cli_field_int(&r, "drawn", "\ndrawn     %lld\n", (int64_t)n->drawn);
    cli_field_int(&r, "changed", "changed   %lld\n", (int64_t)n->changed);
    cli_field_share(&r, "nominal_rate", "nominal   %.2f%%\n", n->nominal_rate);
    cli_field_share(&r, "real_rate", "real      %.2f%%\n", n->real_rate);
    cli_field_real(&r, "factor", isnan(n->factor) ? NULL : "factor    %.17g\n",
                   n->factor);
    show_classes(&r, in, n);
    cli_end(&r);
    return cli_record_close(&r);
}

static jsn_status make_noise(const noise_values *v, const jsn_noise *noise,
                             const jsn_noise_input *in)
{
    jsn_noise_result result = {0};
    jsn_status status = jsn_noise_apply(noise, in, &result);
    if (status == JSN_OK && v->out != NULL)
        status = jsn_noise_write_csv(in, &result, v->out);
    if (status == JSN_OK && v->matrix != NULL)
        status = jsn_noise_write_matrix(&result, v->matrix);
    if (status == JSN_OK)
        status = describe(v, in, &result);
    jsn_noise_result_release(&result);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const noise_values *v = values;
    if (args->count != 1)
        return cli_usage("needs one data set, got %zu", args->count);
    const char **paths = NULL, **names = NULL;
    jsn_dataset *data = NULL;
    jsn_noise *noise = NULL;
    jsn_noise_input in;
    jsn_array posteriors = {0};
    jsn_status status = jsn_noise_create(&noise, v->noise);
    if (status == JSN_OK) {
        jsn_dataset_options opening;
        jsn_dataset_options_init(&opening);
        opening.logger = cli_logger();
        status = jsn_dataset_open(&data, args->items[0], &opening);
    }
    if (status == JSN_OK)
        status = make_input(data, v, &in, &paths, &names);
    if (status == JSN_OK && in.classes < 2)
        status = cli_fail(JSN_ERR_DATA,
                          "%s: one class only ('%s'); label noise needs at least two",
                          args->items[0], names[0]);
    if (status == JSN_OK && jsn_noise_about(noise).run != NULL) {
        status = jsn_run_posteriors(jsn_noise_about(noise).run, in.paths, in.samples,
                                    in.classes, &posteriors);
        in.posteriors = posteriors.data;
    }
    if (status == JSN_OK)
        status = make_noise(v, noise, &in);
    jsn_array_release(&posteriors);
    free(paths);
    free(names);
    jsn_dataset_close(data);
    jsn_noise_destroy(noise);
    return status;
}

const cli_command cli_command_noise = {
    .name = "noise",
    .summary = "make, inspect, import and export noisy labels",
    .usage = "DATA [--noise SPEC] [--seed N] [--out FILE] [--matrix FILE] [--json]",
    .details =
        "Prints the nominal rate, and the share of labels that really changed,\n"
        "overall and per class. The noise specs file:PATH and matrix:PATH read the\n"
        "files that --out and --matrix write.\n\n"
        "  jensen noise cifar10:data --noise sym:rate=0.4 --seed 1 --out labels.csv\n"
        "  jensen noise cifar10:data --noise file:cifar10n.csv.xz,column=worse\n"
        "  jensen noise photos --noise asym:rate=0.2,mode=next --matrix m.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(noise_values),
    .run = run,
};
