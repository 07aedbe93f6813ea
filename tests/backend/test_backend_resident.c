/* Data that lives on the device of the CUDA backend: augmentation there, recorded steps,
 * members side by side, streamed images, evaluations; the same bits again. Skipped where
 * there is no device. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "backend/cuda_bench.h"
#include "backend/resident.h"
#include "core/rng.h"
#include "jensen/augment.h"
#include "jensen/loss.h"

enum { IMAGES = 64 };

static const float mean[3] = {0.4914f, 0.4822f, 0.4465f};
static const float deviation[3] = {0.2023f, 0.1994f, 0.2010f};

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
    const jsni_backend_ops *ops = cuda_backend();
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
    const jsni_resident_labels labels = {.labels = d->labels, .truth = d->truth};
    jsn_augment *pipeline = NULL;
    jsn_loss *loss = NULL, *other = NULL;
    assert_ok(jsn_augment_create(&pipeline, augment, 32, 32, mean, deviation));
    assert_ok(jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    assert_ok(jsn_loss_create(&other, "ce", CLASSES, 1));
    assert_ok(resident->set_images(t->plan, JSNI_RESIDENT_TRAIN, &images));
    double rates[IMAGES / SAMPLES];
    for (size_t s = 0; s < IMAGES / SAMPLES; s++)
        rates[s] = 0.1 / (double)(s + 1);
    jsni_update update;
    size_t slots = 0;
    assert_ok(jsni_optim_parse("sgd:momentum=0.9,nesterov=1", &update, &slots));
    update.decay = 5e-4;
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
    const jsni_backend_ops *ops = cuda_backend();
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
        bench_step(&one, "gjs:pi1=0.5", x, y, 0.1, &value);
        run_epoch(&two, d, 1, false, 1, "none", &result);
        bench_read(&two, 0);
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
        bench_read(&three, m);
        bench_read(&again, m);
        assert_same_blocks(&three, &again, graph);
        assert_memory_equal(&results[m].loss_sum, &alone[m].loss_sum, sizeof(double));
    }
    /* Member 0 alone. */
    bench single;
    bench_open(&single, s.ops, graph, precision, 1);
    run_epoch(&single, d, 1, mixed, IMAGES / SAMPLES, "strong", alone);
    bench_read(&single, 0);
    bench_read(&three, 0);
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
    bench_read(&kept, 0);
    bench_read(&streamed, 0);
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
            i == 0 ? 0.0 : rig_distance(logits, want, (size_t)IMAGES * CLASSES);
        if (!(off <= 3e-2))
            fail_msg("batch %zu: logits off by %g", batches[i], off);
        bench_close(&t);
    }
    free(logits);
    free(want);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_augmentation_has_the_bits_of_the_host),
        cmocka_unit_test(test_a_recorded_step_has_the_bits_of_single_calls),
        cmocka_unit_test(test_members_and_repetition_give_the_same_bits),
        cmocka_unit_test(test_members_of_different_losses_give_the_same_bits),
        cmocka_unit_test(test_streamed_images_give_the_same_bits),
        cmocka_unit_test(test_evaluations_agree_whatever_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
