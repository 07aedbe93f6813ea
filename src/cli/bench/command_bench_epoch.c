/* cli/bench/command_bench_epoch.c - times whole epochs: loading and augmentation included,
 * then evaluation as well, beside the same step on resident data, which is
 * their limit. A GPU that holds the images runs the steps of an epoch as recorded graphs;
 * there the limit is the steps of epochs without augmentation. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/cli_bench.h"
#include "cli/bench/cli_step.h"
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "data/dataset_part.h"
#include "jensen/loss.h"
#include "jensen/train.h"

typedef struct epoch_values {
    char *data, *network, *loss, *augment, *device, *precision;
    int64_t batch, views, threads, workers, steps, size;
    bool json;
    jsn_texts limit;
} epoch_values;

static const jsn_option_info options[] = {
    {"data", 0, JSN_OPTION_TEXT, "builtin:size=4096,test=100", 0, 0, NULL, "DATA",
     "data set", offsetof(epoch_values, data)},
    CLI_NETWORK_ROW(epoch_values, "preactresnet34", "network"),
    CLI_LOSS_ROW(epoch_values, "gjs:pi1=0.5", "loss"),
    {"augment", 'a', JSN_OPTION_TEXT, "strong", 0, 0, NULL, "SPEC", "augmentation",
     offsetof(epoch_values, augment)},
    CLI_BATCH_ROW(epoch_values, "128", 65536, "samples of a step"),
    {"views", 0, JSN_OPTION_INT, NULL, 1, 16, NULL, "N",
     "views of a sample (default: what the loss needs)", offsetof(epoch_values, views)},
    {"size", 's', JSN_OPTION_INT, NULL, 8, 1024, NULL, "N",
     "height and width of the images (default: what train chooses)",
     offsetof(epoch_values, size)},
    {"steps", 0, JSN_OPTION_INT, "10", 1, CLI_MOST_STEPS, NULL, "N",
     "steps of an epoch at most", offsetof(epoch_values, steps)},
    CLI_THREADS_ROW(epoch_values),
    {"workers", 0, JSN_OPTION_INT, NULL, 0, 64, NULL, "N",
     "threads that load and augment (default: what train chooses)",
     offsetof(epoch_values, workers)},
    CLI_DEVICE_ROW(epoch_values, "auto, cpu, ref, onednn, cuda"),
    CLI_PRECISION_ROW(epoch_values, "arithmetic of the device"),
    CLI_LIMIT_ROW(epoch_values),
    CLI_JSON_ROW(epoch_values, "one JSON object on stdout"),
};

/* What an epoch is held to. */
typedef struct epoch_limit {
    cli_step step;
    bool recorded; /* the rate is of recorded steps */
    double rate;   /* images a second */
} epoch_limit;

static jsn_status set_int(jsn_train_config *config, const char *name, int64_t value)
{
    char text[32];
    if (value == JSN_OPTION_INT_UNSET)
        return JSN_OK;
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    return jsn_train_config_set(config, name, text);
}

/* Two epochs into a folder that is thrown away; the first one warms up. */
static jsn_status train(const epoch_values *v, const char *augment, const char *folder,
                        jsn_train_config *config, jsn_train_result *result)
{
    const struct {
        const char *name, *value;
    } texts[] = {
        {"data", v->data},        {"network", v->network}, {"loss", v->loss},
        {"augment", augment},     {"device", v->device},   {"precision", v->precision},
        {"consistency", "never"}, {"epochs", "2"},         {"lr", "0.01"},
        {"val-fraction", "0"},    {"out", folder}};
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < sizeof texts / sizeof texts[0]; i++)
        status = jsn_train_config_set(config, texts[i].name, texts[i].value);
    if (status == JSN_OK)
        status = set_int(config, "batch", v->batch);
    if (status == JSN_OK)
        status = set_int(config, "views", v->views);
    if (status == JSN_OK)
        status = set_int(config, "threads", v->threads);
    if (status == JSN_OK)
        status = set_int(config, "workers", v->workers);
    if (status == JSN_OK)
        status = set_int(config, "max-steps", v->steps);
    if (status == JSN_OK)
        status = set_int(config, "image-size", v->size);
    return status == JSN_OK ? jsn_train(config, NULL, NULL, NULL, result) : status;
}

/* The same step without loading. */
static jsn_status time_limit(const jsn_train_config *config, size_t classes,
                             cli_step *step)
{
    step->loss = config->loss;
    step->views = (size_t)config->views;
    jsn_model_options_init(&step->options);
    step->options.network = config->network;
    step->options.classes = classes;
    step->options.height = step->options.width = (size_t)config->image_size;
    step->options.device = config->device;
    step->options.batch = (size_t)config->batch;
    step->options.views = step->views;
    step->options.threads = (size_t)config->threads;
    step->options.optimiser = "sgd";
    const jsn_status status =
        jsn_precision_parse(config->precision, &step->options.precision);
    return status == JSN_OK ? cli_step_run(step) : status;
}

/* Whether a GPU takes the images of the data from its own memory: train has the same
 * condition. Others come from the loaders, as files do, and say nothing about a limit. */
static jsn_status find_resident(const epoch_values *v, const jsn_train_config *config,
                                bool *resident)
{
    const size_t size = (size_t)config->image_size;
    jsn_dataset *data = NULL;
    const jsn_status status = jsn_dataset_open(&data, v->data, NULL);
    if (status == JSN_OK) {
        const jsn_dataset_traits *traits = jsn_dataset_about(data);
        *resident = traits->width == size && traits->height == size &&
                    jsni_dataset_pixels(data, traits->main_split) != NULL;
    }
    jsn_dataset_close(data);
    return status;
}

/* Images a second that the epoch is held to. */
static jsn_status find_limit(const epoch_values *v, const char *folder,
                             const jsn_train_config *trained, epoch_limit *limit)
{
    char other[320];
    const cli_step *step = &limit->step;
    jsn_train_config config;
    jsn_train_result result;
    limit->rate = (double)(step->views * step->options.batch) / step->median;
    if (!jsn_model_describe(step->model).gpu)
        return JSN_OK;
    jsn_status status = find_resident(v, trained, &limit->recorded);
    if (status != JSN_OK || !limit->recorded)
        return status;
    (void)snprintf(other, sizeof other, "%s/plain", folder);
    jsn_train_config_clear(&config);
    status = train(v, "none", other, &config, &result);
    if (status == JSN_OK)
        limit->rate = result.images_per_second;
    jsn_train_config_release(&config);
    return status;
}

static jsn_status print_result(const epoch_values *v, const jsn_train_config *trained,
                               const jsn_train_result *result, const epoch_limit *held)
{
    const cli_step *step = &held->step;
    const double limit = held->rate;
    const double share = result->images_per_second / limit;
    const double whole = result->epoch_rate;
    jsni_json_writer *w = NULL;
    if (!v->json) {
        cli_print("%s %s, batch %lld x %zu %s: %.0f images/s with loading and "
                  "augmentation, %.0f images/s on resident data: %.1f%% of it; with "
                  "evaluation too %.0f images/s, %.1f%%; %.0f MiB peak\n",
                  v->network, v->loss, (long long)v->batch, step->views,
                  jsni_noun(step->views, "view", "views"), result->images_per_second,
                  limit, 100.0 * share, whole, 100.0 * whole / limit, cli_peak_mib());
        return JSN_OK;
    }
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "epoch");
    jsni_json_put_text(w, "data", v->data);
    jsni_json_put_text(w, "network", v->network);
    jsni_json_put_text(w, "loss", v->loss);
    jsni_json_put_int(w, "batch", v->batch);
    jsni_json_put_int(w, "views", (int64_t)step->views);
    jsni_json_put_int(w, "image_size", trained->image_size);
    jsni_json_put_text(w, "augment", trained->augment);
    jsni_json_put_int(w, "threads", v->threads);
    jsni_json_put_int(w, "workers", trained->workers);
    jsni_json_put_text(w, "device", jsn_model_describe(step->model).device);
    /* An epoch is timed as a whole: the time of a step is its mean. */
    const double images = (double)(step->views * step->options.batch);
    const cli_bench bench = {
        .median = images / result->images_per_second,
        .best = images / result->images_per_second,
        .images = images,
        .limit = images / limit,
        .how = held->recorded ? "recorded steps without augmentation, same process"
                              : "median step on resident data, same process"};
    cli_bench_put(&bench, w);
    jsni_json_put_real(w, "whole_images_per_second", whole);
    jsni_json_put_real(w, "whole_share", whole / limit);
    jsni_json_end(w);
    return cli_print_json(w);
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const epoch_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    const char *base = getenv("TMPDIR");
    char folder[256];
    (void)snprintf(folder, sizeof folder, "%s/jensen-bench-XXXXXX",
                   base == NULL ? "/tmp" : base);
    if (mkdtemp(folder) == NULL)
        return cli_usage("no temporary folder can be made as %s", folder);
    jsn_train_config config;
    jsn_train_result result;
    epoch_limit limit = {.step = {.steps = (size_t)v->steps}};
    jsn_train_config_clear(&config);
    char trained[320];
    (void)snprintf(trained, sizeof trained, "%s/run", folder);
    jsn_status status = train(v, v->augment, trained, &config, &result);
    if (status == JSN_OK)
        status = time_limit(&config, result.classes, &limit.step);
    if (status == JSN_OK)
        status = find_limit(v, folder, &config, &limit);
    if (status == JSN_OK)
        status = print_result(v, &config, &result, &limit);
    jsn_model_destroy(limit.step.model);
    jsn_train_config_release(&config);
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return status;
}

const cli_command cli_command_bench_epoch = {
    .name = "bench epoch",
    .summary = "speed with loading and augmentation, beside the bare step",
    .usage = "[OPTIONS]",
    .details =
        "Trains two short epochs into a temporary folder and times the second: its\n"
        "steps with loading and augmentation, and all of it with evaluation too. In\n"
        "JSON the times are those of a step, the mean over the epoch.\n"
        "The limit is the step on resident data; on a GPU that holds the images the\n"
        "recorded steps without augmentation.\n"
        "The second epoch finds decoded images in memory, as in 'jensen train'; with\n"
        "--limit kept=1 it decodes files again, as with more than memory holds.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(epoch_values),
    .run = run,
};
