/* cli/command_noise.c - makes, inspects, imports and exports noisy labels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_cell.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
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
     "model or file of the noise; 'jensen show noise' lists them",
     offsetof(noise_values, noise)},
    CLI_SEED_ROW(noise_values),
    CLI_OUT_ROW(noise_values, NULL, "FILE", "CSV to write: path,given,noisy"),
    {"matrix", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "CSV to write: share of each label a class, as counted",
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
    const jsn_split split = jsn_dataset_main_split(data);
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

static jsn_status print_json(const noise_values *v, const jsn_noise_input *in,
                             const jsn_noise_result *r)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "noise", v->noise);
    jsni_json_put_int(w, "seed", v->seed);
    jsni_json_put_int(w, "samples", (int64_t)r->samples);
    jsni_json_put_int(w, "listed", (int64_t)r->listed_samples);
    jsni_json_put_int(w, "drawn", (int64_t)r->drawn);
    jsni_json_put_int(w, "changed", (int64_t)r->changed);
    jsni_json_put_real(w, "nominal_rate", r->nominal_rate);
    jsni_json_put_real(w, "real_rate", r->real_rate);
    jsni_json_put_real(w, "factor", r->factor);
    jsni_json_begin_array(w, "class_rates");
    for (size_t c = 0; c < r->classes; c++)
        jsni_json_put_real(w, NULL, r->class_rates[c]);
    jsni_json_end(w);
    jsni_json_begin_array(w, "class_names");
    for (size_t c = 0; c < r->classes; c++)
        jsni_json_put_text(w, NULL, in->class_names[c]);
    jsni_json_end(w);
    jsni_json_end(w);
    return cli_print_json(w);
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

static void print_text(const noise_values *v, const jsn_noise_input *in,
                       const jsn_noise_result *r)
{
    enum { LEAST_NAME = 24 };
    cli_print("noise     %s, seed %lld\n", v->noise, (long long)v->seed);
    cli_print("samples   %zu", r->samples);
    if (r->listed_samples != r->samples)
        cli_print(", %zu with a label, %zu left for validation", r->listed_samples,
                  r->samples - r->listed_samples);
    cli_print("\ndrawn     %zu\nchanged   %zu\n", r->drawn, r->changed);
    if (!isnan(r->nominal_rate))
        cli_print("nominal   %.2f%%\n", 100.0 * r->nominal_rate);
    cli_print("real      %.2f%%\n", 100.0 * r->real_rate);
    if (!isnan(r->factor))
        cli_print("factor    %.17g\n", r->factor);
    size_t width = LEAST_NAME;
    for (size_t c = 0; c < r->classes; c++) {
        const size_t name = cli_cell_width(in->class_names[c]);
        width = name > width ? name : width;
    }
    cli_print("\n");
    cli_put_left("class", width);
    cli_print(" %8s  %s\n", "wrong", r->transitions != NULL ? "most often as" : "");
    for (size_t c = 0; c < r->classes; c++) {
        const size_t target = main_target(r, c);
        cli_put_left(in->class_names[c], width);
        cli_print(" %7.2f%%  %s\n", 100.0 * r->class_rates[c],
                  target < r->classes ? in->class_names[target] : "-");
    }
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
    if (status == JSN_OK && v->json)
        status = print_json(v, in, &result);
    else if (status == JSN_OK)
        print_text(v, in, &result);
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
    if (status == JSN_OK && jsn_noise_run(noise) != NULL) {
        status = jsn_run_posteriors(jsn_noise_run(noise), in.paths, in.samples,
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
        "Prints the nominal rate, the share of labels that really changed, and that "
        "of\n"
        "every class. The files that --out and --matrix write are read by the noise\n"
        "specs file:PATH and matrix:PATH.\n\n"
        "  jensen noise cifar10:data --noise sym:rate=0.4 --seed 1 --out labels.csv\n"
        "  jensen noise cifar10:data --noise file:cifar10n.csv.xz,column=worse\n"
        "  jensen noise photos --noise asym:rate=0.2,mode=next --matrix m.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(noise_values),
    .run = run,
};
