/* tests/loss/test_loss_methods.c - the methods that remember their samples: golden values,
 * gradients and memories over several steps in double and at every level of this machine;
 * what cannot be combined. */
#include "support/support.h"

#include "jensen/loss.h"
#include "loss/golden_method.h"
#include "loss/loss_impl.h"
#include "loss/loss_mode.h"

static jsni_loss_level under_test;

static void set_level(jsn_loss *loss)
{
    assert_ok(jsni_loss_set_level(loss, under_test));
}

static void eval_here(jsn_loss *loss, const jsn_loss_batch *batch, double *values,
                      void *grad)
{
    jsn_loss_result result = {0.0, values, grad};
    assert_ok(jsn_loss_eval(loss, batch, &result));
}

static void test_float64_is_exact(void **state)
{
    (void)state;
    const method_errors most = {1e-12, 1e-12, 1e-12};
    assert_int_equal(golden_methods(true, NULL, eval_here, most), 0);
}

static void test_every_float_level(void **state)
{
    (void)state;
    const method_errors most = {1e-5, 1e-5, 1e-5};
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++) {
        under_test = (jsni_loss_level)level;
        if (!jsni_loss_level_exists(under_test))
            continue;
        print_message("%s: ", jsni_loss_level_name(under_test));
        assert_int_equal(golden_methods(false, set_level, eval_here, most), 0);
    }
}

/* Samples of a batch larger than a group of lanes keep their own memories, whatever their
 * number, and the same bits for any number of threads. */
static void test_memories_do_not_mix(void **state)
{
    (void)state;
    enum { SAMPLES = 4099, CLASSES = 7 };
    static float logits[SAMPLES * CLASSES], grad[SAMPLES * CLASSES];
    static float memory[3][SAMPLES * CLASSES];
    static int32_t labels[SAMPLES];
    for (size_t k = 0; k < SAMPLES * CLASSES; k++) {
        logits[k] = (float)((k * 2654435761u >> 7) % 1000) / 150.0f;
        memory[0][k] = memory[1][k] = memory[2][k] = (float)(k % 11) / 100.0f;
    }
    for (size_t i = 0; i < SAMPLES; i++)
        labels[i] = (int32_t)(i % CLASSES);
    for (size_t m = 0; jsni_method_entry(m).name != NULL; m++) {
        const char *name = jsni_method_entry(m).name;
        jsn_loss *loss = NULL;
        jsn_loss_batch batch;
        jsn_loss_result result = {0.0, NULL, grad};
        jsn_loss_batch_init(&batch);
        assert_ok(jsni_loss_create_method(&loss, "ce", name, CLASSES, 1));
        batch.samples = SAMPLES;
        batch.divisor = 128.0;
        batch.logits = logits;
        batch.labels = labels;
        batch.memory = memory[0];
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        assert_ok(jsn_loss_set_threads(loss, 3));
        batch.memory = memory[1];
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        assert_memory_equal(memory[0], memory[1], sizeof memory[0]);
        batch.samples = 1;
        for (size_t i = 0; i < SAMPLES; i += 97) {
            batch.logits = logits + i * CLASSES;
            batch.labels = labels + i;
            batch.memory = memory[2] + i * CLASSES;
            assert_ok(jsn_loss_eval(loss, &batch, &result));
            assert_memory_equal(memory[2] + i * CLASSES, memory[0] + i * CLASSES,
                                CLASSES * sizeof(float));
        }
        memcpy(memory[2], memory[0], sizeof memory[0]);
        jsn_loss_destroy(loss);
    }
}

enum { BESIDE_SAMPLES = 19, BESIDE_MOST = 2 * BESIDE_SAMPLES * 200 };

/* Values and gradient of a loss, with elr beside it or alone, at one level. */
static void eval_beside(const char *spec, bool with_elr, size_t classes, size_t views,
                        jsni_loss_level level, double *values, double *grad)
{
    static float logits[BESIDE_MOST], memory[BESIDE_MOST], grad_f[BESIDE_MOST];
    static double logits_d[BESIDE_MOST], memory_d[BESIDE_MOST];
    int32_t labels[BESIDE_SAMPLES];
    const bool f64 = level == JSNI_LOSS_DOUBLE;
    const size_t rows = BESIDE_SAMPLES * classes;
    for (size_t k = 0; k < views * rows; k++)
        logits_d[k] = logits[k] = (float)((k * 2654435761u >> 7) % 1000) / 150.0f;
    for (size_t k = 0; k < rows; k++)
        memory_d[k] = memory[k] = (float)(k % 11) / (float)(20 * classes);
    for (size_t i = 0; i < BESIDE_SAMPLES; i++)
        labels[i] = (int32_t)(i * 5 % classes);
    jsn_loss *loss = NULL;
    assert_ok(
        jsni_loss_create_method(&loss, spec, with_elr ? "elr" : NULL, classes, views));
    assert_ok(jsni_loss_set_level(loss, level));
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = BESIDE_SAMPLES;
    batch.labels = labels;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (void *)logits_d : (void *)logits;
    if (with_elr)
        batch.memory = f64 ? (void *)memory_d : (void *)memory;
    jsn_loss_result result = {0.0, values, f64 ? (void *)grad : (void *)grad_f};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    for (size_t k = 0; k < views * rows && !f64; k++)
        grad[k] = (double)grad_f[k];
    jsn_loss_destroy(loss);
}

/* What elr adds to a loss is what it adds to ce, whatever arrays the loss has of its own. */
static void check_beside(const char *spec, size_t classes, jsni_loss_level level)
{
    static double grad[4][BESIDE_MOST];
    double values[4][BESIDE_SAMPLES];
    size_t views = 0;
    assert_ok(jsn_loss_check(spec, &views));
    const size_t count = views * BESIDE_SAMPLES * classes;
    const double most = level == JSNI_LOSS_DOUBLE ? 1e-12 : 2e-5;
    for (size_t i = 0; i < 4; i++)
        eval_beside(i < 2 ? spec : "ce", i % 2 == 0, classes, views, level, values[i],
                    grad[i]);
    for (size_t i = 0; i < BESIDE_SAMPLES; i++)
        assert_close(values[0][i], values[1][i] + values[2][i] - values[3][i], most,
                     most);
    for (size_t k = 0; k < count; k++)
        assert_close(grad[0][k], grad[1][k] + grad[2][k] - grad[3][k], most, 0);
}

static void test_elr_beside_every_loss(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_loss_entry(i).name != NULL; i++) {
        const char *spec = jsni_loss_entry(i).name;
        if (strcmp(spec, "js-sqrt") == 0) /* a root of the mean: refused */
            continue;
        for (int level = JSNI_LOSS_DOUBLE; level <= JSNI_LOSS_AVX512; level++)
            if (jsni_loss_level_exists((jsni_loss_level)level)) {
                check_beside(spec, 7, (jsni_loss_level)level);
                check_beside(spec, 200, (jsni_loss_level)level);
            }
    }
}

static void refused(const char *loss, const char *method, const char *why)
{
    jsn_loss *made = NULL;
    assert_int_not_equal(jsni_loss_create_method(&made, loss, method, 10, 1), JSN_OK);
    assert_null(made);
    assert_non_null(strstr(jsn_last_error(), why));
}

static void test_what_cannot_be_combined(void **state)
{
    (void)state;
    refused("mae", "sop", "cannot be combined with the loss 'mae'");
    refused("js-sqrt", "elr", "root of a mean");
    refused("ce", "erl", "did you mean 'elr'");
    refused("ce", "elr:beta=1", "beta");
    refused("ce+ce+ce+ce+ce+ce", "elr", "more than 6");
    refused("elr", NULL, "no loss named 'elr'");
}

static void test_memory_is_asked_for(void **state)
{
    (void)state;
    const float logits[4] = {0};
    float memory[4] = {0};
    const int32_t labels[2] = {0, 1};
    jsn_loss *plain = NULL, *method = NULL;
    jsn_loss_batch batch;
    jsn_loss_result result = {0};
    jsn_loss_batch_init(&batch);
    batch.samples = 2;
    batch.logits = logits;
    batch.labels = labels;
    assert_ok(jsn_loss_create(&plain, "ce", 2, 1));
    assert_ok(jsni_loss_create_method(&method, "ce", "elr", 2, 1));
    assert_int_equal(jsn_loss_eval(method, &batch, &result), JSN_ERR_ARGUMENT);
    batch.memory = memory;
    assert_int_equal(jsn_loss_eval(plain, &batch, &result), JSN_ERR_ARGUMENT);
    assert_ok(jsn_loss_eval(method, &batch, &result));
    jsn_loss_destroy(method);
    jsn_loss_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float64_is_exact),
        cmocka_unit_test(test_every_float_level),
        cmocka_unit_test(test_memories_do_not_mix),
        cmocka_unit_test(test_elr_beside_every_loss),
        cmocka_unit_test(test_what_cannot_be_combined),
        cmocka_unit_test(test_memory_is_asked_for),
    };
    return cmocka_run_group_tests_name("loss/methods", tests, NULL, NULL);
}
