/* cli/bench/command_bench_decode.c - how fast image files are decoded, on one core, from memory:
 * the files given, or JPEGs of the built-in set, beside a copy of their pixels. */
#define _POSIX_C_SOURCE 200809L
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
#include "core/words.h"
#include "data/image_decoder.h"
#include "jensen/dataset.h"
#include "jensen/image_file.h"

typedef struct decode_values {
    int64_t repeats, divisor;
    bool json;
    jsn_texts limit;
} decode_values;

static const jsn_option_info options[] = {
    {"repeats", 0, JSN_OPTION_INT, "11", 1, 1000, NULL, "N",
     "measurements, of which median and best are printed",
     offsetof(decode_values, repeats)},
    {"divisor", 0, JSN_OPTION_INT, "1", 1, 8, NULL, "N",
     "2, 4 or 8: JPEGs at that fraction of their size",
     offsetof(decode_values, divisor)},
    CLI_LIMIT_ROW(decode_values),
    CLI_JSON_ROW(decode_values, "one JSON object"),
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

static jsn_status want(void *user, size_t width, size_t height, jsni_image_want *out)
{
    (void)width;
    (void)height;
    out->divisor = *(const unsigned *)user;
    return JSN_OK;
}

/* What a decoder works on. */
typedef struct decoding {
    const files *f;
    jsni_image_decoder *decoder;
    jsni_image_part part; /* the file decoded last */
    unsigned divisor;
    size_t bytes; /* of the pixels of all files */
} decoding;

static jsn_status decode_all(decoding *d)
{
    const files *f = d->f;
    jsn_status status = JSN_OK;
    d->bytes = 0;
    for (size_t k = 0; k < f->count && status == JSN_OK; k++) {
        const jsni_image_input input = {(const uint8_t *)f->bytes[k], f->length[k],
                                        "image"};
        status = d->divisor == 1
                     ? jsni_image_decoder_run(d->decoder, &input, &d->part.image)
                     : jsni_image_decoder_part(d->decoder, f->bytes[k], f->length[k],
                                               "image", want, &d->divisor, &d->part);
        d->bytes += d->part.image.width * d->part.image.height * JSN_IMAGE_CHANNELS;
    }
    return status;
}

/* All files, about a tenth of a second a measurement. */
static jsn_status measure(decoding *d, const decode_values *v, double *seconds,
                          cli_bench *bench)
{
    jsn_status status = jsni_image_decoder_create(&d->decoder);
    size_t rounds = 1;
    for (int64_t i = -1; status == JSN_OK && i < v->repeats; i++) {
        const double start = cpu_now();
        for (size_t r = 0; r < rounds && status == JSN_OK; r++)
            status = decode_all(d);
        const double each = (cpu_now() - start) / (double)rounds;
        if (i >= 0)
            seconds[i] = each;
        else
            rounds = (size_t)(0.1 / each) + 1;
    }
    if (status == JSN_OK) {
        cli_bench_take(bench, seconds, (size_t)v->repeats);
        bench->how = "best copy of the decoded pixels, image by image, in this run; "
                     "bench/data.sh has bare turbojpeg on the same files";
        status = cli_bench_read(bench->images, (double)d->bytes / bench->images, 1,
                                &bench->limit);
    }
    return status;
}

static jsn_status print(const decoding *d, const decode_values *v,
                        const cli_bench *bench)
{
    const jsn_image *last = &d->part.image;
    if (!v->json) {
        cli_print("%zu %s, the last %zux%zu: %.0f images/s/core best, %.0f median\n",
                  d->f->count, jsni_noun(d->f->count, "file", "files"), last->width,
                  last->height, bench->images / bench->best,
                  bench->images / bench->median);
        return JSN_OK;
    }
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", "decode");
    jsni_json_put_int(w, "width", (int64_t)last->width);
    jsni_json_put_int(w, "height", (int64_t)last->height);
    jsni_json_put_int(w, "divisor", v->divisor);
    cli_bench_put(bench, w);
    jsni_json_put_real(w, "images_per_core_second", bench->images / bench->best);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const decode_values *v = values;
    if (args->count > MOST_FILES)
        return cli_usage("at most %d files", (int)MOST_FILES);
    files *f = calloc(1, sizeof *f);
    double *seconds = calloc((size_t)v->repeats, sizeof *seconds);
    jsn_status status = f == NULL || seconds == NULL ? JSN_ERR_MEMORY : JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < args->count; i++)
        status = add_file(f, args->items[i]);
    if (status == JSN_OK && args->count == 0)
        status = add_builtin(f);
    decoding d = {.f = f, .divisor = (unsigned)v->divisor};
    cli_bench bench = {.images = f == NULL ? 0.0 : (double)f->count};
    if (status == JSN_OK)
        status = measure(&d, v, seconds, &bench);
    if (status == JSN_OK)
        status = print(&d, v, &bench);
    jsn_image_release(&d.part.image);
    jsni_image_decoder_destroy(d.decoder);
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
    .details =
        "Files are held in memory and decoded by one thread; without any, JPEGs of\n"
        "the built-in set (32x32). Times are of the processor, which other programs\n"
        "on the machine disturb less than the clock. The limit in JSON is a copy of\n"
        "the pixels.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(decode_values),
    .run = run,
};
