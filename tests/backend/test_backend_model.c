/* Models: training steps, the same bits for any number of threads, and every refusal
 * with its numbers and names. */
#include <math.h>

#include "backend/model_support.h"
#include "core/alloc.h"
#include "core/file.h"
#include "jensen/loss.h"

static void test_training_lowers_the_loss_on_every_backend(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0) {
            print_message("skipped: no device for %s\n", jsni_backend_at(b)->name);
            continue;
        }
        static const char *const optimisers[] = {"sgd", "adamw"};
        for (size_t i = 0; i < 2; i++) {
            jsn_model_options o = model_small(jsni_backend_at(b)->name);
            o.optimiser = optimisers[i];
            jsn_model *model = model_make(&o);
            const double before = model_train(model, "ce", 1, 6, MODEL_IMAGE, 1, 0.02);
            const double after = model_train(model, "ce", 1, 6, MODEL_IMAGE, 30, 0.02);
            assert_true(after < 0.3 * before);
            jsn_model_destroy(model);
        }
    }
}

static void sha_after_training(const char *device, const char *network, size_t side,
                               size_t batch, size_t threads, size_t steps, char hex[65])
{
    jsn_model_options o = model_small(device);
    o.network = network;
    o.height = o.width = side;
    o.batch = batch;
    o.views = 2;
    o.threads = threads;
    jsn_model *model = model_make(&o);
    (void)model_train(model, "gjs:pi1=0.5", 2, batch, 3 * side * side, steps, 0.05);
    assert_ok(jsni_model_sha256(model, hex));
    jsn_model_destroy(model);
}

static void test_weights_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        size_t side, batch, steps;
    } rows[] = {{"cnn:width=6", 11, 5, 4}, {"preactresnet34:width=8", 8, 5, 1}};
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0)
            continue;
        for (size_t r = 0; r < 2; r++) {
            char one[65], other[65];
            const char *device = jsni_backend_at(b)->name;
            sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch, 1,
                               rows[r].steps, one);
            static const size_t threads[] = {2, 5};
            for (size_t t = 0; t < 2; t++) {
                sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch,
                                   threads[t], rows[r].steps, other);
                assert_string_equal(one, other);
            }
            /* The check can tell: one step more gives other bits. */
            sha_after_training(device, rows[r].network, rows[r].side, rows[r].batch, 1,
                               rows[r].steps + 1, other);
            assert_string_not_equal(one, other);
        }
    }
}

static void test_evaluation_takes_any_number_of_samples(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        if (jsni_backend_at(b)->device_count() == 0)
            continue;
        jsn_model_options o = model_small(jsni_backend_at(b)->name);
        o.optimiser = NULL;
        jsn_model *model = model_make(&o);
        float images[13 * MODEL_IMAGE], all[13 * 5], one[5];
        rig_fill(images, 13 * MODEL_IMAGE, 2);
        assert_ok(jsn_model_evaluate(model, images, 13, all)); /* 6 + 6 + 1 */
        for (size_t i = 0; i < 13; i++) {
            assert_ok(jsn_model_evaluate(model, images + i * MODEL_IMAGE, 1, one));
            rig_assert_near(all + i * 5, one, 5, 1e-5, "a sample alone");
        }
        jsn_model_destroy(model);
    }
}

static void test_a_step_can_be_repeated_on_resident_data(void **state)
{
    (void)state;
    const jsn_model_options o = model_small("ref");
    jsn_model *a = model_make(&o), *b = model_make(&o);
    const double want = model_train(a, "ce", 1, 6, MODEL_IMAGE, 2, 0.1);
    (void)model_train(b, "ce", 1, 6, MODEL_IMAGE, 1, 0.1);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 5, 1));
    const jsn_model_batch again = {.views = 1, .samples = 6};
    const jsn_model_step step = {
        .loss = loss, .rate = 0.1, .weight_decay = 5e-4, .decay_all = 1, .step = 2};
    double mean = 0.0, values[6];
    assert_ok(jsn_model_train_step(b, &again, &step, &mean, values));
    assert_close(mean, want, 0, 0);
    double sum = 0.0;
    for (size_t i = 0; i < 6; i++)
        sum += values[i];
    assert_close(sum / 6.0, mean, 1e-6, 0);
    jsn_loss_destroy(loss);
    jsn_model_destroy(a);
    jsn_model_destroy(b);
}

static void test_what_does_not_fit_is_refused_with_numbers(void **state)
{
    (void)state;
    jsn_model *model = NULL;
    jsn_model_options o = model_small("ref");
    o.network = "resnet50";
    o.height = o.width = 224;
    o.batch = 1000000;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_MEMORY, "1000000");
    assert_non_null(strstr(jsn_last_error(), "MiB are available"));
    o = model_small("ref");
    o.batch = SIZE_MAX / 2;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_RANGE, "overflows");
    o = model_small("ref");
    o.batch = 0;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "batch 0");
    o = model_small("tpu");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_UNKNOWN_NAME, "tpu");
    o = model_small("ref:3");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_DEVICE, "3");
    o = model_small("ref:x");
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "x");
    o = model_small("ref");
    o.precision = JSN_PRECISION_BF16;
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_ARGUMENT, "fp32");
    o = model_small("ref");
    o.optimiser = "rmsprop";
    assert_fails(jsn_model_create(&model, &o), JSN_ERR_UNKNOWN_NAME, "rmsprop");
    assert_null(model);
}

static void test_wrong_batches_are_refused(void **state)
{
    (void)state;
    jsn_model_options o = model_small("ref");
    jsn_model *model = model_make(&o);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "ce", 5, 1));
    float images[7 * MODEL_IMAGE] = {0};
    int32_t labels[7] = {0, 1, 2, 3, 4, 5, 0};
    jsn_model_batch batch = {
        .images = images, .views = 1, .samples = 7, .labels = labels};
    jsn_model_step step = {.loss = loss, .rate = 0.1, .step = 1};
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "7 samples");
    batch.samples = 6;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL), JSN_ERR_RANGE,
                 "label 5");
    batch.samples = 1; /* the last BatchNorm sees 1x1 maps */
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "layer4.bn");
    batch.samples = 5;
    step.step = 0;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "from 1");
    step.step = 1;
    jsn_loss *other = NULL;
    assert_ok(jsn_loss_create(&other, "gjs", 5, 2));
    step.loss = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "2 views");
    step.loss = loss;
    step.second = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "2 views");
    step.second = NULL;
    jsn_loss_destroy(other);
    assert_ok(jsn_loss_create(&other, "ce", 4, 1));
    step.loss = other;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "4 classes");
    step.loss = loss;
    jsn_loss_destroy(other);
    images[3] = (float)strtod("nan", NULL);
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_NUMERIC, "");
    jsn_model_destroy(model);
    o.optimiser = NULL;
    model = model_make(&o);
    images[3] = 0.0f;
    assert_fails(jsn_model_train_step(model, &batch, &step, NULL, NULL),
                 JSN_ERR_ARGUMENT, "evaluation");
    jsn_model_destroy(model);
    jsn_loss_destroy(loss);
}

static void test_the_second_loss_applies_to_marked_samples(void **state)
{
    (void)state;
    const jsn_model_options o = model_small("ref");
    jsn_model *model = model_make(&o);
    jsn_loss *ce = NULL, *mae = NULL;
    assert_ok(jsn_loss_create(&ce, "ce", 5, 1));
    assert_ok(jsn_loss_create(&mae, "mae", 5, 1));
    float images[4 * MODEL_IMAGE];
    rig_fill(images, 4 * MODEL_IMAGE, 4);
    const int32_t labels[4] = {0, 1, 2, 3};
    const uint8_t second[4] = {0, 1, 0, 1};
    double values[3][4];
    for (size_t i = 0; i < 3; i++) {
        const jsn_model_batch batch = {.images = images,
                                       .views = 1,
                                       .samples = 4,
                                       .labels = labels,
                                       .second = i == 2 ? second : NULL};
        const jsn_model_step step = {.loss = i == 1 ? mae : ce,
                                     .second = i == 2 ? mae : NULL,
                                     .rate = 0.0,
                                     .step = 1};
        assert_ok(jsn_model_train_step(model, &batch, &step, NULL, values[i]));
    }
    for (size_t i = 0; i < 4; i++)
        assert_close(values[2][i], values[second[i]][i], 1e-6, 0);
    jsn_loss_destroy(ce);
    jsn_loss_destroy(mae);
    jsn_model_destroy(model);
}

static jsn_status create_once(void *user)
{
    const jsn_model_options *o = user;
    jsn_model *model = NULL;
    jsn_status status = jsn_model_create(&model, o);
    if (status == JSN_OK)
        status = jsn_model_init(model, 1);
    jsn_model_destroy(model);
    return status;
}

static void test_running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    jsn_model_options o = model_small("ref");
    support_walk_allocations(create_once, &o);
}

static void test_estimate_is_what_a_model_takes(void **state)
{
    (void)state;
    const jsn_model_options o = model_small("ref");
    jsn_model_info estimate;
    assert_ok(jsn_model_estimate(&o, &estimate));
    jsn_model *model = model_make(&o);
    const jsn_model_info info = jsn_model_describe(model);
    assert_int_equal(info.memory_activations, estimate.memory_activations);
    assert_int_equal(info.memory_parameters, estimate.memory_parameters);
    assert_true(info.memory_optimiser == info.memory_parameters);
    assert_string_equal(info.backend, "ref");
    assert_non_null(info.device);
    for (size_t i = 0; i < info.layers; i++)
        assert_true(jsni_model_layer(model, i) != NULL &&
                    jsni_model_implementation(model, i)[0] != '\0');
    assert_null(jsni_model_layer(model, info.layers));
    jsn_model_destroy(model);
    jsn_device_info device;
    assert_ok(jsn_device_describe("auto", &device));
    assert_true(device.memory_available > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_lowers_the_loss_on_every_backend),
        cmocka_unit_test(test_weights_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_evaluation_takes_any_number_of_samples),
        cmocka_unit_test(test_a_step_can_be_repeated_on_resident_data),
        cmocka_unit_test(test_what_does_not_fit_is_refused_with_numbers),
        cmocka_unit_test(test_wrong_batches_are_refused),
        cmocka_unit_test(test_the_second_loss_applies_to_marked_samples),
        cmocka_unit_test(test_running_out_of_memory_leaks_nothing),
        cmocka_unit_test(test_estimate_is_what_a_model_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
