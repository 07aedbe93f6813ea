/* tests/loss/test_loss_matrix.c - forward and backward correction by a transition matrix:
 * golden values and gradients in double and at every level of this machine, signed central
 * differences, threads, and what is refused. */
#include "support/support.h"

#include <math.h>

#include "format/safetensors.h"
#include "jensen/loss.h"
#include "loss/loss_mode.h"

enum { MOST_CLASSES = 1000, MOST = 8 * MOST_CLASSES };

static double matrix[MOST_CLASSES * MOST_CLASSES];

/* As rule() of make_matrix_losses.py. */
static void make_matrix(bool next, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double *row = matrix + i * k, sum = 0.0;
        for (size_t j = 0; j < k; j++) {
            row[j] =
                next ? 0.0
                     : (double)((7 * i + 13 * j + i * j) % 11 + (i == j ? 9 * k : 0));
            sum += row[j];
        }
        for (size_t j = 0; j < k && !next; j++)
            row[j] /= sum;
        if (next) {
            const double away = (double)(10 + i % 7) / 32.0;
            row[i] = 1.0 - away;
            row[(i + 1) % k] = away;
        }
    }
}

static jsn_loss *open_loss(const char *spec, size_t classes, jsni_loss_level level)
{
    jsn_loss *loss = NULL;
    assert_ok(jsn_loss_create(&loss, spec, classes, 1));
    assert_ok(jsn_loss_set_matrix(loss, matrix));
    assert_ok(jsni_loss_set_level(loss, level));
    return loss;
}

/* The largest errors of value and gradient; JSNI_LOSS_AUTO: of float64 logits. */
static double golden_error(const jsni_safetensors *golden,
                           const jsni_safetensors *inputs, const char *loss_name,
                           const char *kind, const char *name, jsni_loss_level level)
{
    static double logits[MOST], grad[MOST];
    static float logits_f[MOST], grad_f[MOST];
    const bool f64 = level == JSNI_LOSS_AUTO;
    char key[200], spec[64];
    double values[8];
    (void)snprintf(key, sizeof key, "inputs/%s/logits1", name);
    const jsni_safetensor *z = jsni_safetensors_find(inputs, key);
    (void)snprintf(key, sizeof key, "inputs/%s/labels", name);
    const jsni_safetensor *y = jsni_safetensors_find(inputs, key);
    (void)snprintf(key, sizeof key, "%s/%s/%s/loss", loss_name, kind, name);
    const jsni_safetensor *want = jsni_safetensors_find(golden, key);
    (void)snprintf(key, sizeof key, "%s/%s/%s/grad1", loss_name, kind, name);
    const jsni_safetensor *slope = jsni_safetensors_find(golden, key);
    assert_true(z != NULL && y != NULL && want != NULL && slope != NULL);
    const size_t samples = want->shape[0], k = z->shape[1];
    for (size_t i = 0; i < samples * k; i++) {
        logits_f[i] = ((const float *)z->data)[i];
        logits[i] = (double)logits_f[i];
    }
    make_matrix(strcmp(kind, "next") == 0, k);
    (void)snprintf(spec, sizeof spec, "%s:matrix=t.csv", loss_name);
    jsn_loss *loss = open_loss(spec, k, level);
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = samples;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (const void *)logits : logits_f;
    batch.labels = y->data;
    jsn_loss_result result = {0.0, values, f64 ? (void *)grad : grad_f};
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    jsn_loss_destroy(loss);
    double worst = 0.0;
    for (size_t i = 0; i < samples; i++) {
        const double expected = ((const double *)want->data)[i];
        worst = support_worse(worst,
                              fabs(values[i] - expected) / fmax(1.0, fabs(expected)));
    }
    for (size_t i = 0; i < samples * k; i++) {
        const double expected = ((const double *)slope->data)[i];
        const double found = f64 ? grad[i] : (double)grad_f[i];
        worst = support_worse(worst, (double)samples * fabs(found - expected));
    }
    return worst;
}

static void check_level(jsni_loss_level level, double most)
{
    static const char *const names[] = {
        "K2_normal1",   "K2_extreme80",  "K3_ties",        "K3_nearonehot",
        "K10_normal1",  "K10_normal30",  "K10_extreme1e4", "K10_nearonehot",
        "K100_normal1", "K1000_normal1",
    };
    jsni_safetensors *golden = NULL, *inputs = NULL;
    double worst = 0.0;
    assert_ok(
        jsni_safetensors_open(&golden, JSN_TEST_GOLDEN "/matrix_losses.safetensors"));
    assert_ok(jsni_safetensors_open(&inputs, JSN_TEST_GOLDEN "/losses.safetensors"));
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t c = 0; c < 4; c++) {
            const char *loss = c < 2 ? "forward" : "backward";
            const char *kind = c % 2 == 0 ? "dense" : "next";
            if (c == 2 && strncmp(names[n], "K1000", 5) == 0)
                continue; /* has no golden values */
            const double error =
                golden_error(golden, inputs, loss, kind, names[n], level);
            if (!(error <= most))
                fail_msg("%s: %s/%s/%s: off by %.3g", jsni_loss_level_name(level), loss,
                         kind, names[n], error);
            worst = support_worse(worst, error);
        }
    print_message("%s: at most %.3g\n", jsni_loss_level_name(level), worst);
    jsni_safetensors_close(golden);
    jsni_safetensors_close(inputs);
}

static void test_float64_is_exact(void **state)
{
    (void)state;
    check_level(JSNI_LOSS_AUTO, 1e-12);
}

static void test_every_float_level(void **state)
{
    (void)state;
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++)
        if (jsni_loss_level_exists((jsni_loss_level)level))
            check_level((jsni_loss_level)level, 1e-5);
}

/* Symmetric noise as a matrix is what rate= says, and the identity is cross-entropy. */
static void test_rate_is_a_matrix(void **state)
{
    (void)state;
    enum { K = 7 };
    static const char *const pairs[][3] = {
        {"forward:matrix=t", "forward:rate=0.3", "ce"},
        {"backward:matrix=t", "backward:rate=0.3", "ce"},
        {"2*forward:matrix=t+1*mae", "2*forward:rate=0.3+1*mae", "2*ce+1*mae"},
        {"logitclip:tau=2,loss=forward:matrix=t",
         "logitclip:tau=2,loss=forward:rate=0.3", "logitclip:tau=2,loss=ce"}};
    const double logits[K] = {0.5, -1, 2, 0.25, 3, -2, 1}, rates[] = {0.3, 0.0};
    const int32_t label = 3;
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        for (size_t r = 0; r < 2; r++) {
            double grads[2][K], values[2];
            for (size_t i = 0; i < K * K; i++)
                matrix[i] = rates[r] / K + (i % (K + 1) == 0 ? 1.0 - rates[r] : 0.0);
            for (size_t s = 0; s < 2; s++) {
                jsn_loss *loss = NULL;
                jsn_loss_batch batch;
                jsn_loss_batch_init(&batch);
                batch.samples = 1;
                batch.type = JSN_LOSS_F64;
                batch.logits = logits;
                batch.labels = &label;
                jsn_loss_result result = {0.0, &values[s], grads[s]};
                assert_ok(jsn_loss_create(&loss, pairs[p][s == 0 ? 0 : 1 + r], K, 1));
                if (s == 0)
                    assert_ok(jsn_loss_set_matrix(loss, matrix));
                assert_ok(jsn_loss_eval(loss, &batch, &result));
                jsn_loss_destroy(loss);
            }
            assert_close(values[0], values[1], 1e-14, 1e-14);
            for (size_t k = 0; k < K; k++)
                assert_close(grads[0][k], grads[1][k], 1e-14, 1e-14);
        }
}

/* Signed central differences, at which a wrong sign or a missing factor shows. */
static void test_gradient_is_the_slope(void **state)
{
    (void)state;
    enum { K = 33 };
    static const char *const specs[] = {"forward:matrix=t", "backward:matrix=t"};
    double z[K], grad[K], unused[K];
    const int32_t label = 5;
    make_matrix(false, K);
    for (size_t k = 0; k < K; k++)
        z[k] = sin((double)(3 * k)) * 2.0;
    for (size_t s = 0; s < 2; s++) {
        jsn_loss *loss = open_loss(specs[s], K, JSNI_LOSS_AUTO);
        jsn_loss_batch batch;
        jsn_loss_batch_init(&batch);
        batch.samples = 1;
        batch.type = JSN_LOSS_F64;
        batch.logits = z;
        batch.labels = &label;
        jsn_loss_result at = {0.0, NULL, grad}, beside = {0.0, NULL, unused};
        assert_ok(jsn_loss_eval(loss, &batch, &at));
        for (size_t k = 0; k < K; k++) {
            const double h = 1e-5, kept = z[k];
            z[k] = kept + h;
            assert_ok(jsn_loss_eval(loss, &batch, &beside));
            const double up = beside.mean;
            z[k] = kept - h;
            assert_ok(jsn_loss_eval(loss, &batch, &beside));
            z[k] = kept;
            assert_close(grad[k], (up - beside.mean) / (2.0 * h), 1e-9, 1e-7);
        }
        jsn_loss_destroy(loss);
    }
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    enum { SAMPLES = 4099, K = 13 };
    static float z[SAMPLES * K], grad[2][SAMPLES * K];
    static int32_t labels[SAMPLES];
    make_matrix(true, K);
    for (size_t i = 0; i < SAMPLES * K; i++)
        z[i] = (float)((i * 2654435761u >> 7) % 1000) / 150.0f;
    for (size_t i = 0; i < SAMPLES; i++)
        labels[i] = (int32_t)(i % K);
    double mean[2];
    for (size_t t = 0; t < 2; t++) {
        jsn_loss *loss = open_loss("forward:matrix=t", K, JSNI_LOSS_AUTO);
        assert_ok(jsn_loss_set_threads(loss, 1 + 2 * t));
        jsn_loss_batch batch;
        jsn_loss_batch_init(&batch);
        batch.samples = SAMPLES;
        batch.logits = z;
        batch.labels = labels;
        jsn_loss_result result = {0.0, NULL, grad[t]};
        assert_ok(jsn_loss_eval(loss, &batch, &result));
        mean[t] = result.mean;
        jsn_loss_destroy(loss);
    }
    assert_true(mean[0] == mean[1]);
    assert_memory_equal(grad[0], grad[1], sizeof grad[0]);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    const double z[2] = {1, 2};
    const int32_t label = 0;
    double grad[2];
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    batch.samples = 1;
    batch.type = JSN_LOSS_F64;
    batch.logits = z;
    batch.labels = &label;
    jsn_loss_result result = {0.0, NULL, grad};
    assert_fails(jsn_loss_check("forward:rate=0.1,matrix=t", NULL), JSN_ERR_ARGUMENT,
                 "rate or matrix");
    assert_fails(jsn_loss_create(&loss, "forward:matrix=a+backward:matrix=b", 2, 1),
                 JSN_ERR_ARGUMENT, "one loss with a matrix");
    assert_fails(jsni_loss_create_method(&loss, "forward:matrix=a", "elr", 2, 1),
                 JSN_ERR_ARGUMENT, "no method beside it");
    assert_ok(jsn_loss_create(&loss, "ce", 2, 1));
    assert_null(jsn_loss_matrix_path(loss));
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){1, 0, 0, 1}),
                 JSN_ERR_ARGUMENT, "has no matrix");
    jsn_loss_destroy(loss);
    assert_ok(jsn_loss_create(&loss, "backward:matrix=some/t.csv", 2, 1));
    assert_string_equal(jsn_loss_matrix_path(loss), "some/t.csv");
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_ARGUMENT,
                 "needs the matrix of some/t.csv");
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){0.5, 0.4, 0, 1}),
                 JSN_ERR_RANGE, "row 0 sums to 0.9");
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){NAN, 1, 0, 1}),
                 JSN_ERR_RANGE, "not a probability");
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){1.5, -0.5, 0, 1}),
                 JSN_ERR_RANGE, "not a probability");
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){1, 0, 1, 0}), JSN_ERR_RANGE,
                 "no class has the label 1");
    assert_fails(jsn_loss_set_matrix(loss, (const double[]){0.5, 0.5, 0.5, 0.5}),
                 JSN_ERR_RANGE, "no inverse");
    assert_ok(jsn_loss_set_matrix(loss, (const double[]){0.5, 0.5, 0.25, 0.75}));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    const float soft[2] = {0.5f, 0.5f}, zf[2] = {1, 2};
    batch.type = JSN_LOSS_F32;
    batch.logits = zf;
    batch.labels = NULL;
    batch.targets = soft;
    assert_fails(jsn_loss_eval(loss, &batch, &result), JSN_ERR_ARGUMENT,
                 "takes labels");
    jsn_loss_destroy(loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float64_is_exact),
        cmocka_unit_test(test_every_float_level),
        cmocka_unit_test(test_rate_is_a_matrix),
        cmocka_unit_test(test_gradient_is_the_slope),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests_name("loss/matrix", tests, NULL, NULL);
}
