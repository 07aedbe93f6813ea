/* The CUDA backend beyond what every backend is tested for: the bf16 path with its own
 * fused kernels, resident data with augmentation on the device, recorded steps, members
 * side by side, the same bits again. Skipped where there is no device.
 *
 * bf16 keeps 8 bits: a layer's output is off by 2^-9 of its size, and a ReLU near zero
 * may open or close, which moves gradients by a finite amount. The limits below are
 * measured spreads of the plain bf16 path with room of two; a wrong tap, view, channel
 * or coefficient is off by 0.3 and more.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/cuda_strided.h"
#include "backend/resident.h"
#include "core/rng.h"
#include "jensen/augment.h"
#include "jensen/loss.h"

enum { VIEWS = 2, SAMPLES = 8, CLASSES = 10, IMAGES = 64, PIXELS = 32 * 32 };

static const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
static const float deviation[3] = {0.2023f, 0.1994f, 0.2010f};

/* Ends the test as skipped where there is no device. */
static const jsni_backend_ops *cuda(void)
{
    size_t i = 0;
    while (strcmp(jsni_backend_at(i)->name, "cuda") != 0)
        i++;
    if (jsni_backend_at(i)->device_count() == 0) {
        print_message("[  SKIPPED ] no CUDA device or no module\n");
        skip();
    }
    return jsni_backend_at(i);
}

static const jsni_backend_ops *ref(void)
{
    size_t i = 0;
    while (strcmp(jsni_backend_at(i)->name, "ref") != 0)
        i++;
    return jsni_backend_at(i);
}

/* ---- a small network with every shape of the own kernels ---- */

static size_t preact_block(jsni_builder *b, const char *path, size_t x, size_t out,
                           size_t stride)
{
    size_t a = jsni_build_norm(b, jsni_name_join(path, "bn1").text, x);
    a = jsni_build_relu(b, jsni_name_join(path, "relu1").text, a);
    size_t skip = x;
    if (stride != 1)
        skip = jsni_build_conv(b, jsni_name_join(path, "short").text, a, out, 1, stride,
                               0, false);
    size_t y = jsni_build_conv(b, jsni_name_join(path, "conv1").text, a, out, 3, stride,
                               1, false);
    y = jsni_build_norm(b, jsni_name_join(path, "bn2").text, y);
    y = jsni_build_relu(b, jsni_name_join(path, "relu2").text, y);
    y = jsni_build_conv(b, jsni_name_join(path, "conv2").text, y, out, 3, 1, 1, false);
    return jsni_build_add(b, jsni_name_join(path, "add").text, y, skip);
}

static jsni_graph *small_preact(void)
{
    jsni_builder b;
    jsni_build_begin(&b, "small preact", (jsni_shape){3, 32, 32}, CLASSES);
    size_t x = jsni_build_conv(&b, "stem", jsni_build_input(&b), 32, 3, 1, 1, false);
    x = preact_block(&b, "a", x, 32, 1);
    x = preact_block(&b, "b", x, 32, 1);
    x = preact_block(&b, "c", x, 64, 2);
    x = preact_block(&b, "d", x, 64, 1);
    x = preact_block(&b, "e", x, 128, 2);
    x = preact_block(&b, "f", x, 128, 1);
    x = jsni_build_relu(&b, "relu", jsni_build_norm(&b, "bn", x));
    x = jsni_build_adaptive_pool(&b, "pool", x, 1, 1);
    x = jsni_build_flatten(&b, "flat", x);
    (void)jsni_build_linear(&b, "linear", x, CLASSES, true);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

/* ---- a plan with host copies of its blocks ---- */

typedef struct bench {
    jsni_backend *backend;
    jsni_plan *plan;
    float *params, *grads, *stats, *logits;
    size_t views, samples;
} bench;

static float *room(size_t count)
{
    float *p = calloc(count + 1, sizeof *p);
    assert_non_null(p);
    return p;
}

static void bench_open_for(bench *t, const jsni_backend_ops *ops,
                           const jsni_graph *graph, jsn_precision precision,
                           size_t members, size_t views, size_t samples)
{
    const jsni_plan_options options = {.batch = samples,
                                       .views = views,
                                       .precision = precision,
                                       .training = true,
                                       .optimiser_slots = 1,
                                       .members = members};
    memset(t, 0, sizeof *t);
    t->views = views;
    t->samples = samples;
    assert_ok(ops->open(&t->backend, 0));
    assert_ok(jsni_plan_create(t->backend, graph, &options, &t->plan));
    t->params = room(graph->param_floats);
    t->grads = room(graph->param_floats);
    t->stats = room(graph->stat_floats);
    t->logits = room(views * samples * CLASSES);
    for (size_t m = 0; m < (members > 1 ? members : 1); m++) {
        jsni_graph_init(graph, 7 + m, t->params, t->stats);
        /* Weights and biases of BatchNorm that tell channels apart. */
        jsni_rng rng = jsni_rng_stream(3, JSNI_RNG_TEST, 0, 9, 0);
        for (size_t i = 0; i < graph->param_count; i++) {
            const jsni_tensor *p = &graph->params[i];
            for (size_t k = 0; k < p->count; k++) {
                if (p->role == JSNI_ROLE_NORM_WEIGHT)
                    t->params[p->offset + k] =
                        0.75f + 0.5f * (float)jsni_rng_uniform(&rng);
                if (p->role == JSNI_ROLE_NORM_BIAS)
                    t->params[p->offset + k] = (float)jsni_rng_uniform(&rng) - 0.5f;
            }
        }
        const jsni_backend_ops *own = t->plan->ops;
        assert_ok(own->upload(t->plan, m, JSNI_BLOCK_PARAMETERS, t->params));
        assert_ok(own->upload(t->plan, m, JSNI_BLOCK_STATISTICS, t->stats));
    }
}

static void bench_open(bench *t, const jsni_backend_ops *ops, const jsni_graph *graph,
                       jsn_precision precision, size_t members)
{
    bench_open_for(t, ops, graph, precision, members, VIEWS, SAMPLES);
}

static void bench_close(bench *t)
{
    jsni_plan_destroy(t->plan);
    jsni_backend_close(t->backend);
    free(t->params);
    free(t->grads);
    free(t->stats);
    free(t->logits);
}

static void read_all(bench *t, size_t member)
{
    const jsni_backend_ops *own = t->plan->ops;
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_PARAMETERS, t->params));
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_GRADIENTS, t->grads));
    assert_ok(own->download(t->plan, member, JSNI_BLOCK_STATISTICS, t->stats));
}

static void one_step(bench *t, const char *spec, const float *x, const int32_t *y,
                     double rate, double *value)
{
    const jsni_backend_ops *own = t->plan->ops;
    const jsni_labels labels = {.labels = y};
    const jsni_pass pass = {true, 1, 0};
    const jsni_update update = {.kind = JSNI_OPTIM_SGD,
                                .rate = rate,
                                .decay = 5e-4,
                                .decay_all = true,
                                .step = 1,
                                .momentum = 0.9,
                                .nesterov = true};
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, CLASSES, t->views));
    const jsni_losses losses = {loss, NULL};
    assert_ok(own->set_input(t->plan, 0, x, t->views, t->samples));
    assert_ok(own->set_labels(t->plan, 0, &labels));
    assert_ok(own->forward(t->plan, &pass));
    assert_ok(own->read_output(t->plan, 0, t->logits));
    assert_ok(own->loss(t->plan, &losses));
    assert_ok(own->backward(t->plan));
    assert_ok(own->update(t->plan, &update));
    assert_ok(own->read_loss(t->plan, 0, value, NULL));
    read_all(t, 0);
    jsn_loss_destroy(loss);
}

static double distance(const float *got, const float *want, size_t count)
{
    double e = 0.0, r = 1e-30;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)got[i] - (double)want[i];
        e += d * d;
        r += (double)want[i] * (double)want[i];
    }
    return sqrt(e / r);
}

/* Logits, all gradients as one vector, running statistics; and each gradient against
 * `spread`, what the plain path of the same precision is off by: [param_count], filled
 * when `fill`, else held to. */
static void compare(const char *what, const jsni_graph *graph, const bench *got,
                    const bench *want, double logits, double grads, double *spread,
                    bool fill)
{
    const double d =
        distance(got->logits, want->logits, got->views * got->samples * CLASSES);
    const double all = distance(got->grads, want->grads, graph->param_floats);
    const double s = distance(got->stats, want->stats, graph->stat_floats);
    print_message("%s: logits off by %.2e, gradients by %.2e, statistics by %.2e\n",
                  what, d, all, s);
    if (!(d <= logits))
        fail_msg("%s: logits off by %g", what, d);
    if (!(all <= grads))
        fail_msg("%s: gradients off by %g", what, all);
    if (!(s <= 1e-2))
        fail_msg("%s: running statistics off by %g", what, s);
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *p = &graph->params[i];
        const double g =
            distance(got->grads + p->offset, want->grads + p->offset, p->count);
        if (fill)
            spread[i] = g;
        else if (!(g <= 2.0 * spread[i] + 0.05))
            fail_msg("%s: gradient of %s off by %g, the plain path by %g", what,
                     p->name, g, spread[i]);
    }
}

/* Every precision, plain kernels and own ones, on a batch of that shape. */
static void precisions_agree(size_t views, size_t samples)
{
    const jsni_backend_ops *ops = cuda();
    static const struct {
        const char *name, *plain;
        jsn_precision precision;
        double logits, grads;
        bool fill; /* is the path that the next ones are held to */
    } cases[] = {{"fp32", "0", JSN_PRECISION_FP32, 2e-5, 1e-2, true},
                 {"tf32 plain", "1", JSN_PRECISION_TF32, 5e-3, 1e-1, true},
                 {"tf32 own", "0", JSN_PRECISION_TF32, 5e-3, 1e-1, false},
                 {"bf16 plain", "1", JSN_PRECISION_BF16, 3e-2, 2.5e-1, true},
                 {"bf16 own", "0", JSN_PRECISION_BF16, 3e-2, 2.5e-1, false}};
    const char *loss = views > 1 ? "gjs:pi1=0.5" : "ce";
    jsni_graph *graph = small_preact();
    float *x = room(views * samples * 3 * PIXELS);
    int32_t *y = calloc(samples, sizeof *y);
    double *spread = calloc(graph->param_count, sizeof *spread);
    assert_non_null(y);
    assert_non_null(spread);
    rig_fill(x, views * samples * 3 * PIXELS, 40);
    for (size_t i = 0; i < samples; i++)
        y[i] = (int32_t)(i % CLASSES);
    bench want, got;
    double value = 0.0, reached = 0.0;
    bench_open_for(&want, ref(), graph, JSN_PRECISION_FP32, 1, views, samples);
    one_step(&want, loss, x, y, 0.1, &value);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(setenv("JENSEN_CUDA_PLAIN", cases[i].plain, 1), 0);
        bench_open_for(&got, ops, graph, cases[i].precision, 1, views, samples);
        one_step(&got, loss, x, y, 0.1, &reached);
        /* With few images a mask that flips weighs more. */
        const double few = views * samples < 16 ? 1.6 : 1.0;
        compare(cases[i].name, graph, &got, &want, few * cases[i].logits,
                few * cases[i].grads, spread, cases[i].fill);
        assert_close(reached, value, 0, 2e-2);
        bench_close(&got);
    }
    assert_int_equal(unsetenv("JENSEN_CUDA_PLAIN"), 0);
    bench_close(&want);
    free(spread);
    free(x);
    free(y);
    jsni_graph_destroy(graph);
}

static void test_each_precision_agrees_with_ref(void **state)
{
    (void)state;
    precisions_agree(VIEWS, SAMPLES);
}

/* Odd numbers of groups of 8 images, which no cluster of two blocks can share; even ones;
 * and samples that are no multiple of 8. */
static void test_other_batches_agree_with_ref(void **state)
{
    (void)state;
    precisions_agree(1, SAMPLES);
    precisions_agree(1, 3 * SAMPLES);
    precisions_agree(1, 4 * SAMPLES);
    precisions_agree(3, SAMPLES);
    precisions_agree(2, SAMPLES + 4);
}

static void test_strided_convolutions_agree_with_ref(void **state)
{
    (void)state;
    strided_agree_with_ref(cuda(), ref());
}

static void test_strided_blocks_agree_with_ref(void **state)
{
    (void)state;
    strided_blocks_agree_with_ref(cuda(), ref());
}

static void test_an_evaluation_is_described(void **state)
{
    (void)state;
    strided_evaluation_is_described(cuda());
}

/* ---- resident data ---- */

typedef struct data {
    uint8_t images[IMAGES][PIXELS][3];
    int32_t labels[IMAGES], truth[IMAGES];
    uint32_t order[IMAGES];
} data;

static data *make_data(void)
{
    data *d = malloc(sizeof *d);
    assert_non_null(d);
    jsni_rng rng = jsni_rng_stream(11, JSNI_RNG_TEST, 0, 0, 0);
    for (size_t i = 0; i < IMAGES; i++) {
        /* Some images with few colours, so that statistics differ. */
        const uint32_t span = i % 4 == 0 ? 20 : i % 4 == 1 ? 1 : 256;
        for (size_t p = 0; p < PIXELS; p++)
            for (size_t c = 0; c < 3; c++)
                d->images[i][p][c] = (uint8_t)(jsni_rng_below(&rng, span) + i % 40);
        d->labels[i] = (int32_t)jsni_rng_below(&rng, CLASSES);
        d->truth[i] =
            i % 3 == 0 ? (int32_t)jsni_rng_below(&rng, CLASSES) : d->labels[i];
        d->order[i] = (uint32_t)((i * 29) % IMAGES);
    }
    return d;
}

/* A network whose output is its input, so that an evaluation shows the batch. */
static jsni_graph *mirror(void)
{
    jsni_builder b;
    jsni_build_begin(&b, "mirror", (jsni_shape){3, 32, 32}, 3 * PIXELS);
    (void)jsni_build_flatten(&b, "flat", jsni_build_input(&b));
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

static size_t count_different(const data *d, const char *spec, jsni_plan *plan,
                              uint32_t epoch)
{
    jsn_augment *pipeline = NULL;
    jsn_augment_scratch *scratch = NULL;
    assert_ok(jsn_augment_create(&pipeline, spec, 32, 32, mean, deviation));
    assert_ok(jsn_augment_scratch_create(&scratch));
    float *got = room((size_t)IMAGES * 3 * PIXELS), *want = room(3 * PIXELS);
    const struct jsni_resident_ops *resident = plan->ops->resident;
    jsni_resident_query query = {.set = JSNI_RESIDENT_TEST,
                                 .count = IMAGES,
                                 .augment = pipeline,
                                 .purpose = JSNI_RNG_AUGMENT,
                                 .seed = 77,
                                 .epoch = epoch};
    memcpy(query.mean, mean, sizeof mean);
    memcpy(query.deviation, deviation, sizeof deviation);
    assert_ok(resident->evaluate(plan, 0, &query, got));
    size_t different = 0;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const jsn_augment_key key = {77, epoch, i, 0, 0};
        const jsn_image image = {(uint8_t *)(uintptr_t)d->images[i], 32, 32};
        assert_ok(jsn_augment_apply(pipeline, scratch, &image, &key, want));
        different +=
            memcmp(got + (size_t)i * 3 * PIXELS, want, 3 * PIXELS * sizeof *want) != 0;
    }
    free(got);
    free(want);
    jsn_augment_destroy(pipeline);
    jsn_augment_scratch_destroy(scratch);
    return different;
}

static void test_augmentation_has_the_bits_of_the_host(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda();
    static const char *const specs[] = {"none", "weak", "strong",
                                        "randaugment:n=1,m=10+crop:pad=4+flip",
                                        "randaugment:n=1,m=20"};
    jsni_graph *graph = mirror();
    data *d = make_data();
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    const jsni_plan_options options = {.batch = 16, .views = 1};
    assert_ok(ops->open(&backend, 0));
    assert_ok(jsni_plan_create(backend, graph, &options, &plan));
    const jsni_resident_images images = {&d->images[0][0][0], IMAGES, 32, 32};
    assert_ok(plan->ops->resident->set_images(plan, JSNI_RESIDENT_TEST, &images));
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (uint32_t epoch = 0; epoch < 20; epoch++) {
            const size_t different = count_different(d, specs[i], plan, epoch);
            if (different != 0)
                fail_msg("%s: %zu of %d images differ in epoch %u", specs[i], different,
                         IMAGES, (unsigned)epoch);
        }
    jsni_plan_destroy(plan);
    jsni_backend_close(backend);
    free(d);
    jsni_graph_destroy(graph);
}

/* All members have GJS and two views but member 0 of a mixed plan: cross-entropy and
 * one. */
static void run_epoch(bench *t, const data *d, size_t members, bool mixed, size_t steps,
                      const char *augment, jsni_resident_result *result)
{
    const struct jsni_resident_ops *resident = t->plan->ops->resident;
    const jsni_resident_images images = {&d->images[0][0][0], IMAGES, 32, 32};
    const jsni_resident_labels labels = {d->labels, d->truth, NULL};
    jsn_augment *pipeline = NULL;
    jsn_loss *loss = NULL, *other = NULL;
    assert_ok(jsn_augment_create(&pipeline, augment, 32, 32, mean, deviation));
    assert_ok(jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    assert_ok(jsn_loss_create(&other, "ce", CLASSES, 1));
    assert_ok(resident->set_images(t->plan, JSNI_RESIDENT_TRAIN, &images));
    double rates[IMAGES / SAMPLES];
    for (size_t s = 0; s < IMAGES / SAMPLES; s++)
        rates[s] = 0.1 / (double)(s + 1);
    const jsni_update update = {.kind = JSNI_OPTIM_SGD,
                                .decay = 5e-4,
                                .decay_all = true,
                                .momentum = 0.9,
                                .nesterov = true};
    jsni_resident_member own[4];
    for (size_t m = 0; m < members; m++) {
        assert_ok(resident->set_labels(t->plan, m, &labels));
        const bool one = mixed && m == 0;
        own[m] = (jsni_resident_member){.order = d->order,
                                        .rates = rates,
                                        .seed = 100 + m,
                                        .views = one ? 1 : VIEWS,
                                        .losses = {one ? other : loss, NULL},
                                        .update = update};
    }
    jsni_resident_epoch epoch = {.members = own,
                                 .steps = steps,
                                 .batch = SAMPLES,
                                 .augment = pipeline,
                                 .epoch = 3};
    memcpy(epoch.mean, mean, sizeof mean);
    memcpy(epoch.deviation, deviation, sizeof deviation);
    size_t done = 0;
    assert_ok(resident->epoch(t->plan, &epoch, NULL, NULL, &done, result));
    assert_int_equal(done, steps);
    jsn_loss_destroy(loss);
    jsn_loss_destroy(other);
    jsn_augment_destroy(pipeline);
}

static void assert_same_blocks(const bench *a, const bench *b, const jsni_graph *graph)
{
    assert_memory_equal(a->params, b->params, graph->param_floats * 4);
    assert_memory_equal(a->stats, b->stats, graph->stat_floats * 4);
}

/* A device, the small network and data for it. */
typedef struct stage {
    const jsni_backend_ops *ops;
    jsni_graph *graph;
    data *data;
} stage;

static stage stage_open(void)
{
    const jsni_backend_ops *ops = cuda();
    return (stage){ops, small_preact(), make_data()};
}

static void stage_close(stage *s)
{
    free(s->data);
    jsni_graph_destroy(s->graph);
}

static void test_a_recorded_step_has_the_bits_of_single_calls(void **state)
{
    (void)state;
    stage s = stage_open();
    const jsni_graph *graph = s.graph;
    const data *d = s.data;
    float *x = room((size_t)VIEWS * SAMPLES * 3 * PIXELS);
    int32_t y[SAMPLES];
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t i = 0; i < SAMPLES; i++) {
            y[i] = d->labels[d->order[i]];
            for (size_t p = 0; p < PIXELS; p++)
                for (size_t c = 0; c < 3; c++)
                    x[((v * SAMPLES + i) * 3 + c) * PIXELS + p] =
                        ((float)d->images[d->order[i]][p][c] / 255.0f - mean[c]) /
                        deviation[c];
        }
    static const jsn_precision precisions[] = {JSN_PRECISION_FP32, JSN_PRECISION_TF32,
                                               JSN_PRECISION_BF16};
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        bench one, two;
        double value = 0.0;
        jsni_resident_result result;
        bench_open(&one, s.ops, graph, precisions[i], 1);
        bench_open(&two, s.ops, graph, precisions[i], 1);
        one_step(&one, "gjs:pi1=0.5", x, y, 0.1, &value);
        run_epoch(&two, d, 1, false, 1, "none", &result);
        read_all(&two, 0);
        assert_memory_equal(one.grads, two.grads, graph->param_floats * 4);
        assert_same_blocks(&one, &two, graph);
        assert_true(result.loss_sum == value * SAMPLES);
        assert_int_equal(result.samples, SAMPLES);
        size_t fits = 0, true_labels = 0;
        for (size_t k = 0; k < SAMPLES; k++) {
            size_t best = 0;
            for (size_t c = 1; c < CLASSES; c++)
                if (one.logits[k * CLASSES + c] > one.logits[k * CLASSES + best])
                    best = c;
            fits += (int32_t)best == y[k];
            true_labels += d->truth[d->order[k]] == y[k];
        }
        assert_int_equal(result.fits[0], fits);
        assert_int_equal(result.true_samples, true_labels);
        bench_close(&one);
        bench_close(&two);
    }
    free(x);
    stage_close(&s);
}

static void members_and_repetition(bool mixed, jsn_precision precision)
{
    stage s = stage_open();
    const jsni_graph *graph = s.graph;
    const data *d = s.data;
    bench three, again;
    jsni_resident_result results[4], alone[4];
    bench_open(&three, s.ops, graph, precision, 3);
    bench_open(&again, s.ops, graph, precision, 3);
    run_epoch(&three, d, 3, mixed, IMAGES / SAMPLES, "strong", results);
    run_epoch(&again, d, 3, mixed, IMAGES / SAMPLES, "strong", alone);
    for (size_t m = 0; m < 3; m++) {
        read_all(&three, m);
        read_all(&again, m);
        assert_same_blocks(&three, &again, graph);
        assert_memory_equal(&results[m].loss_sum, &alone[m].loss_sum, sizeof(double));
    }
    /* Member 0 alone. */
    bench single;
    bench_open(&single, s.ops, graph, precision, 1);
    run_epoch(&single, d, 1, mixed, IMAGES / SAMPLES, "strong", alone);
    read_all(&single, 0);
    read_all(&three, 0);
    assert_memory_equal(three.params, single.params, graph->param_floats * 4);
    for (size_t i = 0; i < graph->param_floats; i++)
        assert_true(isfinite(single.params[i]));
    assert_true(isfinite(results[0].loss_sum));
    bench_close(&single);
    bench_close(&three);
    bench_close(&again);
    stage_close(&s);
}

static void test_members_and_repetition_give_the_same_bits(void **state)
{
    (void)state;
    members_and_repetition(false, JSN_PRECISION_BF16);
    members_and_repetition(false, JSN_PRECISION_TF32);
}

static void test_members_of_different_losses_give_the_same_bits(void **state)
{
    (void)state;
    members_and_repetition(true, JSN_PRECISION_BF16);
}

static void test_streamed_images_give_the_same_bits(void **state)
{
    (void)state;
    stage s = stage_open();
    const jsni_graph *graph = s.graph;
    const data *d = s.data;
    bench kept, streamed;
    jsni_resident_result results[4], others[4];
    bench_open(&kept, s.ops, graph, JSN_PRECISION_BF16, 1);
    bench_open(&streamed, s.ops, graph, JSN_PRECISION_BF16, 1);
    run_epoch(&kept, d, 1, false, IMAGES / SAMPLES, "strong", results);
    assert_int_equal(setenv("JENSEN_CUDA_STREAM", "1", 1), 0);
    run_epoch(&streamed, d, 1, false, IMAGES / SAMPLES, "strong", others);
    assert_int_equal(unsetenv("JENSEN_CUDA_STREAM"), 0);
    read_all(&kept, 0);
    read_all(&streamed, 0);
    assert_same_blocks(&kept, &streamed, graph);
    assert_memory_equal(&results[0].loss_sum, &others[0].loss_sum, sizeof(double));
    bench_close(&kept);
    bench_close(&streamed);
    stage_close(&s);
}

/* An evaluation takes a multiple of the batch, which may be one of own kernels where the
 * batch itself is not. */
static void test_evaluations_agree_whatever_the_batch(void **state)
{
    (void)state;
    static const size_t batches[] = {SAMPLES, 5, 12, 20};
    stage s = stage_open();
    const jsni_resident_images images = {&s.data->images[0][0][0], IMAGES, 32, 32};
    jsni_resident_query query = {.set = JSNI_RESIDENT_TEST, .count = IMAGES};
    float *logits = room((size_t)IMAGES * CLASSES),
          *want = room((size_t)IMAGES * CLASSES);
    memcpy(query.mean, mean, sizeof mean);
    memcpy(query.deviation, deviation, sizeof deviation);
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        bench t;
        bench_open_for(&t, s.ops, s.graph, JSN_PRECISION_BF16, 1, 1, batches[i]);
        const struct jsni_resident_ops *resident = t.plan->ops->resident;
        assert_ok(resident->set_images(t.plan, JSNI_RESIDENT_TEST, &images));
        assert_ok(resident->evaluate(t.plan, 0, &query, i == 0 ? want : logits));
        const double off =
            i == 0 ? 0.0 : distance(logits, want, (size_t)IMAGES * CLASSES);
        if (!(off <= 3e-2))
            fail_msg("batch %zu: logits off by %g", batches[i], off);
        bench_close(&t);
    }
    free(logits);
    free(want);
    stage_close(&s);
}

static void test_what_does_not_fit_is_said(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda();
    jsni_graph *graph = small_preact();
    jsni_backend *backend = NULL;
    jsni_plan *plan = NULL;
    assert_fails(ops->open(&backend, 4711), JSN_ERR_DEVICE, "4711");
    assert_ok(ops->open(&backend, 0));
    const jsni_plan_options options = {.batch = 4000000, .views = 2, .training = true};
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_MEMORY,
                 "MiB");
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

/* Of several plans, one after the other, nothing stays. Other programs may take memory of
 * the device at the same time, so the best of three tries counts; a workspace that is
 * never freed (64 MiB a plan) costs every try 512 MiB. */
static void test_a_plan_gives_all_memory_back(void **state)
{
    (void)state;
    const jsni_backend_ops *ops = cuda();
    jsni_graph *graph = small_preact();
    jsni_backend *backend = NULL;
    assert_ok(ops->open(&backend, 0));
    const jsni_plan_options options = {.batch = SAMPLES,
                                       .views = VIEWS,
                                       .training = true,
                                       .precision = JSN_PRECISION_BF16,
                                       .optimiser_slots = 1};
    size_t lost = SIZE_MAX;
    for (int try = 0; try < 3; try++) {
        size_t before = 0;
        for (int i = 0; i < 9; i++) { /* the first one loads kernels, too */
            jsni_plan *plan = NULL;
            assert_ok(jsni_plan_create(backend, graph, &options, &plan));
            jsni_plan_destroy(plan);
            if (i == 0)
                before = backend->ops->memory_available(backend);
        }
        const size_t after = backend->ops->memory_available(backend);
        const size_t gone = before > after ? before - after : 0;
        lost = gone < lost ? gone : lost;
    }
    if (lost >= (size_t)64 << 20)
        fail_msg("%zu bytes of the device are gone after 8 plans", lost);
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_precision_agrees_with_ref),
        cmocka_unit_test(test_other_batches_agree_with_ref),
        cmocka_unit_test(test_strided_convolutions_agree_with_ref),
        cmocka_unit_test(test_strided_blocks_agree_with_ref),
        cmocka_unit_test(test_an_evaluation_is_described),
        cmocka_unit_test(test_augmentation_has_the_bits_of_the_host),
        cmocka_unit_test(test_a_recorded_step_has_the_bits_of_single_calls),
        cmocka_unit_test(test_members_and_repetition_give_the_same_bits),
        cmocka_unit_test(test_members_of_different_losses_give_the_same_bits),
        cmocka_unit_test(test_streamed_images_give_the_same_bits),
        cmocka_unit_test(test_evaluations_agree_whatever_the_batch),
        cmocka_unit_test(test_what_does_not_fit_is_said),
        cmocka_unit_test(test_a_plan_gives_all_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
