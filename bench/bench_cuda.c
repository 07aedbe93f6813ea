/* bench/bench_cuda.c - steps of PreActResNet-34 on resident data, with augmentation, as
 * training runs them; evaluation; and the pieces of a step, each by itself.
 *
 *     bench_cuda [tasks] [PRECISION [MEMBERS [BATCH [VIEWS [short]]]]]
 *
 *     bench_cuda loss SAMPLES CLASSES
 *
 * `short` runs a few steps only, for checkers that slow everything down. `loss` is GJS
 * of two views alone, value and gradient.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/resident.h"
#include "core/rng.h"
#include "jensen/augment.h"
#include "jensen/loss.h"
#include "nn/network_impl.h"

enum { COUNT = 50000, BYTES = 3072 };

static void check(jsn_status status)
{
    if (status == JSN_OK)
        return;
    fprintf(stderr, "bench_cuda: %s\n", jsn_last_error());
    exit(1);
}

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_tasks(jsni_plan *plan, const jsni_graph *graph)
{
    enum { ROOM = 4096 };
    jsni_task_time *times = calloc(ROOM, sizeof *times);
    jsni_task_time *roofs = calloc(ROOM, sizeof *roofs);
    size_t count = 0;
    double total = 0.0;
    check(plan->ops->time_tasks(plan, times, ROOM, &count));
    check(plan->ops->time_limit(plan, roofs, ROOM, &count));
    printf("      us     roof  share       MB   GFLOP  task\n");
    for (size_t i = 0; i < count; i++) {
        printf("%8.2f %8.2f %5.0f%% %8.2f %7.2f  %-42s %s\n", 1e6 * times[i].seconds,
               1e6 * roofs[i].seconds, 100.0 * roofs[i].seconds / times[i].seconds,
               1e-6 * roofs[i].bytes, 1e-9 * roofs[i].flops, times[i].what,
               graph->nodes[times[i].node].name);
        total += times[i].seconds;
    }
    printf("%8.2f us  sum of %zu tasks\n", 1e6 * total, count);
    printf("      us     roof  share       MB   GFLOP  by kind\n");
    for (size_t i = 0; i < count; i++) {
        if (times[i].what == NULL)
            continue;
        const char *what = times[i].what;
        double sum = 0.0, roof = 0.0, bytes = 0.0, flops = 0.0;
        size_t n = 0;
        for (size_t k = i; k < count; k++)
            if (times[k].what != NULL && strcmp(times[k].what, what) == 0) {
                sum += times[k].seconds;
                roof += roofs[k].seconds;
                bytes += roofs[k].bytes;
                flops += roofs[k].flops;
                n++;
                if (k > i)
                    times[k].what = NULL;
            }
        printf("%8.2f %8.2f %5.0f%% %8.2f %7.2f  %3zu x %s\n", 1e6 * sum, 1e6 * roof,
               100.0 * roof / sum, 1e-6 * bytes, 1e-9 * flops, n, what);
    }
    free(roofs);
    free(times);
}

/* A network that hands its input on, so that the loss is all there is. */
static int bench_loss(size_t samples, size_t classes)
{
    enum { CALLS = 100, ROUNDS = 7 };
    jsni_builder b;
    jsni_graph *graph = NULL;
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    jsn_loss *loss = NULL;
    jsni_build_begin(&b, "none", (jsni_shape){classes, 1, 1}, classes);
    (void)jsni_build_flatten(&b, "flat", jsni_build_input(&b));
    check(jsni_build_end(&b, &graph));
    const jsni_plan_options options = {.batch = samples, .views = 2, .training = true};
    check(jsni_backend_open(&backend, "cuda"));
    check(jsni_plan_create(backend, graph, &options, &plan));
    check(jsn_loss_create(&loss, "gjs:pi1=0.5", classes, 2));
    float *logits = malloc(2 * samples * classes * sizeof *logits);
    int32_t *labels = malloc(samples * sizeof *labels);
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < 2 * samples * classes; i++)
        logits[i] = (float)(jsni_rng_u32(&rng) >> 8) * 0x1p-22f - 2.0f;
    for (size_t i = 0; i < samples; i++)
        labels[i] = (int32_t)jsni_rng_below(&rng, (uint32_t)classes);
    const jsni_labels given = {.labels = labels};
    const jsni_losses losses = {loss, NULL};
    const jsni_pass pass = {.training = true};
    const jsni_backend_ops *ops = plan->ops;
    check(ops->set_input(plan, 0, logits, 2, samples));
    check(ops->set_labels(plan, 0, &given));
    check(ops->forward(plan, &pass));
    double best = 1e9, mean = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        check(ops->synchronize(plan));
        const double start = now();
        for (int i = 0; i < CALLS; i++)
            check(ops->loss(plan, &losses));
        check(ops->synchronize(plan));
        const double each = (now() - start) / CALLS;
        best = each < best ? each : best;
    }
    check(ops->read_loss(plan, 0, &mean, NULL));
    /* Two views read, two gradients written. */
    const double floor = 4.0 * (double)(samples * classes) * 4.0 / 4.3e12;
    printf("{\"loss\":\"gjs\",\"samples\":%zu,\"classes\":%zu,\"us\":%.2f,"
           "\"traffic_floor_us\":%.2f,\"mean\":%.6f}\n",
           samples, classes, 1e6 * best, 1e6 * floor, mean);
    jsn_loss_destroy(loss);
    jsni_plan_destroy(plan);
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
    return 0;
}

static void load_initial(jsni_plan *plan, const jsni_graph *graph, size_t members)
{
    float *params = calloc(graph->param_floats, 4);
    float *stats = calloc(graph->stat_floats, 4);
    for (size_t m = 0; m < members; m++) {
        jsni_graph_init(graph, 1 + m, params, stats);
        check(plan->ops->upload(plan, m, JSNI_BLOCK_PARAMETERS, params));
        check(plan->ops->upload(plan, m, JSNI_BLOCK_STATISTICS, stats));
    }
    free(params);
    free(stats);
}

/* COUNT images of random bytes, in a random order. */
static void make_images(uint8_t *images, int32_t *labels, uint32_t *order)
{
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < COUNT; i++) {
        labels[i] = (int32_t)jsni_rng_below(&rng, 10);
        order[i] = (uint32_t)i;
        for (size_t k = 0; k < BYTES; k += 4) {
            const uint32_t word = jsni_rng_u32(&rng);
            memcpy(images + i * BYTES + k, &word, 4);
        }
    }
    jsni_rng_shuffle(&rng, order, COUNT);
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "loss") == 0)
        return bench_loss((size_t)atoi(argv[2]), (size_t)atoi(argv[3]));
    int tasks = argc > 1 && strcmp(argv[1], "tasks") == 0;
    argc -= tasks;
    argv += tasks;
    const char *precision = argc > 1 ? argv[1] : "bf16";
    const size_t members = argc > 2 ? (size_t)atoi(argv[2]) : 1;
    const size_t batch = argc > 3 ? (size_t)atoi(argv[3]) : 128;
    const size_t views = argc > 4 ? (size_t)atoi(argv[4]) : 2;
    const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
    const float deviation[3] = {0.2023f, 0.1994f, 0.2010f};

    jsni_graph *graph = NULL;
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    jsni_plan_options options = {.batch = batch,
                                 .views = views,
                                 .training = true,
                                 .optimiser_slots = 1,
                                 .members = members};
    check(jsn_precision_parse(precision, &options.precision));
    check(jsni_network_build("preactresnet34", (jsni_shape){3, 32, 32}, 10, &graph));
    check(jsni_backend_open(&backend, "cuda"));
    check(jsni_plan_create(backend, graph, &options, &plan));
    const jsni_backend_ops *ops = plan->ops;

    load_initial(plan, graph, members);
    uint8_t *images = malloc((size_t)COUNT * BYTES);
    int32_t *labels = malloc(COUNT * sizeof *labels);
    uint32_t *order = malloc(COUNT * sizeof *order);
    make_images(images, labels, order);
    const jsni_resident_images set = {images, COUNT, 32, 32};
    const jsni_resident_labels given = {.labels = labels, .truth = labels};
    check(ops->resident->set_images(plan, JSNI_RESIDENT_TRAIN, &set));
    jsni_resident_member *own = calloc(members, sizeof *own);
    jsni_resident_result *results = calloc(members, sizeof *results);
    jsn_augment *augment = NULL;
    jsn_loss *loss = NULL;
    check(jsn_augment_create(&augment, "strong", 32, 32, mean, deviation));
    check(jsn_loss_create(&loss, views > 1 ? "gjs:pi1=0.5" : "ce", 10, views));
    const size_t steps = COUNT / batch;
    double *rates = malloc(steps * sizeof *rates);
    for (size_t s = 0; s < steps; s++)
        rates[s] = 0.05;
    jsni_update update;
    size_t slots = 0;
    check(jsni_optim_parse("sgd:momentum=0.9,nesterov=1", &update, &slots));
    update.decay = 5e-4;
    for (size_t m = 0; m < members; m++) {
        check(ops->resident->set_labels(plan, m, &given));
        own[m] = (jsni_resident_member){.order = order,
                                        .rates = rates,
                                        .seed = m,
                                        .views = views,
                                        .losses = {loss, NULL},
                                        .update = update};
    }
    jsni_resident_epoch epoch = {
        .members = own, .steps = 20, .batch = batch, .augment = augment};
    size_t done = 0;
    const int brief = argc > 5 && strcmp(argv[5], "short") == 0;
    epoch.steps = brief ? 2 : 20;
    check(ops->resident->epoch(plan, &epoch, NULL, NULL, &done, results));
    if (brief) {
        printf("loss %.5f\n", results[0].loss_sum / (double)results[0].samples);
        jsni_plan_destroy(plan);
        jsni_backend_close(backend);
        return 0;
    }
    epoch.steps = steps;
    double best = 1e9, all[3];
    for (int i = 0; i < 3; i++) {
        const double start = now();
        check(ops->resident->epoch(plan, &epoch, NULL, NULL, &done, results));
        all[i] = now() - start;
        best = all[i] < best ? all[i] : best;
    }
    float *logits = malloc((size_t)10000 * 10 * sizeof *logits);
    jsni_resident_query query = {.set = JSNI_RESIDENT_TRAIN, .count = 10000};
    memcpy(query.mean, mean, sizeof mean);
    memcpy(query.deviation, deviation, sizeof deviation);
    check(ops->resident->evaluate(plan, 0, &query, logits));
    const double start = now();
    check(ops->resident->evaluate(plan, 0, &query, logits));
    const double evaluation = now() - start;
    printf("{\"precision\":\"%s\",\"members\":%zu,\"batch\":%zu,\"views\":%zu,"
           "\"ms_step\":%.4f,\"images_per_second\":%.0f,\"epochs_s\":[%.4f,%.4f,%.4f],"
           "\"evaluate_10000_ms\":%.2f,\"loss\":%.5f}\n",
           precision, members, batch, views, 1e3 * best / (double)steps,
           (double)(members * views * batch * steps) / best, all[0], all[1], all[2],
           1e3 * evaluation, results[0].loss_sum / (double)results[0].samples);
    if (tasks)
        print_tasks(plan, graph);
    jsni_plan_destroy(plan);
    jsni_backend_close(backend);
    return 0;
}
