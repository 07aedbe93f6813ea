/* tests/loss/test_loss_batch.c - weights, per-sample values, two losses in one batch,
 * threads, memory, and what is refused. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { CLASSES = 5, SAMPLES = 40, VIEWS = 2, ROW = SAMPLES * CLASSES };
enum { COUNT = VIEWS * ROW };

static float logits[COUNT];
static float targets[ROW];
static int32_t labels[SAMPLES];

static void fill(void)
{
    uint32_t seed = 3;
    for (size_t k = 0; k < COUNT; k++) {
        seed = seed * 1664525u + 1013904223u;
        logits[k] = (float)(seed >> 8) / (float)(1u << 22) - 2.0f;
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        labels[i] = (int32_t)(i * 3 % CLASSES);
        for (size_t k = 0; k < CLASSES; k++)
            targets[i * CLASSES + k] = k == (size_t)labels[i] ? 0.6f : 0.1f;
    }
}

static jsn_loss_batch make_batch(void)
{
    jsn_loss_batch batch;
    fill();
    jsn_loss_batch_init(&batch);
    batch.samples = SAMPLES;
    batch.logits = logits;
    batch.labels = labels;
    return batch;
}

static jsn_loss *make_loss(const char *spec, jsni_loss_level level)
{
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, CLASSES, VIEWS));
    assert_ok(jsni_loss_set_level(loss, level));
    return loss;
}

/* Per-sample values and gradients of the sum, without weights. */
static void eval_single(jsn_loss *loss, const jsn_loss_batch *like, double *values,
                        float *grad)
{
    jsn_loss_batch batch = *like;
    batch.class_weights = batch.sample_weights = NULL;
    batch.other = NULL;
    batch.use_other = NULL;
    jsn_loss_result result = {0.0, values, grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    for (size_t k = 0; k < COUNT; k++)
        grad[k] *= SAMPLES;
}

/* The weighted mean and its gradient follow from those of the single samples. */
static void check_weights(const char *spec, jsni_loss_level level, bool soft,
                          const double *class_weights, const double *sample_weights)
{
    double values[SAMPLES];
    double again[SAMPLES];
    static float single[COUNT], grad[COUNT];
    jsn_loss *loss = make_loss(spec, level);
    jsn_loss_batch batch = make_batch();
    if (soft) {
        batch.labels = NULL;
        batch.targets = targets;
    }
    eval_single(loss, &batch, values, single);
    batch.class_weights = class_weights;
    batch.sample_weights = sample_weights;
    jsn_loss_result result = {0.0, again, grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    double weights[SAMPLES];
    double sum = 0.0;
    double total = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double weight = sample_weights == NULL ? 1.0 : sample_weights[i];
        if (class_weights != NULL && !soft)
            weight *= class_weights[labels[i]];
        if (class_weights != NULL && soft) {
            double mean = 0.0;
            for (size_t k = 0; k < CLASSES; k++)
                mean += class_weights[k] * (double)targets[i * CLASSES + k];
            weight *= mean;
        }
        weights[i] = weight;
        sum += weight * values[i];
        total += weight;
        assert_close(again[i], values[i], 0, 0);
    }
    assert_close(result.mean, sum / total, 1e-12, 1e-12);
    for (size_t k = 0; k < COUNT; k++)
        assert_close((double)grad[k],
                     weights[k % ROW / CLASSES] * (double)single[k] / total, 1e-8,
                     1e-5);
    jsn_loss_destroy(loss);
}

static void test_weights_divide_by_their_sum(void **state)
{
    (void)state;
    static const double class_weights[CLASSES] = {0.5, 2.0, 0.0, 1.0, 3.0};
    double sample_weights[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++)
        sample_weights[i] = (double)(i % 4) * 0.75;
    static const char *const specs[] = {"gjs", "ce", "bs", "nce"};
    for (size_t s = 0; s < 4; s++)
        for (int level = JSNI_LOSS_DOUBLE; level <= JSNI_LOSS_AVX512; level++)
            for (int soft = 0; soft <= 1; soft++) {
                if (!jsni_loss_level_exists((jsni_loss_level)level))
                    continue;
                check_weights(specs[s], (jsni_loss_level)level, soft != 0,
                              class_weights, NULL);
                check_weights(specs[s], (jsni_loss_level)level, soft != 0, NULL,
                              sample_weights);
                check_weights(specs[s], (jsni_loss_level)level, soft != 0,
                              class_weights, sample_weights);
            }
}

static void test_a_divisor_replaces_the_sum_of_the_weights(void **state)
{
    (void)state;
    static float mean_grad[COUNT], sum_grad[COUNT];
    double weights[SAMPLES];
    double total = 0.0;
    for (size_t i = 0; i < SAMPLES; i++)
        total += weights[i] = (double)(i % 4) * 0.75;
    jsn_loss *loss = make_loss("gjs", JSNI_LOSS_AUTO);
    jsn_loss_batch batch = make_batch();
    batch.sample_weights = weights;
    jsn_loss_result mean = {0.0, NULL, mean_grad}, sum = {0.0, NULL, sum_grad};
    assert_ok(jsn_loss_eval(loss, &batch, &mean));
    batch.divisor = 1.0;
    assert_ok(jsn_loss_eval(loss, &batch, &sum));
    assert_close(sum.mean, mean.mean * total, 0, 1e-12);
    for (size_t k = 0; k < COUNT; k++)
        assert_close((double)sum_grad[k], (double)mean_grad[k] * total, 1e-7, 1e-5);
    for (size_t i = 0; i < SAMPLES; i++)
        weights[i] = 0.0;
    assert_ok(jsn_loss_eval(loss, &batch, &sum));
    assert_true(sum.mean == 0.0);
    batch.divisor = -1.0;
    assert_fails(jsn_loss_eval(loss, &batch, &sum), JSN_ERR_RANGE, "divisor");
    batch.divisor = NAN;
    assert_fails(jsn_loss_eval(loss, &batch, &sum), JSN_ERR_RANGE, "divisor");
    jsn_loss_destroy(loss);
}

/* One handle on float64, then on float32 logits, at every level. */
static void test_a_loss_can_change_its_level(void **state)
{
    (void)state;
    static double wide[COUNT];
    static float first[COUNT], second[COUNT];
    jsn_loss_batch batch = make_batch();
    for (size_t k = 0; k < COUNT; k++)
        wide[k] = logits[k];
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
        if (!jsni_loss_level_exists((jsni_loss_level)level))
            continue;
        jsn_loss *fresh = make_loss("gjs", (jsni_loss_level)level);
        jsn_loss *used = make_loss("gjs", (jsni_loss_level)level);
        jsn_loss_result want = {0.0, NULL, first}, got = {0.0, NULL, NULL};
        jsn_loss_batch other = batch;
        other.type = JSN_LOSS_F64;
        other.logits = wide;
        assert_ok(jsn_loss_eval(used, &other, &got));
        got.grad = second;
        assert_ok(jsn_loss_eval(used, &batch, &got));
        assert_ok(jsn_loss_eval(fresh, &batch, &want));
        assert_true(got.mean == want.mean);
        assert_memory_equal(first, second, sizeof first);
        jsn_loss_destroy(fresh);
        jsn_loss_destroy(used);
    }
}

/* gjs on most samples, a one-view loss that reads the first view on the others. */
static void check_mixed(jsni_loss_level level, bool first_only)
{
    double values[3][SAMPLES];
    static float grads[3][COUNT];
    uint8_t use_other[SAMPLES];
    jsn_loss *gjs = make_loss("gjs", level);
    jsn_loss *ce = make_loss("ce", level);
    jsn_loss_batch batch = make_batch();
    jsni_loss_first_view_only(ce, first_only);
    eval_single(gjs, &batch, values[0], grads[0]);
    eval_single(ce, &batch, values[1], grads[1]);
    for (size_t k = ROW; k < COUNT && first_only; k++)
        assert_close((double)grads[1][k], 0.0, 0, 0);

    for (size_t i = 0; i < SAMPLES; i++)
        use_other[i] = i % 3 == 1 ? 200 : 0;
    batch.other = ce;
    batch.use_other = use_other;
    jsn_loss_result result = {0.0, values[2], grads[2]};
    assert_ok(jsn_loss_eval(gjs, &batch, &result));
    double sum = 0.0;
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t which = use_other[i] != 0;
        assert_close(values[2][i], values[which][i], 0, 0);
        sum += values[which][i];
        for (size_t v = 0; v < VIEWS; v++)
            for (size_t k = 0; k < CLASSES; k++) {
                const size_t at = v * ROW + i * CLASSES + k;
                assert_close((double)grads[2][at], (double)grads[which][at] / SAMPLES,
                             1e-9, 1e-6);
            }
    }
    assert_close(result.mean, sum / SAMPLES, 1e-12, 1e-12);

    /* In place, as the header allows. */
    result.grad = logits;
    const double mean = result.mean;
    assert_ok(jsn_loss_eval(gjs, &batch, &result));
    assert_close(result.mean, mean, 0, 0);
    assert_memory_equal(logits, grads[2], sizeof logits);
    jsn_loss_destroy(ce);
    jsn_loss_destroy(gjs);
}

static void test_two_losses_share_a_batch(void **state)
{
    (void)state;
    for (int level = JSNI_LOSS_DOUBLE; level <= JSNI_LOSS_AVX512; level++)
        if (jsni_loss_level_exists((jsni_loss_level)level)) {
            check_mixed((jsni_loss_level)level, true);
            check_mixed((jsni_loss_level)level, false);
        }
}

/* First view alone: the value of a batch with that view and nothing else, and after
 * switching it off the loss of all views. */
static void check_first_view(const char *spec, jsni_loss_level level, bool soft)
{
    double one[SAMPLES], both[SAMPLES], before[SAMPLES];
    static float grad[COUNT], grad_one[ROW];
    jsn_loss *loss = make_loss(spec, level);
    jsn_loss *single = NULL;
    jsn_loss_batch batch = make_batch();
    if (soft) {
        batch.labels = NULL;
        batch.targets = targets;
    }
    jsn_loss_result all = {0.0, before, NULL};
    assert_ok(jsn_loss_eval(loss, &batch, &all));
    assert_ok(jsn_loss_create(&single, spec, CLASSES, 1));
    assert_ok(jsni_loss_set_level(single, level));
    jsni_loss_first_view_only(loss, true);
    jsn_loss_result result = {0.0, both, grad};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    jsn_loss_result alone = {0.0, one, grad_one};
    assert_ok(jsn_loss_eval(single, &batch, &alone));
    assert_memory_equal(one, both, sizeof one);
    assert_memory_equal(grad_one, grad, sizeof grad_one);
    for (size_t k = ROW; k < COUNT; k++)
        assert_close((double)grad[k], 0.0, 0, 0);
    assert_close(result.mean, alone.mean, 0, 0);
    jsni_loss_first_view_only(loss, false);
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_memory_equal(before, both, sizeof before);
    jsn_loss_destroy(single);
    jsn_loss_destroy(loss);
}

static void test_first_view_only_is_the_loss_of_one_view(void **state)
{
    (void)state;
    static const char *const specs[] = {"js:pi1=0.3", "gjs:pi1=0.3", "gjs-nocons",
                                        "gjs-nocons:code=1", "gjs-consistency"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (int soft = 0; soft < 2; soft++) {
            check_first_view(specs[i], JSNI_LOSS_DOUBLE, soft != 0);
            check_first_view(specs[i], JSNI_LOSS_PLAIN, soft != 0);
            check_first_view(specs[i], JSNI_LOSS_AUTO, soft != 0);
        }
}

/* The bits of everything, for one to four threads, with and without weights. */
static void check_threads(const char *spec, size_t classes, size_t samples)
{
    const size_t count = VIEWS * samples * classes;
    float *z = malloc(count * sizeof *z);
    float *grad[2] = {malloc(count * sizeof(float)), malloc(count * sizeof(float))};
    int32_t *y = malloc(samples * sizeof *y);
    double *weights = malloc(samples * sizeof *weights);
    double *values[2] = {malloc(samples * sizeof(double)),
                         malloc(samples * sizeof(double))};
    double mean = 0.0;
    for (size_t k = 0; k < count; k++)
        z[k] = (float)((k * 2654435761u >> 7) % 1000) / 150.0f;
    for (size_t i = 0; i < samples; i++) {
        y[i] = (int32_t)(i * 7 % classes);
        weights[i] = 0.5 + (double)(i % 7);
    }
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = samples;
    batch.logits = z;
    batch.labels = y;
    batch.sample_weights = weights;
    for (size_t threads = 1; threads <= 4; threads++) {
        const size_t at = threads > 1;
        jsn_loss *loss = NULL;
        assert_ok(jsn_loss_create(&loss, spec, classes, VIEWS));
        assert_ok(jsn_loss_set_threads(loss, threads));
        jsn_loss_result result = {0.0, values[at], grad[at]};
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        if (threads > 1) {
            assert_true(mean == result.mean);
            assert_memory_equal(grad[0], grad[1], count * sizeof(float));
            assert_memory_equal(values[0], values[1], samples * sizeof(double));
        }
        mean = result.mean;
        jsn_loss_destroy(loss);
    }
    free(z);
    free(y);
    free(weights);
    for (size_t i = 0; i < 2; i++) {
        free(grad[i]);
        free(values[i]);
    }
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    check_threads("gjs", 10, 5003);
    check_threads("ce", 10, 5003);
    check_threads("gjs", 300, 301);
    check_threads("gjs:pi1=0.999", 130, 301);
    /* Large enough that gradients are written past the caches. */
    check_threads("gjs", 1003, 4500);
}

/* A sample's result does not depend on the others or on its place. */
static void test_a_sample_does_not_depend_on_its_place(void **state)
{
    (void)state;
    double values[SAMPLES];
    double last = 0.0;
    jsn_loss *loss = make_loss("gjs", JSNI_LOSS_AUTO);
    jsn_loss_batch batch = make_batch();
    jsn_loss_result result = {0.0, values, NULL};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    float one[VIEWS * CLASSES];
    for (size_t v = 0; v < VIEWS; v++)
        memcpy(one + v * CLASSES, logits + v * ROW + (SAMPLES - 3) * CLASSES,
               CLASSES * sizeof(float));
    batch.samples = 1;
    batch.logits = one;
    batch.labels = labels + SAMPLES - 3;
    result.per_sample = &last;
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    assert_true(last == values[SAMPLES - 3]);
    jsn_loss_destroy(loss);
}

static jsn_status create_and_eval(void *user)
{
    jsn_loss *loss = NULL;
    const jsn_loss_batch *batch = user;
    static float grad[COUNT];
    jsn_status status = jsn_loss_create(&loss, "gjs", CLASSES, VIEWS);
    if (status == JSN_OK)
        status = jsn_loss_set_threads(loss, 2);
    jsn_loss_result result = {0.0, NULL, grad};
    const size_t live = jsni_alloc_live();
    if (status == JSN_OK)
        status = jsn_loss_eval(loss, batch, &result);
    assert_int_equal(jsni_alloc_live(), live);
    jsn_loss_destroy(loss);
    return status;
}

static void test_every_failed_allocation_is_reported(void **state)
{
    (void)state;
    jsn_loss_batch batch = make_batch();
    support_walk_allocations(create_and_eval, &batch);
}

static void test_bad_batches_are_refused(void **state)
{
    (void)state;
    static float grad[COUNT];
    double weights[SAMPLES] = {0};
    uint8_t use_other[SAMPLES] = {0};
    jsn_loss *gce = make_loss("gce", JSNI_LOSS_AUTO);
    jsn_loss *gjs = make_loss("gjs", JSNI_LOSS_AUTO);
    jsn_loss *root = make_loss("js-sqrt", JSNI_LOSS_AUTO);
    jsn_loss_batch batch = make_batch();
    jsn_loss_result result = {-1.0, NULL, grad};

    batch.samples = 0;
    assert_fails(jsn_loss_eval(gce, &batch, &result), JSN_ERR_ARGUMENT, "empty");
    batch = make_batch();
    batch.labels = NULL;
    assert_fails(jsn_loss_eval(gce, &batch, &result), JSN_ERR_ARGUMENT, "labels");
    batch.targets = targets;
    assert_fails(jsn_loss_eval(gce, &batch, &result), JSN_ERR_ARGUMENT, "gce");
    targets[7] += 0.5f;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE, "sample 1 sum");
    targets[7] = -0.1f;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE, "sample 1");
    targets[7] = NAN;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE, "sample 1");
    batch = make_batch();
    labels[4] = CLASSES;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE,
                 "label 5 of sample 4");
    labels[4] = -1;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE,
                 "label -1 of sample 4");
    batch = make_batch();
    batch.sample_weights = weights;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE, "sum to 0");
    weights[2] = -1.0;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_RANGE, "sample 2");
    batch = make_batch();
    batch.other = gce;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_ARGUMENT, "use_other");
    batch.use_other = use_other;
    batch.other = gjs;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_ARGUMENT, "same");
    batch.other = root;
    assert_fails(jsn_loss_eval(gjs, &batch, &result), JSN_ERR_ARGUMENT, "js-sqrt");
    /* All of these left the outputs alone. */
    assert_close(result.mean, -1.0, 0, 0);
    assert_fails(jsn_loss_eval(NULL, &batch, &result), JSN_ERR_ARGUMENT, "NULL");
    jsn_loss_destroy(gce);
    jsn_loss_destroy(gjs);
    jsn_loss_destroy(root);
}

static void test_levels_have_names_and_can_be_refused(void **state)
{
    (void)state;
    assert_string_equal(jsni_loss_level_name(JSNI_LOSS_AVX512), "avx512");
    assert_string_equal(jsni_loss_level_name((jsni_loss_level)99), "unknown");
    assert_false(jsni_loss_level_exists((jsni_loss_level)99));
    jsn_loss *loss = make_loss("ce", JSNI_LOSS_AUTO);
    assert_int_equal(jsni_loss_level_used(loss), JSNI_LOSS_AUTO);
    assert_fails(jsni_loss_set_level(loss, (jsni_loss_level)99), JSN_ERR_UNSUPPORTED,
                 "lacks");
    assert_fails(jsn_loss_set_threads(loss, 1u << 20), JSN_ERR_RANGE, "threads");
    jsn_loss_destroy(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_divide_by_their_sum),
        cmocka_unit_test(test_a_divisor_replaces_the_sum_of_the_weights),
        cmocka_unit_test(test_a_loss_can_change_its_level),
        cmocka_unit_test(test_two_losses_share_a_batch),
        cmocka_unit_test(test_first_view_only_is_the_loss_of_one_view),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_a_sample_does_not_depend_on_its_place),
        cmocka_unit_test(test_every_failed_allocation_is_reported),
        cmocka_unit_test(test_bad_batches_are_refused),
        cmocka_unit_test(test_levels_have_names_and_can_be_refused),
    };
    return cmocka_run_group_tests_name("loss/batch", tests, NULL, NULL);
}
