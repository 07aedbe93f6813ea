/* bench/bench_curve.c - a loss curve on given batches, for bf16_curve.py:
 *
 *     bench_curve init FOLDER                         writes FOLDER/init.safetensors
 *     bench_curve FOLDER DEVICE PRECISION STEPS       prints a loss a line
 *
 * FOLDER holds images.u8 [count][32][32][3], labels.i32 [count] and order.i32
 * [steps][batch], little-endian, and shape.txt: count, batch. View 1 is the image, view 2
 * its mirror image; x / 255, then minus 0.5, over 0.25.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jensen/loss.h"
#include "jensen/model.h"

enum { SIDE = 32, PIXELS = SIDE * SIDE, VIEWS = 2, CLASSES = 10 };

static void check(jsn_status status)
{
    if (status == JSN_OK)
        return;
    fprintf(stderr, "bench_curve: %s\n", jsn_last_error());
    exit(1);
}

static void *read_all(const char *folder, const char *name, size_t bytes)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    void *data = malloc(bytes);
    if (f == NULL || data == NULL || fread(data, 1, bytes, f) != bytes) {
        fprintf(stderr, "bench_curve: %s: %zu bytes expected\n", path, bytes);
        exit(1);
    }
    (void)fclose(f);
    return data;
}

static jsn_model *make(const char *device, const char *precision, size_t batch)
{
    jsn_model_options options;
    jsn_model *model = NULL;
    jsn_model_options_init(&options);
    options.network = "preactresnet34";
    options.classes = CLASSES;
    options.device = device;
    options.batch = batch;
    options.views = VIEWS;
    options.optimiser = "sgd:momentum=0.9,nesterov=1";
    check(jsn_precision_parse(precision, &options.precision));
    check(jsn_model_create(&model, &options));
    return model;
}

static void fill(float *to, const uint8_t *image, int mirrored)
{
    for (size_t c = 0; c < 3; c++)
        for (size_t y = 0; y < SIDE; y++)
            for (size_t x = 0; x < SIDE; x++) {
                const size_t from = y * SIDE + (mirrored ? SIDE - 1 - x : x);
                to[c * PIXELS + y * SIDE + x] =
                    ((float)image[from * 3 + c] / 255.0f - 0.5f) / 0.25f;
            }
}

int main(int argc, char **argv)
{
    char path[1024];
    if (argc == 3 && strcmp(argv[1], "init") == 0) {
        jsn_model *model = make("ref", "fp32", 1);
        check(jsn_model_init(model, 1));
        (void)snprintf(path, sizeof path, "%s/init.safetensors", argv[2]);
        check(jsn_model_save(model, path));
        jsn_model_destroy(model);
        return 0;
    }
    if (argc != 5) {
        fprintf(stderr, "usage: bench_curve FOLDER DEVICE PRECISION STEPS\n");
        return 2;
    }
    const char *folder = argv[1];
    const size_t steps = (size_t)atoi(argv[4]);
    size_t count = 0, batch = 0;
    (void)snprintf(path, sizeof path, "%s/shape.txt", folder);
    FILE *shape = fopen(path, "r");
    if (shape == NULL || fscanf(shape, "%zu %zu", &count, &batch) != 2)
        return 1;
    (void)fclose(shape);
    const uint8_t *images = read_all(folder, "images.u8", count * PIXELS * 3);
    const int32_t *labels = read_all(folder, "labels.i32", count * 4);
    const int32_t *order = read_all(folder, "order.i32", steps * batch * 4);
    float *x = malloc(VIEWS * batch * 3 * PIXELS * sizeof *x);
    int32_t *y = malloc(batch * sizeof *y);
    jsn_model *model = make(argv[2], argv[3], batch);
    jsn_loss *loss = NULL;
    (void)snprintf(path, sizeof path, "%s/init.safetensors", folder);
    check(jsn_model_load(model, path, NULL));
    check(jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    for (size_t s = 0; s < steps; s++) {
        for (size_t i = 0; i < batch; i++) {
            const size_t sample = (size_t)order[s * batch + i];
            for (size_t v = 0; v < VIEWS; v++)
                fill(x + (v * batch + i) * 3 * PIXELS, images + sample * PIXELS * 3,
                     v == 1);
            y[i] = labels[sample];
        }
        const jsn_model_batch given = {
            .images = x, .views = VIEWS, .samples = batch, .labels = y};
        const jsn_model_step step = {.loss = loss,
                                     .rate = 0.1,
                                     .weight_decay = 5e-4,
                                     .decay_all = 1,
                                     .step = s + 1};
        double mean = 0.0;
        check(jsn_model_train_step(model, &given, &step, &mean, NULL));
        printf("%.9f\n", mean);
    }
    jsn_loss_destroy(loss);
    jsn_model_destroy(model);
    return 0;
}
