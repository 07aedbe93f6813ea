/* The times of layers and of oneDNN's primitives alone: they cover the network, and
 * taking them leaves the model as it was. How long anything takes is not tested. */
#include <math.h>

#include "backend/model.h"
#include "jensen/loss.h"
#include "jensen/model.h"
#include "support/support.h"

enum { BATCH = 3, VIEWS = 2, CLASSES = 4, SIZE = 32, IMAGE = 3 * SIZE * SIZE };

static jsn_model *make(const char *network, const char *device, const char *optimiser)
{
    jsn_model_options options;
    jsn_model_options_init(&options);
    options.network = network;
    options.classes = CLASSES;
    options.device = device;
    options.batch = BATCH;
    options.views = VIEWS;
    options.threads = 2;
    options.height = options.width = SIZE;
    options.optimiser = optimiser;
    jsn_model *model = NULL;
    assert_ok(jsn_model_create(&model, &options));
    assert_ok(jsn_model_init(model, 1));
    return model;
}

static void run_step(jsn_model *model, uint64_t number)
{
    static float images[VIEWS * BATCH * IMAGE];
    static const int32_t labels[BATCH] = {0, 3, 1};
    for (size_t i = 0; i < VIEWS * BATCH * IMAGE; i++)
        images[i] = sinf((float)i);
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, "gjs:pi1=0.5", CLASSES, VIEWS));
    const jsn_model_batch batch = {
        .images = images, .views = VIEWS, .samples = BATCH, .labels = labels};
    const jsn_model_step step = {.loss = loss, .rate = 0.01, .step = number};
    assert_ok(jsn_model_train_step(model, &batch, &step, NULL, NULL));
    jsn_loss_destroy(loss);
}

enum { ROOM = 2048 };

/* Times are sane, and layers with weights that are matrices have all their directions. */
static void check_times(const jsn_model *model, const jsni_layer_time *times,
                        size_t count)
{
    const jsn_model_info info = jsn_model_describe(model);
    size_t convolutions = 0, forward = 0, weights = 0;
    assert_true(count > 0 && count <= ROOM);
    for (size_t i = 0; i < count; i++) {
        assert_true(times[i].layer < info.layers);
        assert_true(times[i].seconds > 0.0 && times[i].seconds < 60.0);
        if (strncmp(jsni_model_implementation(model, times[i].layer), "own wino", 8) ==
            0) {
            forward += strcmp(times[i].what, "forward") == 0;
            weights += strcmp(times[i].what, "backward weights") == 0;
        }
    }
    for (size_t i = 0; i < info.layers; i++)
        convolutions +=
            strncmp(jsni_model_implementation(model, i), "own wino", 8) == 0;
    assert_int_equal(forward, convolutions);
    assert_int_equal(weights, convolutions);
}

static void test_times_cover_the_layers_and_change_nothing(void **state)
{
    (void)state;
    static const char *const networks[] = {"cnn:width=16", "preactresnet34:width=16",
                                           "mlp:width=32"};
    static jsni_layer_time times[ROOM];
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        jsn_model *model = make(networks[i], "onednn", "sgd");
        char before[65], after[65], next[65], want[65];
        size_t count = 0;
        run_step(model, 1);
        assert_ok(jsni_model_sha256(model, before));
        assert_ok(jsni_model_time_layers(model, times, ROOM, &count));
        check_times(model, times, count);
        assert_ok(jsni_model_time_limit(model, times, ROOM, &count));
        check_times(model, times, count);
        times[1].layer = 12345;
        assert_ok(jsni_model_time_limit(model, times, 1, &count));
        assert_true(count > 1 && times[1].layer == 12345);
        assert_ok(jsni_model_sha256(model, after));
        assert_string_equal(before, after);
        /* and the next step is what it would have been */
        run_step(model, 2);
        assert_ok(jsni_model_sha256(model, next));
        jsn_model_destroy(model);
        model = make(networks[i], "onednn", "sgd");
        run_step(model, 1);
        run_step(model, 2);
        assert_ok(jsni_model_sha256(model, want));
        assert_string_equal(next, want);
        jsn_model_destroy(model);
    }
}

static void test_what_cannot_be_timed_is_said(void **state)
{
    (void)state;
    jsni_layer_time times[4];
    size_t count = 0;
    jsn_model *model = make("cnn", "onednn", "sgd");
    assert_fails(jsni_model_time_layers(model, times, 4, &count), JSN_ERR_ARGUMENT,
                 "no images");
    jsn_model_destroy(model);
    model = make("cnn", "onednn", NULL);
    assert_fails(jsni_model_time_limit(model, times, 4, &count), JSN_ERR_ARGUMENT,
                 "evaluation alone");
    jsn_model_destroy(model);
    model = make("cnn", "ref", "sgd");
    run_step(model, 1);
    assert_fails(jsni_model_time_layers(model, times, 4, &count), JSN_ERR_UNSUPPORTED,
                 "ref");
    assert_fails(jsni_model_time_limit(model, times, 4, &count), JSN_ERR_UNSUPPORTED,
                 "ref");
    jsn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_cover_the_layers_and_change_nothing),
        cmocka_unit_test(test_what_cannot_be_timed_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
