/* cli/bench/command_bench_predict.c - times inference: the logits of a batch of images that are
 * in memory, decoded and normalised; and the prediction of image files beside its parts. */
#include <math.h>
#include <stdlib.h>

#include "cli/bench/cli_bench.h"
#include "cli/bench/cli_files.h"
#include "cli/bench/cli_step.h"
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "jensen/model.h"

typedef struct bench_values {
    char *network, *device, *precision, *run, *images;
    int64_t batch, threads, classes, size, repeats;
    bool json;
} bench_values;

static const jsn_option_info options[] = {
    CLI_NETWORK_ROW(bench_values, "efficientnet-lite0", "network"),
    CLI_BATCH_ROW(
        bench_values, NULL, 1e6,
        "images at a time; else 32, and 64 with --images, as 'predict' has it"),
    CLI_CLASSES_ROW(bench_values, "10", "number of classes"),
    CLI_IMAGE_SIZE_ROW(bench_values),
    {"repeats", 0, JSN_OPTION_INT, "5", 1, CLI_MOST_STEPS, NULL, "N",
     "timed batches, or rounds with --images, after one that is not",
     offsetof(bench_values, repeats)},
    {"run", 'r', JSN_OPTION_TEXT, NULL, 0, 0, NULL, "RUN",
     "with --images: a run, or weights of the cache, instead of a network with random "
     "weights",
     offsetof(bench_values, run)},
    {"images", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "DIR",
     "also read the images of this folder, as 'predict' does: network alone, reading "
     "alone, and both, in turn",
     offsetof(bench_values, images)},
    CLI_THREADS_ROW(bench_values),
    CLI_DEVICE_ROW(bench_values, "auto, cpu, ref, onednn, cuda"),
    CLI_PRECISION_ROW(bench_values, "arithmetic of the device"),
    CLI_JSON_ROW(bench_values, "one JSON object"),
};

/* One batch, again and again; the first time is not counted. */
static jsn_status time_batches(jsn_model *model, const bench_values *v,
                               const float *images, float *logits, cli_bench *bench)
{
    double times[CLI_MOST_STEPS];
    for (int64_t i = 0; i <= v->repeats; i++) {
        const double before = cli_seconds();
        const jsn_status status =
            jsn_model_evaluate(model, images, (size_t)v->batch, logits);
        if (status != JSN_OK)
            return status;
        if (i > 0)
            times[i - 1] = cli_seconds() - before;
    }
    cli_bench_take(bench, times, (size_t)v->repeats);
    bench->images = (double)v->batch;
    bench->limit = NAN;
    bench->how = "not measured; 'jensen bench step --limit' has the layers";
    bench->peak_mib = cli_peak_mib();
    return JSN_OK;
}

static jsn_status print_json(const bench_values *v, const jsn_model_info *m,
                             const cli_bench *bench)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "predict");
    jsni_json_put_text(w, "network", v->network);
    jsni_json_put_int(w, "batch", v->batch);
    jsni_json_put_int(w, "threads", v->threads);
    jsni_json_put_text(w, "backend", m->backend);
    jsni_json_put_text(w, "device", m->device);
    jsni_json_put_text(w, "precision", v->precision);
    cli_bench_put(bench, w);
    jsni_json_put_real(w, "gflops_best",
                       2e-9 * (double)m->multiplies * bench->images / bench->best);
    jsni_json_put_int(w, "planned_bytes", (int64_t)cli_step_planned(m));
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status print_result(const bench_values *v, const jsn_model *model,
                               const cli_bench *bench)
{
    const jsn_model_info m = jsn_model_describe(model);
    if (v->json)
        return print_json(v, &m, bench);
    cli_print("%s, batch %lld on %s (%s): median %.4f s, best %.4f s, %.0f images/s, "
              "%.0f MiB planned, %.0f MiB peak\n",
              v->network, (long long)v->batch, m.backend, m.device, bench->median,
              bench->best, bench->images / bench->median,
              (double)cli_step_planned(&m) / 1048576.0, bench->peak_mib);
    return JSN_OK;
}

static jsn_status print_files_json(const bench_values *v, const cli_files *f)
{
    const double images = (double)f->images;
    const cli_bench bench = {
        .median = f->median[CLI_FILES_WHOLE],
        .best = f->best[CLI_FILES_WHOLE],
        .images = images,
        .limit = cli_files_slower(f),
        .how = "the slower of the network alone and reading alone, measured in turn in "
               "this run"};
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "predict files");
    jsni_json_put_text(w, "run", v->run);
    jsni_json_put_int(w, "batch", (int64_t)f->options.batch);
    jsni_json_put_int(w, "threads", v->threads);
    jsni_json_put_int(w, "size", (int64_t)f->size);
    jsni_json_put_int(w, "rounds", (int64_t)f->rounds);
    cli_bench_put(&bench, w);
    jsni_json_put_real(w, "network_images_per_second",
                       images / f->median[CLI_FILES_NETWORK]);
    jsni_json_put_real(w, "reading_images_per_second",
                       images / f->median[CLI_FILES_READING]);
    jsni_json_put_real(w, "in_turn_images_per_second", images / cli_files_in_turn(f));
    jsni_json_put_real(w, "share_of_the_slower", f->share);
    jsni_json_put_real(w, "share_low", f->share_low);
    jsni_json_put_real(w, "share_high", f->share_high);
    jsni_json_put_real(w, "start_seconds", f->start);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status print_files(const bench_values *v, const cli_files *f)
{
    const double images = (double)f->images;
    if (v->json)
        return print_files_json(v, f);
    cli_print("%s, %zu images, batch %zu, medians of %zu rounds\n", v->run, f->images,
              f->options.batch, f->rounds);
    cli_print("network alone  %7.1f images/s\n", images / f->median[CLI_FILES_NETWORK]);
    cli_print("reading alone  %7.1f images/s\n", images / f->median[CLI_FILES_READING]);
    cli_print("in turn        %7.1f images/s, from the two above\n",
              images / cli_files_in_turn(f));
    cli_print(
        "both           %7.1f images/s, %.1f%% of the slower one (%.1f to %.1f%%, "
        "the middle half of the rounds)\n",
        images / f->median[CLI_FILES_WHOLE], 100.0 * f->share, 100.0 * f->share_low,
        100.0 * f->share_high);
    cli_print("start          %7.3f s until the network is ready, not counted above\n",
              f->start);
    return JSN_OK;
}

static jsn_status run_files(const bench_values *v)
{
    cli_files files = {.path = v->images, .rounds = (size_t)v->repeats};
    jsn_classifier_options *o = &files.options;
    jsn_classifier_options_init(o);
    o->run = v->run;
    o->device = v->device;
    o->threads = (size_t)v->threads;
    if (v->batch != JSN_OPTION_INT_UNSET)
        o->batch = (size_t)v->batch;
    jsn_status status = jsn_precision_parse(v->precision, &o->precision);
    if (status == JSN_OK)
        status = cli_files_run(&files);
    return status == JSN_OK ? print_files(v, &files) : status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    bench_values *v = values;
    jsn_model_options o;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if ((v->run == NULL) != (v->images == NULL))
        return cli_usage("--run and --images go together");
    if (v->run != NULL)
        return run_files(v);
    if (v->batch == JSN_OPTION_INT_UNSET)
        v->batch = 32;
    jsn_status status = cli_step_options(&o, v->network, v->classes, v->size);
    if (status == JSN_OK)
        status = jsn_precision_parse(v->precision, &o.precision);
    if (status != JSN_OK)
        return status;
    o.device = v->device;
    o.batch = (size_t)v->batch;
    o.threads = (size_t)v->threads;
    jsn_model *model = NULL;
    cli_bench bench = {0};
    float *images = NULL, *logits = NULL;
    /* The model first: it knows whether the batch fits. */
    status = jsn_model_create(&model, &o);
    if (status == JSN_OK)
        status = jsn_model_init(model, 1);
    if (status != JSN_OK)
        goto done;
    const size_t count = o.batch * o.channels * o.height * o.width;
    images = malloc(count * sizeof *images);
    logits = malloc(o.batch * o.classes * sizeof *logits);
    if (images == NULL || logits == NULL) {
        status = JSN_ERR_MEMORY;
        goto done;
    }
    cli_step_fill(images, count);
    status = time_batches(model, v, images, logits, &bench);
    if (status == JSN_OK)
        status = print_result(v, model, &bench);
done:
    free(images);
    free(logits);
    jsn_model_destroy(model);
    return status;
}

const cli_command cli_command_bench_predict = {
    .name = "bench predict",
    .summary = "images a second of a network in inference",
    .usage = "[OPTIONS]",
    .details =
        "The images are in memory, decoded and normalised. The weights are random.\n"
        "Peak memory is that of the process so far.\n\n"
        "With --run and --images it measures what 'predict RUN DIR' does, too: the\n"
        "network alone on tensors in memory, reading alone (files to tensors), and\n"
        "both, by the same threads. Each round measures all three, so a machine that\n"
        "becomes slower does so for all. The share is that of the rate of the slower\n"
        "one; the median of the rounds. 'in turn' is what the two rates give when one\n"
        "waits for the other. --network, --classes and --size do not count then: the\n"
        "run has its own.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(bench_values),
    .run = run,
};
