/* cli/bench/command_bench_load.c - how long a data set takes to open the first time and again,
 * and how fast its images can then be read, beside a copy of as many pixels. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/bench/cli_bench.h"
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "core/machine.h"
#include "jensen/dataset.h"

enum { MOST_REPEATS = 1000 };

typedef struct load_values {
    int64_t threads, repeats;
    bool json;
    jsn_texts limit;
} load_values;

static const jsn_option_info options[] = {
    CLI_READERS_ROW(load_values),
    {"repeats", 0, JSN_OPTION_INT, "3", 1, MOST_REPEATS, NULL, "N",
     "passes over all images, of which median and best are printed",
     offsetof(load_values, repeats)},
    CLI_LIMIT_ROW(load_values),
    CLI_JSON_ROW(load_values, "one JSON object"),
};

typedef struct load_times {
    double first, again; /* opening, seconds by the clock */
    double first_cpu;    /* processor seconds of the first opening */
    cli_bench pass;      /* reading every image once */
} load_times;

static double processor(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static jsn_status refuse(void *user, jsn_split split, size_t index, const char *reason)
{
    (void)user;
    (void)split;
    (void)index;
    (void)cli_usage("%s", reason);
    return JSN_ERR_DATA;
}

static jsn_status time_passes(const jsn_dataset *data, const load_values *v,
                              cli_bench *pass)
{
    double seconds[MOST_REPEATS];
    jsn_status status = JSN_OK;
    for (int s = 0; s < JSN_SPLITS; s++)
        pass->images += (double)jsn_dataset_samples(data, (jsn_split)s);
    for (int64_t i = 0; status == JSN_OK && i < v->repeats; i++) {
        const double start = cli_seconds();
        for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++)
            status = jsn_dataset_check(data, (jsn_split)s, (size_t)v->threads, NULL,
                                       refuse, NULL, NULL);
        seconds[i] = cli_seconds() - start;
    }
    if (status == JSN_OK)
        cli_bench_take(pass, seconds, (size_t)v->repeats);
    return status;
}

/* Bytes of the pixels of all images; where sizes vary, by those of some of them. */
static jsn_status count_bytes(const jsn_dataset *data, double *bytes)
{
    enum { SOME = 64 };
    jsn_image image = {0};
    jsn_status status = JSN_OK;
    *bytes = 0.0;
    for (int s = 0; s < JSN_SPLITS; s++) {
        const jsn_dataset_traits *about = jsn_dataset_about(data);
        const size_t samples = jsn_dataset_samples(data, (jsn_split)s);
        const size_t step = about->width > 0 ? samples : samples / SOME + 1;
        double sum = 0.0, seen = 0.0;
        for (size_t i = 0; status == JSN_OK && i < samples; i += step, seen += 1.0) {
            status = jsn_dataset_image(data, (jsn_split)s, i, &image);
            if (status == JSN_OK)
                sum += (double)(image.width * image.height * JSN_IMAGE_CHANNELS);
        }
        *bytes += samples > 0 ? sum / seen * (double)samples : 0.0;
    }
    jsn_image_release(&image);
    return status;
}

/* However the images are kept, their pixels are written once a pass. */
static jsn_status time_limit(const jsn_dataset *data, const load_values *v,
                             cli_bench *pass)
{
    jsni_machine machine;
    double bytes = 0.0;
    const jsn_status status = count_bytes(data, &bytes);
    if (status != JSN_OK)
        return status;
    jsni_machine_probe(&machine);
    size_t threads = v->threads > 0 ? (size_t)v->threads : machine.cores;
    threads = threads < CLI_BENCH_THREADS ? threads : CLI_BENCH_THREADS;
    pass->how =
        "best copy of as many pixels, image by image, same threads, in this run";
    return cli_bench_read(pass->images, bytes / pass->images, threads, &pass->limit);
}

static jsn_status measure(const char *spec, const load_values *v, const char *cache,
                          load_times *t)
{
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.threads = (size_t)v->threads;
    how.cache = cache;
    const double cpu = processor();
    double start = cli_seconds();
    jsn_status status = jsn_dataset_open(&data, spec, &how);
    t->first = cli_seconds() - start;
    t->first_cpu = processor() - cpu;
    jsn_dataset_close(data);
    if (status != JSN_OK)
        return status;
    start = cli_seconds();
    status = jsn_dataset_open(&data, spec, &how);
    t->again = cli_seconds() - start;
    if (status == JSN_OK)
        status = time_passes(data, v, &t->pass);
    if (status == JSN_OK)
        status = time_limit(data, v, &t->pass);
    jsn_dataset_close(data);
    return status;
}

static void remove_cache(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[600];
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (dir != NULL)
        (void)closedir(dir);
    (void)rmdir(folder);
}

static jsn_status print(const char *spec, const load_values *v, const load_times *t)
{
    if (!v->json) {
        cli_print("%s: opened in %.2f s (%.2f s of processor), again in %.3f s; then "
                  "%.0f images/s, %.0f%% of the rate of a copy\n",
                  spec, t->first, t->first_cpu, t->again,
                  t->pass.images / t->pass.median,
                  100.0 * t->pass.limit / t->pass.median);
        return JSN_OK;
    }
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "load");
    jsni_json_put_text(w, "data", spec);
    jsni_json_put_int(w, "threads", v->threads);
    cli_bench_put(&t->pass, w);
    jsni_json_put_real(w, "first_open_seconds", t->first);
    jsni_json_put_real(w, "first_open_processor_seconds", t->first_cpu);
    jsni_json_put_real(w, "open_seconds", t->again);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const load_values *v = values;
    if (args->count > 1)
        return cli_usage("takes one data set");
    const char *spec = args->count == 1 ? args->items[0] : "builtin";
    char cache[] = "/tmp/jensen-bench-XXXXXX";
    load_times t = {0};
    if (mkdtemp(cache) == NULL) {
        (void)cli_usage("%s: cannot be created", cache);
        return JSN_ERR_IO;
    }
    jsn_status status = measure(spec, v, cache, &t);
    remove_cache(cache);
    return status == JSN_OK ? print(spec, v, &t) : status;
}

const cli_command cli_command_bench_load = {
    .name = "bench load",
    .summary = "how long a data set takes to open, first and again",
    .usage = "[DATA] [--threads N] [--repeats N] [--json]",
    .details =
        "Uses a cache folder of its own, so the first opening is a true one. Then\n"
        "every image is read, --repeats times; the limit is a copy of as many pixels\n"
        "in memory.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(load_values),
    .run = run,
};
