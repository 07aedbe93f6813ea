/* cli/command_bench_load.c - how long a data set takes to open the first time and again,
 * and how fast its images can then be read. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "jensen/dataset.h"

typedef struct load_values {
    int64_t threads;
    bool json;
} load_values;

static const jsn_option_info options[] = {
    {"threads", 0, JSN_OPTION_INT, "0", 0, 256, NULL, "N",
     "threads; 0: one a usable core", offsetof(load_values, threads)},
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "one JSON object",
     offsetof(load_values, json)},
};

typedef struct load_times {
    double first, again; /* opening, seconds by the clock */
    double first_cpu;    /* processor seconds of the first opening */
    double pass;         /* reading every image once */
    size_t samples;
} load_times;

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
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

static jsn_status measure(const char *spec, const load_values *v, const char *cache,
                          load_times *t)
{
    jsn_dataset *data = NULL;
    jsn_dataset_options how;
    jsn_dataset_options_init(&how);
    how.threads = (size_t)v->threads;
    how.cache = cache;
    const double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    double start = now(CLOCK_MONOTONIC);
    jsn_status status = jsn_dataset_open(&data, spec, &how);
    t->first = now(CLOCK_MONOTONIC) - start;
    t->first_cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    jsn_dataset_close(data);
    if (status != JSN_OK)
        return status;
    start = now(CLOCK_MONOTONIC);
    status = jsn_dataset_open(&data, spec, &how);
    t->again = now(CLOCK_MONOTONIC) - start;
    start = now(CLOCK_MONOTONIC);
    for (int s = 0; status == JSN_OK && s < JSN_SPLITS; s++) {
        status = jsn_dataset_check(data, (jsn_split)s, (size_t)v->threads, NULL, refuse,
                                   NULL);
        t->samples += jsn_dataset_samples(data, (jsn_split)s);
    }
    t->pass = now(CLOCK_MONOTONIC) - start;
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
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    const double rate = (double)t->samples / t->pass;
    if (!v->json) {
        (void)printf(
            "%s: opened in %.2f s (%.2f s of processor), again in %.3f s; then "
            "%.0f images/s\n",
            spec, t->first, t->first_cpu, t->again, rate);
        return JSN_OK;
    }
    jsn_json_writer *w = NULL;
    const jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsn_json_begin_object(w, NULL);
    jsn_json_put_text(w, "case", "load");
    jsn_json_put_text(w, "data", spec);
    jsn_json_put_int(w, "threads", v->threads);
    jsn_json_put_int(w, "samples", (int64_t)t->samples);
    jsn_json_put_real(w, "first_s", t->first);
    jsn_json_put_real(w, "first_cpu_s", t->first_cpu);
    jsn_json_put_real(w, "again_s", t->again);
    jsn_json_put_real(w, "images_per_second", rate);
    jsn_json_put_int(w, "peak_memory_kib", (int64_t)usage.ru_maxrss);
    jsn_json_end(w);
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
    .usage = "[DATA] [--threads N] [--json]",
    .details = "Uses a cache folder of its own, so the first opening is a true one.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(load_values),
    .run = run,
};
