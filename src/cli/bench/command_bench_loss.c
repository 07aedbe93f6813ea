/* cli/bench/command_bench_loss.c - times the losses beside the traffic that no loss can avoid:
 * reading the logits and writing the gradient once, at the speed of a copy of the same
 * arrays that is measured in turn with the loss. With a device, by its kernels and in its
 * memory. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/loss_device.h"
#include "cli/bench/cli_bench.h"
#include "cli/cli.h"
#include "cli/cli_loss.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/words.h"
#include "jensen/backend.h"
#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { ROUNDS = 7, MOST_TIMES = 20000, MOST_THREADS = 64 };

typedef struct bench_values {
    char *loss, *method, *level, *device;
    int64_t batch, classes, views, threads;
    double seconds;
    bool json;
} bench_values;

static const jsn_option_info options[] = {
    CLI_LOSS_ROW(bench_values, "gjs:pi1=0.5",
                 "loss, or 'all' for every loss of the table"),
    {"method", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "a method with the loss, and the memory of its samples: elr, sop; sop needs "
     "--loss ce",
     offsetof(bench_values, method)},
    CLI_BATCH_ROW(
        bench_values, NULL, 1e8,
        "samples, instead of the five standard sizes (with --classes alone: 128)"),
    CLI_CLASSES_ROW(bench_values, NULL, "classes (with --batch alone: 10)"),
    {"views", 0, JSN_OPTION_INT, NULL, 1, JSN_LOSS_MAX_VIEWS, NULL, "N",
     "views (default: what the loss needs)", offsetof(bench_values, views)},
    {"threads", 't', JSN_OPTION_INT, NULL, 1, MOST_THREADS, NULL, "N",
     "threads (default: 1, then 2)", offsetof(bench_values, threads)},
    {"device", 'd', JSN_OPTION_TEXT, "cpu", 0, 0, NULL, "D",
     "cpu: the library's function; cuda, cuda:1, ref, onednn: as a training step there "
     "runs it, on data that lies there",
     offsetof(bench_values, device)},
    {"level", 0, JSN_OPTION_CHOICE, "auto", 0, 0, "auto|double|plain|avx2|avx512", "L",
     "instruction set", offsetof(bench_values, level)},
    {"seconds", 0, JSN_OPTION_REAL, "0.7", 0.001, 600, NULL, "S",
     "time spent on the loss of a case", offsetof(bench_values, seconds)},
    CLI_JSON_ROW(bench_values, "one JSON object per case"),
};

typedef struct bench_case {
    const char *spec;
    size_t samples, classes, views, threads;
    const char *method;   /* or NULL */
    float *logits, *grad; /* [views][samples][classes] */
    float *memory;        /* [samples][classes] of the method, or NULL */
    int32_t *labels;
    double times[MOST_TIMES];
    size_t count;
    cli_bench bench;
    double mean;
    const char *level; /* instruction set, or the device's backend */
    jsn_device_info device;
} bench_case;

/* Standard-normal numbers times 2, as logits of an untrained network; labels spread. */
static void fill(bench_case *c)
{
    uint64_t state = 88172645463325252u;
    const size_t count = c->views * c->samples * c->classes;
    for (size_t k = 0; k < count; k++) {
        double sum = -6.0;
        for (int i = 0; i < 12; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            sum += (double)(state >> 11) * 0x1p-53;
        }
        c->logits[k] = (float)(2.0 * sum);
        c->grad[k] = 0.0f;
    }
    for (size_t i = 0; i < c->samples; i++)
        c->labels[i] = (int32_t)(i * 7919 % c->classes);
    for (size_t k = 0; c->memory != NULL && k < c->samples * c->classes; k++)
        c->memory[k] = 0.0f;
}

static jsn_status time_loss(bench_case *c, jsn_loss *loss, double seconds)
{
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = c->samples;
    batch.logits = c->logits;
    batch.labels = c->labels;
    batch.memory = c->memory;
    const size_t bytes = c->views * c->samples * c->classes * sizeof *c->grad;
    jsn_loss_result result = {0.0, NULL, c->grad};
    jsn_status status = jsn_loss_eval(loss, &batch, &result); /* warms up */
    c->bench.limit = HUGE_VAL;
    c->count = 0;
    for (int round = 0; round < ROUNDS && status == JSN_OK; round++) {
        c->bench.limit =
            fmin(c->bench.limit, cli_bench_copy(c->grad, c->logits, bytes, c->threads));
        const double end = cli_seconds() + seconds / ROUNDS;
        do {
            const double start = cli_seconds();
            status = jsn_loss_eval(loss, &batch, &result);
            c->times[c->count++] = cli_seconds() - start;
        } while (status == JSN_OK && c->count < MOST_TIMES && cli_seconds() < end);
        if (c->count == MOST_TIMES)
            break;
    }
    c->level = jsni_loss_level_name(jsni_loss_level_used(loss));
    c->mean = result.mean;
    cli_bench_take(&c->bench, c->times, c->count);
    return status;
}

static jsn_status time_on(bench_case *c, jsn_loss *loss, const char *device,
                          double seconds)
{
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = c->samples;
    batch.logits = c->logits;
    batch.labels = c->labels;
    jsni_loss_times times = {.seconds = c->times, .room = MOST_TIMES};
    jsn_status status = jsni_loss_time_on(device, loss, &batch, seconds, &times);
    if (status == JSN_OK)
        status = jsn_device_describe(device, &c->device);
    if (status != JSN_OK)
        return status;
    c->level = c->device.backend;
    c->mean = times.mean;
    c->count = times.count;
    c->bench.limit = times.copy;
    c->bench.how = "best copy of the logits to the gradient on the device, by one CPU "
                   "thread where it is the CPU, in turn with the loss";
    cli_bench_take(&c->bench, c->times, c->count);
    return JSN_OK;
}

static jsn_status print_case(const bench_case *c, bool json)
{
    const double entries = (double)(c->views * c->samples * c->classes);
    const double state = c->method == NULL ? 0.0 : (double)(c->samples * c->classes);
    const double bytes =
        2.0 * sizeof(float) * (entries + state) + 4.0 * (double)c->samples;
    const double best = c->bench.best;
    if (!json) {
        cli_print("%-16s %s%s%6zu x %-5zu %zu %-5s %zu %-7s %-6s best %10.1f us  "
                  "median %10.1f us  %6.3f ns/entry  %5.2f x copy\n",
                  c->spec, c->method == NULL ? "" : c->method,
                  c->method == NULL ? "" : " ", c->samples, c->classes, c->views,
                  jsni_noun(c->views, "view", "views"), c->threads,
                  jsni_noun(c->threads, "thread", "threads"), c->level, best * 1e6,
                  c->bench.median * 1e6, best * 1e9 / entries, best / c->bench.limit);
        return JSN_OK;
    }
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "loss");
    jsni_json_put_text(w, "loss", c->spec);
    if (c->method != NULL)
        jsni_json_put_text(w, "method", c->method);
    jsni_json_put_int(w, "samples", (int64_t)c->samples);
    jsni_json_put_int(w, "classes", (int64_t)c->classes);
    jsni_json_put_int(w, "views", (int64_t)c->views);
    jsni_json_put_int(w, "threads", (int64_t)c->threads);
    jsni_json_put_text(w, "level", c->level);
    if (c->device.text[0] != '\0')
        jsni_json_put_text(w, "device", c->device.text);
    jsni_json_put_int(w, "runs", (int64_t)c->count);
    cli_bench_put(&c->bench, w);
    jsni_json_put_real(w, "ns_per_entry", best * 1e9 / entries);
    jsni_json_put_real(w, "traffic_bytes", bytes);
    jsni_json_put_real(w, "bytes_per_second", bytes / best);
    jsni_json_put_real(w, "limit_bytes_per_second", bytes / c->bench.limit);
    jsni_json_put_real(w, "mean", c->mean);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsni_loss_level level_of(const char *name)
{
    for (int level = JSNI_LOSS_AUTO; level <= JSNI_LOSS_AVX512; level++)
        if (strcmp(name, jsni_loss_level_name((jsni_loss_level)level)) == 0)
            return (jsni_loss_level)level;
    return JSNI_LOSS_AUTO;
}

static bool on_cpu(const bench_values *v)
{
    return strcmp(v->device, "cpu") == 0;
}

static void *lines(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, 64, bytes) == 0 ? memory : NULL;
}

static jsn_status run_case(const bench_values *v, const char *spec, size_t samples,
                           size_t classes, size_t threads)
{
    size_t views = 0;
    jsn_loss *loss = NULL;
    jsn_status status = jsn_loss_check(spec, &views);
    if (status != JSN_OK)
        return status;
    bench_case *c = calloc(1, sizeof *c);
    if (c == NULL)
        return JSN_ERR_MEMORY;
    c->spec = spec;
    c->method = v->method;
    c->samples = samples;
    c->classes = classes;
    c->views = v->views == JSN_OPTION_INT_UNSET ? views : (size_t)v->views;
    c->threads = threads;
    c->bench.images = (double)(c->views * samples);
    c->bench.how = "best copy of the logits to the gradient, the same arrays and "
                   "threads, in turn with the loss";
    const size_t bytes = c->views * samples * classes * sizeof(float);
    c->logits = lines(bytes);
    c->grad = lines(bytes);
    c->labels = lines(samples * sizeof *c->labels);
    c->memory = v->method == NULL ? NULL : lines(samples * classes * sizeof(float));
    if (c->logits == NULL || c->grad == NULL || c->labels == NULL ||
        (v->method != NULL && c->memory == NULL))
        status = JSN_ERR_MEMORY;
    else
        fill(c);
    if (status == JSN_OK)
        status = v->method == NULL ? cli_loss_create(&loss, spec, classes, c->views)
                                   : jsni_loss_create_method(&loss, spec, v->method,
                                                             classes, c->views);
    if (status == JSN_OK)
        status = jsn_loss_set_threads(loss, threads);
    if (status == JSN_OK)
        status = jsni_loss_set_level(loss, level_of(v->level));
    if (status == JSN_OK)
        status = on_cpu(v) ? time_loss(c, loss, v->seconds)
                           : time_on(c, loss, v->device, v->seconds);
    if (status == JSN_OK)
        status = print_case(c, v->json);
    jsn_loss_destroy(loss);
    free(c->logits);
    free(c->grad);
    free(c->labels);
    free(c->memory);
    free(c);
    return status;
}

static jsn_status run_shape(const bench_values *v, size_t samples, size_t classes)
{
    jsn_status status = JSN_OK;
    const bool all = strcmp(v->loss, "all") == 0;
    const bool fixed = v->threads != JSN_OPTION_INT_UNSET;
    for (size_t i = 0; all ? jsn_loss_describe(i) != NULL : i < 1; i++) {
        const char *spec = all ? jsn_loss_describe(i)->name : v->loss;
        const size_t first = fixed ? (size_t)v->threads : 1;
        const size_t last = fixed || !on_cpu(v) ? first : 2;
        for (size_t threads = first; threads <= last && status == JSN_OK; threads++)
            status = run_case(v, spec, samples, classes, threads);
        if (status != JSN_OK)
            break;
    }
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    static const size_t shapes[][2] = {
        {128, 10}, {128, 100}, {1024, 1000}, {65536, 10}, {8192, 1000}};
    const bench_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (!on_cpu(v) &&
        (v->threads != JSN_OPTION_INT_UNSET || strcmp(v->level, "auto") != 0))
        return cli_usage("--threads and --level are those of --device cpu");
    if (!on_cpu(v) && v->method != NULL)
        return cli_usage("--method is timed only on --device cpu");
    const bool batch = v->batch != JSN_OPTION_INT_UNSET;
    const bool classes = v->classes != JSN_OPTION_INT_UNSET;
    if (batch || classes)
        return run_shape(v, batch ? (size_t)v->batch : shapes[0][0],
                         classes ? (size_t)v->classes : shapes[0][1]);
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && status == JSN_OK; i++)
        status = run_shape(v, shapes[i][0], shapes[i][1]);
    return status;
}

const cli_command cli_command_bench_loss = {
    .name = "bench loss",
    .summary = "speed of the losses, value and gradient, compared with a copy",
    .usage = "[--loss SPEC|all] [--batch N] [--classes K] [--views N] [--threads N]",
    .details =
        "float32 logits in memory, value and gradient in one call. The limit is a\n"
        "copy of the logits to the gradient. bench/loss.sh runs the peers beside it.\n"
        "With --device the arrays lie there, and so does the copy.\n\n"
        "  jensen bench loss\n"
        "  jensen bench loss --loss all --batch 1024 --classes 1000 --threads 1\n"
        "  jensen bench loss --device cuda --batch 65536 --classes 1000",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(bench_values),
    .run = run,
};
