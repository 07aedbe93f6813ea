/* A finished run and weights alone, opened with options: the batch and the precision are
 * those that were asked for, and the answers do not depend on the batch. */
#include <stdio.h>

#include "jensen/classifier.h"
#include "jensen/train.h"
#include "support/support.h"

enum { IMAGES = 5, CLASSES = 10 };

static char run_folder[300], weights[400];

static int train_run(void **state)
{
    if (support_folder_begin(state) != 0)
        return -1;
    (void)snprintf(run_folder, sizeof run_folder, "%s/run", support_folder);
    (void)snprintf(weights, sizeof weights, "%s/model.safetensors", run_folder);
    const char *const options[][2] = {
        {"data", "builtin:size=60,test=20"},
        {"network", "mlp:width=16"},
        {"device", "ref"},
        {"loss", "ce"},
        {"augment", "none"},
        {"epochs", "1"},
        {"batch", "10"},
        {"threads", "1"},
        {"workers", "0"},
        {"out", run_folder},
    };
    jsn_train_config config;
    jsn_train_result result;
    jsn_train_config_clear(&config);
    jsn_status status = JSN_OK;
    for (size_t i = 0; status == JSN_OK && i < sizeof options / sizeof options[0]; i++)
        status = jsn_train_config_set(&config, options[i][0], options[i][1]);
    if (status == JSN_OK)
        status = jsn_train(&config, NULL, NULL, NULL, &result);
    jsn_train_config_release(&config);
    if (status != JSN_OK)
        print_message("%s\n", jsn_last_error());
    return status == JSN_OK ? 0 : -1;
}

/* The run, or its weights alone. */
static jsn_classifier_options options_of(bool run)
{
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    o.device = "ref";
    o.threads = 1;
    if (run) {
        o.run = run_folder;
    } else {
        o.network = "mlp:width=16";
        o.weights = weights;
        o.classes = CLASSES;
    }
    return o;
}

static void predict(const jsn_classifier_options *o, double *probabilities)
{
    static float tensors[IMAGES * 3 * 32 * 32];
    jsn_classifier *c = NULL;
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        tensors[i] = (float)(i % 17) / 8.0f - 1.0f;
    assert_ok(jsn_classifier_create(&c, o));
    assert_int_equal(jsn_classifier_classes(c), CLASSES);
    assert_ok(jsn_classifier_predict_tensors(c, tensors, IMAGES, probabilities, NULL));
    jsn_classifier_close(c);
}

static void test_batch_is_used(void **state)
{
    (void)state;
    double want[IMAGES * CLASSES], got[IMAGES * CLASSES];
    for (int run = 0; run < 2; run++) {
        jsn_classifier_options o = options_of(run != 0);
        assert_int_equal(o.batch, 64);
        predict(&o, want);
        for (size_t batch = 1; batch <= IMAGES + 1; batch++) {
            o.batch = batch;
            predict(&o, got);
            for (size_t i = 0; i < IMAGES * CLASSES; i++)
                assert_close(got[i], want[i], 1e-6, 0.0);
        }
    }
}

static void test_precision_is_used(void **state)
{
    (void)state;
    for (int run = 0; run < 2; run++) {
        jsn_classifier *c = NULL;
        jsn_classifier_options o = options_of(run != 0);
        o.precision = JSN_PRECISION_BF16;
        assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "only in fp32");
        assert_null(c);
    }
}

static void test_wrong_options(void **state)
{
    (void)state;
    jsn_classifier *c = NULL;
    jsn_classifier_options o;
    jsn_classifier_options_init(&o);
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT,
                 "a run, or a network");
    o.network = "mlp:width=16";
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "its weights");
    o = options_of(true);
    o.batch = 0;
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_RANGE, "batch");
    o = options_of(false);
    o.classes = 1;
    assert_fails(jsn_classifier_create(&c, &o), JSN_ERR_ARGUMENT, "2 classes");
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_is_used),
        cmocka_unit_test(test_precision_is_used),
        cmocka_unit_test(test_wrong_options),
    };
    return cmocka_run_group_tests(tests, train_run, support_folder_end);
}
