/* cli/command_bench_decode.c - how fast image files are decoded, on one core, from memory:
 * the files given, or JPEGs of the built-in set. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

typedef struct decode_values {
    int64_t repeats, divisor;
    bool json;
} decode_values;

static const jsn_option_info options[] = {
    {"repeats", 0, JSN_OPTION_INT, "11", 1, 1000, NULL, "N",
     "measurements, of which median and best are printed",
     offsetof(decode_values, repeats)},
    {"divisor", 0, JSN_OPTION_INT, "1", 1, 8, NULL, "N",
     "2, 4 or 8: JPEGs at that fraction of their size",
     offsetof(decode_values, divisor)},
    {"json", 0, JSN_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "one JSON object",
     offsetof(decode_values, json)},
};

enum { BUILTIN = 64, MOST_FILES = 1000 };

typedef struct files {
    char *bytes[MOST_FILES];
    size_t length[MOST_FILES];
    size_t count;
} files;

static double cpu_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static jsn_status add_file(files *f, const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    char *bytes = size > 0 && size < 1L << 28 ? malloc((size_t)size) : NULL;
    if (bytes != NULL) {
        rewind(file);
        if (fread(bytes, 1, (size_t)size, file) == (size_t)size) {
            f->length[f->count] = (size_t)size;
            f->bytes[f->count++] = bytes;
            bytes = NULL;
            size = 0;
        }
    }
    free(bytes);
    if (file != NULL)
        (void)fclose(file);
    if (size == 0)
        return JSN_OK;
    (void)cli_usage("%s: cannot be read", path);
    return JSN_ERR_DATA;
}

/* JPEGs of the built-in set, by way of a temporary folder. */
static jsn_status add_builtin(files *f)
{
    char folder[] = "/tmp/jensen-bench-XXXXXX", path[64];
    jsn_dataset *data = NULL;
    jsn_image image = {0};
    if (mkdtemp(folder) == NULL) {
        (void)cli_usage("%s: cannot be created", folder);
        return JSN_ERR_IO;
    }
    (void)snprintf(path, sizeof path, "%s/a.jpg", folder);
    jsn_status status = jsn_dataset_open(&data, "builtin:size=64,test=0", NULL);
    for (size_t i = 0; status == JSN_OK && i < BUILTIN; i++) {
        status = jsn_dataset_image(data, JSN_SPLIT_TRAIN, i, &image);
        if (status == JSN_OK)
            status = jsn_image_write(path, &image);
        if (status == JSN_OK)
            status = add_file(f, path);
    }
    (void)remove(path);
    (void)rmdir(folder);
    jsn_image_release(&image);
    jsn_dataset_close(data);
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static jsn_status want(void *user, size_t width, size_t height, jsn_image_want *out)
{
    (void)width;
    (void)height;
    out->divisor = *(const unsigned *)user;
    return JSN_OK;
}

/* Seconds an image, sorted; about a tenth of a second a measurement. */
static jsn_status measure(const files *f, const decode_values *v, double *seconds,
                          size_t *width, size_t *height)
{
    jsn_image_decoder *decoder = NULL;
    jsn_image_part part = {0};
    unsigned divisor = (unsigned)v->divisor;
    jsn_status status = jsn_image_decoder_create(&decoder);
    size_t rounds = 1;
    for (int64_t i = -1; status == JSN_OK && i < v->repeats; i++) {
        const double start = cpu_now();
        for (size_t r = 0; r < rounds && status == JSN_OK; r++)
            for (size_t k = 0; k < f->count && status == JSN_OK; k++)
                status =
                    divisor == 1
                        ? jsn_image_decoder_decode(decoder, f->bytes[k], f->length[k],
                                                   "image", &part.image)
                        : jsn_image_decoder_part(decoder, f->bytes[k], f->length[k],
                                                 "image", want, &divisor, &part);
        const double each = (cpu_now() - start) / (double)(rounds * f->count);
        if (i >= 0)
            seconds[i] = each;
        else
            rounds = (size_t)(0.1 / (each * (double)f->count)) + 1;
    }
    *width = part.image.width;
    *height = part.image.height;
    jsn_image_release(&part.image);
    jsn_image_decoder_destroy(decoder);
    if (status == JSN_OK)
        qsort(seconds, (size_t)v->repeats, sizeof *seconds, compare);
    return status;
}

static jsn_status print(const files *f, const decode_values *v, const double *seconds,
                        size_t width, size_t height)
{
    const double best = seconds[0], median = seconds[v->repeats / 2];
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    if (!v->json) {
        (void)printf(
            "%zu files, the last %zux%zu: %.0f images/s/core best, %.0f median\n",
            f->count, width, height, 1.0 / best, 1.0 / median);
        return JSN_OK;
    }
    jsn_json_writer *w = NULL;
    const jsn_status status = jsn_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsn_json_begin_object(w, NULL);
    jsn_json_put_text(w, "case", "decode");
    jsn_json_put_int(w, "files", (int64_t)f->count);
    jsn_json_put_int(w, "width", (int64_t)width);
    jsn_json_put_int(w, "height", (int64_t)height);
    jsn_json_put_int(w, "divisor", v->divisor);
    jsn_json_put_real(w, "best_s", best);
    jsn_json_put_real(w, "median_s", median);
    jsn_json_put_real(w, "images_per_core_second", 1.0 / best);
    jsn_json_put_real(w, "images_per_core_second_median", 1.0 / median);
    jsn_json_put_text(w, "limit",
                      "bare turbojpeg on the same files: bench/data.sh runs both");
    jsn_json_put_int(w, "peak_memory_kib", (int64_t)usage.ru_maxrss);
    jsn_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const decode_values *v = values;
    if (args->count > MOST_FILES)
        return cli_usage("at most %d files", (int)MOST_FILES);
    files *f = calloc(1, sizeof *f);
    double *seconds = calloc((size_t)v->repeats, sizeof *seconds);
    size_t width = 0, height = 0;
    jsn_status status = f == NULL || seconds == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < args->count; i++)
        status = add_file(f, args->items[i]);
    if (status == JSN_OK && args->count == 0)
        status = add_builtin(f);
    if (status == JSN_OK)
        status = measure(f, v, seconds, &width, &height);
    if (status == JSN_OK)
        status = print(f, v, seconds, width, height);
    for (size_t i = 0; f != NULL && i < f->count; i++)
        free(f->bytes[i]);
    free(seconds);
    free(f);
    return status;
}

const cli_command cli_command_bench_decode = {
    .name = "bench decode",
    .summary = "how fast image files are decoded",
    .usage = "[IMAGE...] [--divisor N] [--json]",
    .details = "Files are held in memory and decoded by one thread; without any, JPEGs "
               "of the\n"
               "built-in set (32x32). Times are of the processor, which other programs "
               "on the\n"
               "machine disturb less than the clock.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(decode_values),
    .run = run,
};
