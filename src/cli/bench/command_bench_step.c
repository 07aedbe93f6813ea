/* cli/bench/command_bench_step.c - times a training step: forward, loss, backward and update
 * on data that is already on the device. */
#include <math.h>
#include <stdio.h>

#include "backend/model.h"
#include "cli/bench/cli_bench.h"
#include "cli/bench/cli_layers.h"
#include "cli/bench/cli_step.h"
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/machine.h"
#include "core/words.h"
#include "jensen/loss.h"
#include "jensen/model.h"

typedef struct bench_values {
    char *network, *loss, *device, *precision, *optimizer;
    int64_t batch, views, threads, classes, size, steps;
    bool json, limit;
} bench_values;

static const jsn_option_info options[] = {
    CLI_NETWORK_ROW(bench_values, "preactresnet34", "network"),
    CLI_LOSS_ROW(bench_values, NULL,
                 "loss; without it ce and gjs:pi1=0.5 are both timed"),
    CLI_BATCH_ROW(bench_values, "128", 1e6, "samples of a step"),
    {"views", 0, JSN_OPTION_INT, NULL, 1, 16, NULL, "N",
     "views of a sample (default: what the loss needs)", offsetof(bench_values, views)},
    CLI_CLASSES_ROW(bench_values, "10", "number of classes"),
    CLI_IMAGE_SIZE_ROW(bench_values),
    {"steps", 0, JSN_OPTION_INT, "5", 1, CLI_MOST_STEPS, NULL, "N",
     "timed steps, after one that is not", offsetof(bench_values, steps)},
    {"optimizer", 0, JSN_OPTION_TEXT, "sgd", 0, 0, NULL, "SPEC", "update rule",
     offsetof(bench_values, optimizer)},
    CLI_THREADS_ROW(bench_values),
    CLI_DEVICE_ROW(bench_values, "auto, cpu, ref, onednn, cuda"),
    CLI_PRECISION_ROW(bench_values, "arithmetic of the device"),
    {"limit", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "also the time of every layer, that of the library's primitives alone, and the "
     "share of it reached",
     offsetof(bench_values, limit)},
    CLI_JSON_ROW(bench_values,
                 "one JSON object per case, with the implementation of every layer"),
};

/* Forward, and backward twice that: two operations a multiply-add. */
static double gflops(const cli_step *c, const jsn_model_info *m)
{
    return 6e-9 * (double)m->multiplies * (double)(c->views * c->options.batch) /
           c->best;
}

/* What reading the images and the weights once takes; NaN on a GPU, which keeps them in a
 * memory of its own. */
static double read_limit(const cli_step *c)
{
    const jsn_model_options *o = &c->options;
    const jsn_model_info m = jsn_model_describe(c->model);
    jsni_machine machine;
    jsni_machine_probe(&machine);
    const size_t cores = o->threads == 0 ? machine.cores : o->threads;
    const size_t threads = cores < CLI_BENCH_THREADS ? cores : CLI_BENCH_THREADS;
    const double image = (double)(o->channels * o->height * o->width * sizeof(float));
    double images = 0.0, weights = 0.0;
    if (m.gpu ||
        cli_bench_read((double)(c->views * o->batch), image, threads, &images) !=
            JSN_OK ||
        cli_bench_read(1.0, (double)m.memory_parameters, threads, &weights) != JSN_OK)
        return NAN;
    return images + weights;
}

/* `l` may be NULL: the layers' limit takes longer to measure than the step. */
static void put_times(const cli_step *c, const cli_layers *l, jsni_json_writer *w)
{
    const double read = l != NULL ? NAN : read_limit(c);
    const cli_bench bench = {
        .median = c->median,
        .best = c->best,
        .images = (double)(c->views * c->options.batch),
        .limit = l != NULL ? l->limit : read,
        .how = l != NULL     ? cli_layers_limit(c->model)
               : isnan(read) ? "not measured in this run; --limit measures it"
                             : "a copy of the images and the weights in memory, once; "
                               "--limit measures that of the layers",
        .peak_mib = c->peak_mib};
    cli_bench_put(&bench, w);
    if (l != NULL)
        jsni_json_put_real(w, "layers_seconds", l->run);
}

/* `l` may be NULL. */
static jsn_status print_json(const bench_values *v, const cli_step *c,
                             const cli_layers *l)
{
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    const jsn_model_info m = jsn_model_describe(c->model);
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "step");
    jsni_json_put_text(w, "network", v->network);
    jsni_json_put_text(w, "loss", c->loss);
    jsni_json_put_int(w, "batch", v->batch);
    jsni_json_put_int(w, "views", (int64_t)c->views);
    jsni_json_put_int(w, "threads", v->threads);
    jsni_json_put_text(w, "backend", m.backend);
    jsni_json_put_text(w, "device", m.device);
    jsni_json_put_text(w, "precision", v->precision);
    put_times(c, l, w);
    jsni_json_put_real(w, "processor_seconds", c->processor);
    jsni_json_put_real(w, "first_step_seconds", c->first);
    jsni_json_put_real(w, "first_step_clock", c->first_end);
    jsni_json_put_real(w, "gflops_best", gflops(c, &m));
    jsni_json_put_real(w, "loss_value", c->value);
    jsni_json_put_int(w, "planned_bytes", (int64_t)cli_step_planned(&m));
    jsni_json_begin_array(w, "layers");
    for (size_t i = 0; i < m.layers; i++) {
        jsni_json_begin_object(w, NULL);
        jsni_json_put_text(w, "name", jsni_model_layer(c->model, i));
        jsni_json_put_text(w, "implementation", jsni_model_implementation(c->model, i));
        if (l != NULL)
            cli_layers_json(l, i, w);
        jsni_json_end(w);
    }
    jsni_json_end(w);
    jsni_json_end(w);
    return cli_print_json(w);
}

static void print_text(const bench_values *v, const cli_step *c, const cli_layers *l)
{
    const jsn_model_info m = jsn_model_describe(c->model);
    const jsn_logger *log = cli_logger();
    for (size_t i = 0; i < m.layers; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%-28s %s", jsni_model_layer(c->model, i),
                       jsni_model_implementation(c->model, i));
        if (log->message != NULL)
            log->message(log->user, JSN_LOG_DEBUG, line);
    }
    cli_print("%s %s, batch %lld x %zu %s on %s (%s): median %.4f s, best %.4f s, "
              "%.0f images/s, %.1f GFLOP/s, first step after %.2f s, %.0f MiB "
              "planned, %.0f MiB peak\n",
              v->network, c->loss, (long long)v->batch, c->views,
              jsni_noun(c->views, "view", "views"), m.backend, m.device, c->median,
              c->best, (double)(c->views * c->options.batch) / c->median, gflops(c, &m),
              c->first, (double)cli_step_planned(&m) / 1048576.0, c->peak_mib);
    if (l != NULL)
        cli_layers_print(l, c->model, c->median);
}

static jsn_status print_case(const bench_values *v, const cli_step *c)
{
    cli_layers layers = {0};
    jsn_status status = JSN_OK;
    if (v->limit)
        status = cli_layers_time(&layers, c->model);
    if (status == JSN_OK && v->json)
        status = print_json(v, c, v->limit ? &layers : NULL);
    else if (status == JSN_OK)
        print_text(v, c, v->limit ? &layers : NULL);
    cli_layers_release(&layers);
    return status;
}

static jsn_status run_case(const bench_values *v, const char *spec)
{
    cli_step c = {.loss = spec, .steps = (size_t)v->steps};
    jsn_status status = jsn_loss_check(spec, &c.views);
    if (status != JSN_OK)
        return status;
    if (v->views != JSN_OPTION_INT_UNSET)
        c.views = (size_t)v->views;
    status = cli_step_options(&c.options, v->network, v->classes, v->size);
    if (status != JSN_OK)
        return status;
    c.options.device = v->device;
    c.options.batch = (size_t)v->batch;
    c.options.views = c.views;
    c.options.threads = (size_t)v->threads;
    c.options.optimiser = v->optimizer;
    status = jsn_precision_parse(v->precision, &c.options.precision);
    if (status == JSN_OK)
        status = cli_step_run(&c);
    if (status == JSN_OK)
        status = print_case(v, &c);
    jsn_model_destroy(c.model);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const bench_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->loss != NULL)
        return run_case(v, v->loss);
    const jsn_status status = run_case(v, "ce");
    return status == JSN_OK ? run_case(v, "gjs:pi1=0.5") : status;
}

const cli_command cli_command_bench_step = {
    .name = "bench step",
    .summary = "time of a training step on resident data",
    .usage = "[OPTIONS]",
    .details =
        "Forward, loss, backward and update. -v names the implementation of every\n"
        "layer. Peak memory is that of the process so far.\n"
        "--limit prints what each layer takes within a step, and beside it what the\n"
        "library's primitives take for it alone (oneDNN's, for --device cpu; on a\n"
        "GPU what its bytes and products take at the rates of the card).",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(bench_values),
    .run = run,
};
