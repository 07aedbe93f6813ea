/* cli/bench/command_bench_augment.c - how fast augmentation is: images a second of the
 * pipelines that training uses, beside the time that writing their tensors takes. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "augment/augment_part.h"
#include "cli/bench/cli_bench.h"
#include "cli/cli.h"
#include "cli/cli_numbers.h"
#include "cli/cli_options.h"
#include "core/json.h"
#include "data/image_decoder.h"
#include "jensen/augment.h"
#include "jensen/image_file.h"

typedef struct bench_values {
    char *pipeline, *image;
    int64_t threads, repeats;
    double scaled_decode;
    bool json;
} bench_values;

static const jsn_option_info options[] = {
    {"pipeline", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "SPEC",
     "only this pipeline, on 32x32 images", offsetof(bench_values, pipeline)},
    {"image", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "only from this image file to a 224x224 tensor, decoding included: of all of it, "
     "of "
     "the part that is used, and of that part at reduced size where it suffices",
     offsetof(bench_values, image)},
    {"scaled-decode", 0, JSN_OPTION_REAL, "0.5", 0, 1, NULL, "X",
     "what suffices, as of 'jensen train'", offsetof(bench_values, scaled_decode)},
    {"threads", 0, JSN_OPTION_INT, "1", 1, 256, NULL, "N",
     "threads, each with images of its own", offsetof(bench_values, threads)},
    {"repeats", 0, JSN_OPTION_INT, "7", 1, 1000, NULL, "N",
     "measurements, of which median and best are printed",
     offsetof(bench_values, repeats)},
    CLI_JSON_ROW(bench_values, "one JSON object per case"),
};

typedef struct bench_case {
    const char *name, *spec;
    size_t in_width, in_height, side, images;
    const void *file; /* an encoded image to decode each time, or NULL */
    size_t file_bytes;
    double density; /* of jsni_augment_want(); below 0: decode all of the file */
} bench_case;

static const bench_case cases[] = {
    {"strong", "strong", 32, 32, 32, 4000, NULL, 0, 0},
    {"weak", "weak", 32, 32, 32, 4000, NULL, 0, 0},
    {"none", "none", 32, 32, 32, 4000, NULL, 0, 0},
    {"jitter", "jitter", 500, 375, 224, 60, NULL, 0, 0},
    {"jitter-eval", "resize+centercrop", 500, 375, 224, 60, NULL, 0, 0},
    {"food101n", "food101n", 500, 375, 224, 60, NULL, 0, 0},
};

/* What one thread works on. */
typedef struct worker {
    const bench_case *c;
    const jsn_augment *pipeline; /* NULL: only write tensors, the limit */
    jsn_augment_scratch *scratch;
    uint8_t *pixels; /* [DIFFERENT][height][width][3] */
    float *out;      /* [RING][3][side][side] */
    uint32_t epoch;
    jsni_image_decoder *decoder;
    jsni_image_part decoded;
    double seconds; /* of processor time, in the latest pass */
    jsn_status status;
    pthread_t thread;
} worker;

enum { DIFFERENT = 64, RING = 8 };

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct view_want {
    const worker *w;
    const jsn_augment_key *key;
} view_want;

static jsn_status want(void *user, size_t width, size_t height, jsni_image_want *out)
{
    const view_want *v = user;
    return v->w->c->density < 0 ? JSN_OK
                                : jsni_augment_want(v->w->pipeline, width, height,
                                                    v->key, 1, v->w->c->density, out);
}

static jsn_status from_file(worker *w, const jsn_augment_key *key, float *out)
{
    view_want v = {w, key};
    const jsn_status status = jsni_image_decoder_part(
        w->decoder, w->c->file, w->c->file_bytes, w->c->name, want, &v, &w->decoded);
    return status != JSN_OK ? status
                            : jsni_augment_apply_part(w->pipeline, w->scratch,
                                                      &w->decoded, key, out);
}

static void *work(void *user)
{
    worker *w = user;
    const double start = now(CLOCK_THREAD_CPUTIME_ID);
    const size_t image = w->c->in_width * w->c->in_height * 3;
    const size_t tensor = w->c->side * w->c->side * 3;
    for (size_t i = 0; i < w->c->images && w->status == JSN_OK; i++) {
        float *out = w->out + i % RING * tensor;
        const jsn_image in = {w->pixels + i % DIFFERENT * image, w->c->in_width,
                              w->c->in_height};
        const jsn_augment_key key = {1, w->epoch, (uint32_t)i, 0, 0};
        if (w->pipeline == NULL)
            memset(out, (int)i & 255, tensor * sizeof(float));
        else if (w->c->file != NULL)
            w->status = from_file(w, &key, out);
        else
            w->status = jsn_augment_apply(w->pipeline, w->scratch, &in, &key, out);
    }
    w->seconds = now(CLOCK_THREAD_CPUTIME_ID) - start;
    return NULL;
}

/* Blocks of colour with some noise: statistics that exercise every operation. */
static void draw(uint8_t *pixels, size_t width, size_t bytes)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < bytes; i++) {
        const size_t x = i / 3 % width, y = i / 3 / width;
        const size_t cell = (x / 4 * 31 + y / 4 * 57 + i % 3 * 101) * 2654435761u;
        state = state * 1664525u + 1013904223u;
        const int v = (int)(cell >> 8 & 255) + (int)(state >> 27) - 16;
        pixels[i] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times of a case: by the clock, and of the processor for one thread, which other
 * programs on the machine disturb less. */
typedef struct times {
    double median, best;
    double cpu_median, cpu_best;
} times;

/* One pass of all workers: seconds by the clock and mean processor seconds a thread. */
static jsn_status pass(worker *workers, size_t threads, uint32_t epoch, double *seconds,
                       double *cpu)
{
    const double start = now(CLOCK_MONOTONIC);
    size_t started = 0;
    jsn_status status = JSN_OK;
    for (size_t t = 0; t < threads; t++)
        workers[t].epoch = epoch * 256 + (uint32_t)t;
    for (size_t t = 1; t < threads; t++, started++)
        if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0) {
            status = JSN_ERR_MEMORY;
            break;
        }
    (void)work(&workers[0]);
    for (size_t t = 1; t <= started; t++)
        (void)pthread_join(workers[t].thread, NULL);
    *seconds = now(CLOCK_MONOTONIC) - start;
    *cpu = 0.0;
    for (size_t t = 0; t < threads && status == JSN_OK; t++) {
        status = workers[t].status;
        *cpu += workers[t].seconds / (double)threads;
    }
    return status;
}

static jsn_status measure(worker *workers, const bench_values *v,
                          const jsn_augment *pipeline, times *out)
{
    const size_t repeats = (size_t)v->repeats, threads = (size_t)v->threads;
    double *seconds = calloc(2 * repeats, sizeof *seconds);
    if (seconds == NULL)
        return JSN_ERR_MEMORY;
    double *cpu = seconds + repeats;
    for (size_t t = 0; t < threads; t++)
        workers[t].pipeline = pipeline;
    jsn_status status = pass(workers, threads, 0, &seconds[0], &cpu[0]); /* warms up */
    for (size_t i = 0; i < repeats && status == JSN_OK; i++)
        status = pass(workers, threads, (uint32_t)i + 1, &seconds[i], &cpu[i]);
    qsort(seconds, repeats, sizeof *seconds, compare);
    qsort(cpu, repeats, sizeof *cpu, compare);
    *out = (times){seconds[repeats / 2], seconds[0], cpu[repeats / 2], cpu[0]};
    free(seconds);
    return status;
}

static jsn_status print_case(const bench_case *c, const bench_values *v, const times *t,
                             const times *limit)
{
    const double each = (double)c->images, images = each * (double)v->threads;
    if (!v->json) {
        cli_print("%-12s %4zux%-4zu -> %3zu  %9.0f images/s/core best %9.0f median "
                  "%9.0f images/s by the clock\n",
                  c->name, c->in_width, c->in_height, c->side, each / t->cpu_best,
                  each / t->cpu_median, images / t->best);
        return JSN_OK;
    }
    const cli_bench bench = {
        .median = t->median,
        .best = t->best,
        .images = images,
        .limit = limit->best,
        .how = "writing the float tensors alone (memset), in this run"};
    jsni_json_writer *w = NULL;
    const jsn_status status = jsni_json_writer_create(&w, 0);
    if (status != JSN_OK)
        return status;
    jsni_json_begin_object(w, NULL);
    jsni_json_put_text(w, "case", c->name);
    jsni_json_put_text(w, "pipeline", c->spec);
    jsni_json_put_int(w, "threads", v->threads);
    cli_bench_put(&bench, w);
    jsni_json_put_real(w, "images_per_core_second", each / t->cpu_best);
    jsni_json_end(w);
    return cli_print_json(w);
}

static jsn_status prepare(worker *w, const bench_case *c)
{
    const size_t bytes = DIFFERENT * c->in_width * c->in_height * 3;
    w->c = c;
    w->pixels = malloc(bytes);
    w->out = malloc(RING * c->side * c->side * 3 * sizeof(float));
    if (w->pixels == NULL || w->out == NULL)
        return JSN_ERR_MEMORY;
    draw(w->pixels, c->in_width, bytes);
    const jsn_status status = jsni_image_decoder_create(&w->decoder);
    if (status != JSN_OK)
        return status;
    return jsn_augment_scratch_create(&w->scratch);
}

static jsn_status run_case(const bench_case *c, const bench_values *v)
{
    const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
    const float std[3] = {0.2023f, 0.1994f, 0.2010f};
    worker *workers = calloc((size_t)v->threads, sizeof *workers);
    jsn_augment *pipeline = NULL;
    if (workers == NULL)
        return JSN_ERR_MEMORY;
    times result = {0}, limit = {0};
    jsn_status status =
        jsn_augment_create(&pipeline, c->spec, c->side, c->side, mean, std);
    for (int64_t t = 0; t < v->threads && status == JSN_OK; t++)
        status = prepare(&workers[t], c);
    if (status == JSN_OK)
        status = measure(workers, v, NULL, &limit);
    if (status == JSN_OK)
        status = measure(workers, v, pipeline, &result);
    if (status == JSN_OK)
        status = print_case(c, v, &result, &limit);
    for (int64_t t = 0; t < v->threads; t++) {
        jsn_augment_scratch_destroy(workers[t].scratch);
        jsn_image_release(&workers[t].decoded.image);
        jsni_image_decoder_destroy(workers[t].decoder);
        free(workers[t].pixels);
        free(workers[t].out);
    }
    jsn_augment_destroy(pipeline);
    free(workers);
    return status;
}

/* The bytes of a file of at most 64 MiB; the caller's to free(). */
static jsn_status read_file(const char *path, char **out, size_t *length)
{
    const size_t most = (size_t)64 << 20;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return cli_usage("--image: '%s' cannot be read", path);
    *out = malloc(most);
    *length = *out == NULL ? 0 : fread(*out, 1, most, file);
    (void)fclose(file);
    return *out == NULL ? JSN_ERR_MEMORY : JSN_OK;
}

static jsn_status run_image(const bench_values *v, const char *spec)
{
    char *bytes = NULL;
    size_t length = 0, width = 0, height = 0;
    jsn_status status = read_file(v->image, &bytes, &length);
    if (status == JSN_OK)
        status = jsni_image_measure(bytes, length, v->image, &width, &height);
    const struct {
        const char *name;
        double density;
    } ways[] = {
        {"file-whole", -1}, {"file-part", 0}, {"file-scaled", v->scaled_decode}};
    for (size_t i = 0; status == JSN_OK && i < sizeof ways / sizeof ways[0]; i++) {
        const bench_case c = {ways[i].name, spec,  width,  height,         224,
                              120,          bytes, length, ways[i].density};
        status = run_case(&c, v);
    }
    free(bytes);
    return status;
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const bench_values *v = values;
    if (args->count > 0)
        return cli_usage("takes no argument '%s'", args->items[0]);
    if (v->image != NULL)
        return run_image(v, v->pipeline != NULL ? v->pipeline : "jitter");
    if (v->pipeline != NULL) {
        const bench_case one = {v->pipeline, v->pipeline, 32, 32, 32, 4000, NULL, 0, 0};
        return run_case(&one, v);
    }
    jsn_status status = JSN_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == JSN_OK; i++)
        status = run_case(&cases[i], v);
    return status;
}

const cli_command cli_command_bench_augment = {
    .name = "bench augment",
    .summary = "speed of the augmentation pipelines",
    .usage = "[--pipeline SPEC] [--image FILE] [--threads N] [--repeats N] [--json]",
    .details = "Images are in memory, 8 bits a channel; results are normalised float\n"
               "tensors. bench/augment.sh runs Pillow on the same work beside it.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(bench_values),
    .run = run,
};
