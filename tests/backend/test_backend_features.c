/* A plan for evaluation alone gives the logits that a training plan gives in evaluation, in
 * less memory (to 2e-5, since it may choose other convolutions); and the body of a network
 * gives what its head would read. */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/model_features.h"
#include "nn/network_impl.h"

enum { SAMPLES = 7, CLASSES = 5 };

static jsn_model *make_model(const char *device, const char *spec, size_t side,
                             bool training, size_t batch)
{
    jsn_model *model = NULL;
    const jsn_model_options options = {.network = spec,
                                       .classes = CLASSES,
                                       .channels = 3,
                                       .height = side,
                                       .width = side,
                                       .device = device,
                                       .optimiser = training ? "sgd" : NULL,
                                       .batch = batch,
                                       .views = 1,
                                       .threads = 2};
    assert_ok(jsn_model_create(&model, &options));
    assert_ok(jsn_model_init(model, 3));
    float *stats = calloc(model->graph->stat_floats, sizeof *stats);
    assert_non_null(stats);
    for (size_t i = 0; i < model->graph->stat_count; i++)
        for (size_t k = 0; k < model->graph->stats[i].count; k++)
            stats[model->graph->stats[i].offset + k] =
                i % 2 ? 0.01f + 0.001f * (float)k : 0.001f * (float)(k % 3);
    assert_ok(jsni_model_write(model, 0, JSNI_BLOCK_STATISTICS, stats));
    free(stats);
    return model;
}

static const struct {
    const char *spec;
    size_t side, features;
} rows[] = {{"efficientnet-lite0", 40, 1280},
            {"mobilenetv2", 33, 1280},
            {"resnet18", 45, 512},
            {"preactresnet34:width=8", 16, 32},
            {"cnn", 16, 128}};

static void test_evaluation_alone_gives_the_same_logits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
            const char *device = jsni_backend_at(b)->name;
            if (jsni_backend_at(b)->device_count() == 0)
                continue;
            const size_t image = 3 * rows[i].side * rows[i].side;
            float *x = calloc(SAMPLES * image, sizeof *x);
            float want[SAMPLES * CLASSES], got[SAMPLES * CLASSES];
            assert_non_null(x);
            rig_fill(x, SAMPLES * image, 1);
            jsn_model *trained =
                make_model(device, rows[i].spec, rows[i].side, true, SAMPLES);
            jsn_model *alone =
                make_model(device, rows[i].spec, rows[i].side, false, SAMPLES);
            assert_ok(jsn_model_evaluate(trained, x, SAMPLES, want));
            assert_ok(jsn_model_evaluate(alone, x, SAMPLES, got));
            rig_assert_near(got, want, SAMPLES * CLASSES,
                            strcmp(device, "ref") == 0 ? 0.0 : 2e-5, rows[i].spec);
            assert_true(alone->memory.activations < trained->memory.activations);
            jsn_model_destroy(trained);
            jsn_model_destroy(alone);
            free(x);
        }
}

/* The last layer of all these networks is linear: the logits are its product with the
 * features. */
static double logit_of(const jsn_model *model, const float *params,
                       const float *features, size_t k)
{
    const jsni_graph *graph = model->graph;
    const jsni_node *linear = jsni_graph_output(graph);
    const jsni_tensor *weight = &graph->params[linear->weight];
    double sum = (double)params[graph->params[linear->bias].offset + k];
    for (size_t i = 0; i < weight->dim[1]; i++)
        sum += (double)params[weight->offset + k * weight->dim[1] + i] *
               (double)features[i];
    return sum;
}

static void test_the_body_gives_what_the_head_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t image = 3 * rows[i].side * rows[i].side;
        jsn_model *body = NULL,
                  *model = make_model("cpu", rows[i].spec, rows[i].side, false, 4);
        float *x = calloc(SAMPLES * image, sizeof *x);
        float *features = calloc(SAMPLES * rows[i].features, sizeof *features);
        float *params = calloc(model->graph->param_floats, sizeof *params);
        float logits[SAMPLES * CLASSES];
        assert_true(x != NULL && features != NULL && params != NULL);
        rig_fill(x, SAMPLES * image, 1);
        assert_ok(jsni_model_body(&body, model, "cpu", 3, 2));
        assert_int_equal(jsni_model_outputs(body), rows[i].features);
        assert_ok(jsn_model_evaluate(body, x, SAMPLES, features));
        assert_ok(jsn_model_evaluate(model, x, SAMPLES, logits));
        assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, params));
        double top = 0.0;
        for (size_t k = 0; k < SAMPLES * CLASSES; k++)
            top = fmax(top, fabs((double)logits[k]));
        for (size_t k = 0; k < SAMPLES * CLASSES; k++)
            assert_close(logit_of(model, params,
                                  features + k / CLASSES * rows[i].features,
                                  k % CLASSES),
                         (double)logits[k], 1e-5 * top, 0);
        jsn_model_destroy(body);
        jsn_model_destroy(model);
        free(x);
        free(features);
        free(params);
    }
}

static void test_a_body_may_be_a_flatten_alone(void **state)
{
    (void)state;
    jsn_model *body = NULL, *model = make_model("cpu", "mlp:layers=0", 4, false, 2);
    float x[48], features[48];
    rig_fill(x, 48, 1);
    assert_ok(jsni_model_body(&body, model, "cpu", 2, 1));
    assert_int_equal(jsni_model_outputs(body), 48);
    assert_ok(jsn_model_evaluate(body, x, 1, features));
    assert_memory_equal(features, x, sizeof x);
    jsn_model_destroy(body);
    jsn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluation_alone_gives_the_same_logits),
        cmocka_unit_test(test_the_body_gives_what_the_head_reads),
        cmocka_unit_test(test_a_body_may_be_a_flatten_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
