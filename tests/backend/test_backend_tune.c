/* Fine-tuning on every CPU backend: the gradients of a network whose BatchNorm keeps its
 * statistics, of all of it and of its last blocks alone, against float64 PyTorch
 * (scripts/make_photo_goldens.py tune); the rates of the layers; and what must not move. */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/model.h"
#include "backend/network_formula.h"
#include "jensen/loss.h"
#include "nn/network_impl.h"
#include "nn/graph_part.h"

enum { COLUMNS = 6, FIRST = 4 }; /* of a golden row: hash, norm, first four */

typedef struct tuned {
    const jsni_safetensors *file;
    const char *name;
    size_t samples, side, classes;
    float *params, *stats, *images; /* of the whole network */
    int32_t *labels;
} tuned;

static const double *wanted(const tuned *t, const char *key, size_t *count)
{
    char name[128];
    (void)snprintf(name, sizeof name, "%s/%s", t->name, key);
    return golden_doubles(t->file, name, count);
}

static jsni_graph *build(const tuned *t)
{
    char spec[64];
    jsni_graph *graph = NULL;
    (void)snprintf(spec, sizeof spec, "%s%s", t->name,
                   jsn_network_find(t->name)->param_count > 0 ? ":dropout=0" : "");
    assert_ok(jsni_network_build(spec, (jsni_shape){3, t->side, t->side}, t->classes,
                                 &graph));
    return graph;
}

static void fill_stats(const jsni_graph *graph, float *stats)
{
    for (size_t i = 0; i < graph->stat_count; i++) {
        const jsni_tensor *s = &graph->stats[i];
        const uint64_t name = formula_fnv1a64(s->name);
        for (size_t k = 0; k < s->count; k++) {
            const double x = 2.0 * formula_uniform(name, k) - 1.0;
            stats[s->offset + k] =
                (float)(s->role == JSNI_ROLE_RUNNING_VAR ? 1.0 + 0.5 * x : 0.1 * x);
        }
    }
}

static void tuned_open(tuned *t, const jsni_safetensors *file, const char *name)
{
    static const float shift[] = {0.0f, 3.0f, 5.0f};
    size_t count = 0;
    *t = (tuned){.file = file, .name = name};
    const double *setup = wanted(t, "setup", &count);
    t->samples = (size_t)setup[0];
    t->side = (size_t)setup[1];
    t->classes = (size_t)setup[2];
    jsni_graph *graph = build(t);
    const size_t pixels = t->samples * 3 * t->side * t->side;
    t->params = calloc(graph->param_floats, sizeof *t->params);
    t->stats = calloc(graph->stat_floats, sizeof *t->stats);
    t->images = calloc(pixels, sizeof *t->images);
    t->labels = calloc(t->samples, sizeof *t->labels);
    assert_true(t->params != NULL && t->stats != NULL && t->images != NULL &&
                t->labels != NULL);
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *p = &graph->params[i];
        formula_param(p, 0.0, t->params + p->offset);
        for (size_t k = 0; k < p->count && p->role == JSNI_ROLE_NORM_BIAS; k++)
            t->params[p->offset + k] += shift[k % 3];
    }
    fill_stats(graph, t->stats);
    formula_images(0, pixels, t->images);
    formula_labels(t->samples, t->classes, t->labels);
    jsni_graph_destroy(graph);
}

static void tuned_close(tuned *t)
{
    free(t->params);
    free(t->stats);
    free(t->images);
    free(t->labels);
}

/* A model of the graph, which it takes over, with the weights from `begin` on. */
static jsn_model *make(const tuned *t, jsni_graph *graph, const char *device,
                       bool training, jsni_part_begin begin)
{
    const jsni_plan_options options = {
        .batch = t->samples, .views = 1, .threads = 2, .training = training};
    jsn_model *model = NULL;
    assert_ok(jsni_model_create(&model, graph, device,
                                training ? "sgd:momentum=0" : NULL, &options));
    assert_ok(
        jsni_model_write(model, 0, JSNI_BLOCK_PARAMETERS, t->params + begin.params));
    assert_ok(
        jsni_model_write(model, 0, JSNI_BLOCK_STATISTICS, t->stats + begin.stats));
    return model;
}

static double step(const tuned *t, jsn_model *model, const float *images, double rate)
{
    jsn_loss *loss = NULL;
    double mean = 0.0;
    assert_ok(jsn_loss_create(&loss, "ce", t->classes, 1));
    const jsn_model_batch batch = {
        .images = images, .views = 1, .samples = t->samples, .labels = t->labels};
    const jsn_model_step one = {.loss = loss, .rate = rate, .step = 1};
    assert_ok(jsn_model_train_step(model, &batch, &one, &mean, NULL));
    jsn_loss_destroy(loss);
    return mean;
}

/* Fails unless the norms and the first entries of all gradients are PyTorch's. */
static void compare(const tuned *t, jsn_model *model, double tolerance)
{
    size_t count = 0;
    const jsni_graph *graph = model->graph;
    const double *rows = wanted(t, "gradients", &count);
    float *block = calloc(graph->param_floats, sizeof *block);
    assert_non_null(block);
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_GRADIENTS, block));
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *p = &graph->params[i];
        const double hash = (double)(uint32_t)formula_fnv1a64(p->name);
        size_t r = 0;
        while (r < count && rows[r] != hash)
            r += COLUMNS;
        assert_true(r < count);
        double squares = 0.0, worst = 0.0;
        for (size_t k = 0; k < p->count; k++) {
            const double g = (double)block[p->offset + k];
            squares += g * g;
            if (k < FIRST)
                worst = fmax(worst, fabs(g - rows[r + 2 + k]));
        }
        const double norm = rows[r + 1], usual = norm / sqrt((double)p->count);
        double top = usual;
        for (size_t k = 0; k < FIRST; k++)
            top = fmax(top, fabs(rows[r + 2 + k]));
        if (!(fabs(sqrt(squares) - norm) <= tolerance * norm) ||
            !(worst <= 10.0 * tolerance * top))
            fail_msg("%s on %s: %s: norm %g, should be %g; entries off by %g of %g",
                     t->name, model->backend->ops->name, p->name, sqrt(squares), norm,
                     worst, top);
    }
    free(block);
}

static void assert_block(jsn_model *model, jsni_block block, const float *want)
{
    const size_t count = jsni_model_block_floats(model, block);
    float *got = calloc(count + 1, sizeof *got);
    assert_non_null(got);
    assert_ok(jsni_model_read(model, 0, block, got));
    assert_memory_equal(got, want, count * sizeof *got);
    free(got);
}

/* One or two of some hundred thousand ReLU inputs are within rounding of zero: the whole
 * network has more tolerance than its last blocks. */
static void check_whole(const tuned *t, const char *device)
{
    size_t count = 0;
    const jsni_part_begin begin = {0, 0};
    jsn_model *model = make(t, build(t), device, true, begin);
    assert_ok(jsni_model_tune(model, 0.8, true));
    const double mean = step(t, model, t->images, 0.0);
    assert_close(mean, *wanted(t, "loss", &count), 0, 1e-4);
    compare(t, model, 2e-2);
    assert_block(model, JSNI_BLOCK_STATISTICS, t->stats);
    assert_block(model, JSNI_BLOCK_PARAMETERS, t->params);
    jsn_model_destroy(model);
}

static void check_tail(const tuned *t, const char *device)
{
    size_t count = 0;
    jsni_graph *whole = build(t), *front = NULL, *back = NULL;
    size_t *depth = calloc(whole->node_count, sizeof *depth);
    assert_non_null(depth);
    jsni_graph_depths(whole, depth);
    const size_t cut = jsni_graph_cut(whole, depth, 2);
    assert_true(cut > whole->node_count / 2);
    assert_ok(jsni_graph_part(whole, 0, cut, &front));
    assert_ok(jsni_graph_part(whole, cut, whole->node_count - 1, &back));
    assert_int_equal(front->param_count + back->param_count, whole->param_count);
    jsn_model *body = make(t, front, device, false, (jsni_part_begin){0, 0});
    jsn_model *tail = make(t, back, device, true, jsni_graph_part_begin(whole, cut));
    float *features = calloc(t->samples * jsni_shape_count(whole->nodes[cut].shape),
                             sizeof *features);
    assert_non_null(features);
    assert_ok(jsn_model_evaluate(body, t->images, t->samples, features));
    assert_ok(jsni_model_tune(tail, 0.8, true));
    const double mean = step(t, tail, features, 0.0);
    assert_close(mean, *wanted(t, "loss", &count), 0, 1e-4);
    compare(t, tail, 2e-3);
    jsn_model_destroy(body);
    jsn_model_destroy(tail);
    jsni_graph_destroy(whole);
    free(features);
    free(depth);
}

static void test_gradients_are_those_of_pytorch(void **state)
{
    (void)state;
    static const char *const names[] = {"efficientnet-lite0", "mobilenetv2",
                                        "resnet34"};
    jsni_safetensors *file = NULL;
    assert_ok(
        jsni_safetensors_open(&file, JSN_TEST_GOLDEN "/tuned_networks.safetensors"));
    for (size_t n = 0; n < 3; n++) {
        tuned t;
        tuned_open(&t, file, names[n]);
        for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
            const jsni_backend_ops *ops = jsni_backend_at(b);
            if (ops->can.gpu || ops->device_count() == 0)
                continue;
            check_whole(&t, ops->name);
            check_tail(&t, ops->name);
        }
        tuned_close(&t);
    }
    jsni_safetensors_close(file);
}

/* The block of a layer, by its name, counted from the classifier of MobileNetV2. */
static size_t distance(const char *name)
{
    size_t number = 0;
    if (sscanf(name, "features.%zu.", &number) != 1)
        return 0;
    return 19 - number;
}

static void test_each_block_has_its_rate(void **state)
{
    (void)state;
    jsni_safetensors *file = NULL;
    assert_ok(
        jsni_safetensors_open(&file, JSN_TEST_GOLDEN "/tuned_networks.safetensors"));
    tuned t;
    tuned_open(&t, file, "mobilenetv2");
    jsn_model *model = make(&t, build(&t), "ref", true, (jsni_part_begin){0, 0});
    const jsni_graph *graph = model->graph;
    float *after = calloc(graph->param_floats, sizeof *after);
    float *gradient = calloc(graph->param_floats, sizeof *gradient);
    assert_true(after != NULL && gradient != NULL);
    assert_ok(jsni_model_tune(model, 0.5, true));
    (void)step(&t, model, t.images, 1.0);
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_PARAMETERS, after));
    assert_ok(jsni_model_read(model, 0, JSNI_BLOCK_GRADIENTS, gradient));
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *p = &graph->params[i];
        const double rate = pow(0.5, (double)distance(p->name));
        for (size_t k = p->offset; k < p->offset + p->count; k++)
            assert_close((double)after[k],
                         (double)t.params[k] - rate * (double)gradient[k], 1e-6, 1e-6);
    }
    assert_block(model, JSNI_BLOCK_STATISTICS, t.stats);
    jsn_model_destroy(model);
    free(after);
    free(gradient);
    tuned_close(&t);
    jsni_safetensors_close(file);
}

/* A part reads nothing but the node that it begins with. */
static void test_a_cut_through_a_block_is_refused(void **state)
{
    (void)state;
    jsni_graph *graph = NULL, *part = NULL;
    assert_ok(jsni_network_build("resnet18", (jsni_shape){3, 32, 32}, 5, &graph));
    size_t inside = 0;
    while (strcmp(graph->nodes[inside].name, "layer3.1.conv1") != 0)
        inside++;
    assert_int_equal(jsni_graph_part(graph, inside, graph->node_count - 1, &part),
                     JSN_ERR_ARGUMENT);
    assert_null(part);
    size_t *depth = calloc(graph->node_count, sizeof *depth);
    assert_non_null(depth);
    jsni_graph_depths(graph, depth);
    assert_int_equal(depth[graph->node_count - 1], 0);
    assert_int_equal(depth[inside], 3);
    const size_t cut = jsni_graph_cut(graph, depth, 2);
    assert_int_equal(depth[cut], 3);
    assert_int_equal(depth[cut + 1], 2);
    assert_int_equal(jsni_graph_cut(graph, depth, 100), 0);
    free(depth);
    jsni_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_those_of_pytorch),
        cmocka_unit_test(test_each_block_has_its_rate),
        cmocka_unit_test(test_a_cut_through_a_block_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
