/* Whole networks on every backend against float64 PyTorch: logits, loss, gradients,
 * activations, running statistics, parameters after one and three SGD steps. Weights and
 * inputs follow from the formula in the manifest (network_formula.h); see tests/golden/network.json.
 *
 * Tolerances: what the authors of the golden file derive for float32 (about five times
 * the deviation of float32 PyTorch). They are loose for gradients because a few of
 * millions of ReLU inputs lie within rounding of zero and flip; the masked case has no
 * such inputs and is held tightly. */
#include <math.h>

#include "backend/backend_support.h"
#include "backend/model.h"
#include "backend/network_formula.h"
#include "core/json.h"
#include "jensen/loss.h"
#include "nn/network_impl.h"

/* One golden network. */
typedef struct golden_net {
    const jsni_json *entry, *config;
    const char *name;
    const jsni_safetensors *file;
    const jsni_backend_ops *ops;
    jsn_model *model;
    size_t views, samples, classes;
    float *images; /* [views][samples][image] */
    int32_t *labels;
} golden_net;

static double config_real(const golden_net *g, const char *key, double otherwise)
{
    const jsni_json *value = jsni_json_get(g->config, key);
    return value == NULL ? otherwise : jsni_json_real(value);
}

static void load_formula(golden_net *g)
{
    const jsni_graph *graph = g->model->graph;
    float *params = calloc(graph->param_floats, sizeof *params);
    float *stats = calloc(graph->stat_floats, sizeof *stats);
    assert_true(params != NULL && stats != NULL);
    jsni_graph_init(graph, 0, params, stats); /* for the statistics: 0 and 1 */
    for (size_t i = 0; i < graph->param_count; i++)
        formula_param(&graph->params[i], config_real(g, "bn_bias_offset", 0.0),
                      params + graph->params[i].offset);
    assert_ok(jsni_model_write(g->model, 0, JSNI_BLOCK_PARAMETERS, params));
    assert_ok(jsni_model_write(g->model, 0, JSNI_BLOCK_STATISTICS, stats));
    free(params);
    free(stats);
    const size_t image = g->samples * jsni_shape_count(jsni_graph_input(graph)->shape);
    for (size_t v = 0; v < g->views; v++)
        formula_images(v, image, g->images + v * image);
    formula_labels(g->samples, g->classes, g->labels);
}

/* Rows of the table in the golden README; in the order preact, masked, resnet, vgg. */
static double tolerance(const golden_net *g, const char *key)
{
    static const struct {
        const char *part;
        double by_net[4];
    } rows[] = {
        {"eval_logits_initial", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"train_logits", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"grad_logits", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"activation", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"running_mean_norm_after_step1", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"running_var_norm_after_step1", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"running_mean_first8_after_step1", {1e-5, 1e-5, 7e-4, 5e-5}},
        {"running_var_first8_after_step1", {1e-5, 1e-5, 5e-4, 5e-5}},
        {"grad_input_norm", {1e-2, 2e-4, 4e-2, 2e-2}},
        {"grad_input_first8", {5e-2, 1e-3, 0.3, 0.2}},
        {"grad_norm", {1e-2, 2e-4, 4e-2, 2e-2}},
        {"grad_first8", {5e-2, 1e-3, 0.3, 0.2}},
        {"param_norm_after_step1", {5e-5, 1e-6, 4e-2, 0}},
        {"param_first8_after_step1", {2e-4, 1e-6, 0.3, 0}},
        {"param_norm_after_step3", {1e-2, 1e-6, 0, 0}},
        {"param_first8_after_step3", {5e-2, 1e-6, 0, 0}},
    };
    const size_t net = strstr(g->name, "masked") != NULL    ? 1
                       : strncmp(g->name, "resnet", 6) == 0 ? 2
                       : strncmp(g->name, "vgg", 3) == 0    ? 3
                                                            : 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(key, rows[i].part, strlen(rows[i].part)) == 0)
            return rows[i].by_net[net];
    const jsni_json *deviations = jsni_json_get(g->entry, "float32_deviation");
    double deviation = 0.0;
    assert_ok(jsni_json_get_real(deviations, key, &deviation));
    return 5.0 * deviation + 1e-6;
}

static const double *wanted(const golden_net *g, const char *key, size_t count)
{
    char name[160];
    (void)snprintf(name, sizeof name, "%s/%s", g->name, key);
    size_t there = 0;
    const double *want = golden_doubles(g->file, name, &there);
    assert_int_equal(there, count);
    return want;
}

static double largest(const double *x, size_t count)
{
    double top = 0.0;
    for (size_t i = 0; i < count; i++)
        top = fmax(top, fabs(x[i]));
    return top;
}

/* Compares against the largest entry. */
static void compare_whole(const golden_net *g, const char *key, const float *got,
                          size_t count)
{
    const double *want = wanted(g, key, count);
    const double limit = tolerance(g, key) * largest(want, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)got[i] - want[i]) <= limit))
            fail_msg("%s on %s: %s[%zu] is %.9g, should be %.9g within %g", g->name,
                     g->ops->name, key, i, (double)got[i], want[i], limit);
}

/* Row `row` of `<what>_norm<tag>` and `<what>_first8<tag>`: the L2 norm and the first
 * eight entries. Rows far below the largest one are measured against a floor, for
 * gradients that cancel. */
static void compare_row(const golden_net *g, const char *what, const char *tag,
                        size_t row, size_t rows, const float *got, size_t count)
{
    char key[100];
    (void)snprintf(key, sizeof key, "%s_norm%s", what, tag);
    const double *norms = wanted(g, key, rows);
    double squares = 0.0;
    for (size_t i = 0; i < count; i++)
        squares += (double)got[i] * (double)got[i];
    const double floor_norm = 1e-4 * largest(norms, rows);
    const double scale = fmax(fabs(norms[row]), floor_norm);
    if (!(fabs(sqrt(squares) - norms[row]) <= tolerance(g, key) * scale))
        fail_msg("%s on %s: %s row %zu is %.9g, should be %.9g within %g of it",
                 g->name, g->ops->name, key, row, sqrt(squares), norms[row],
                 tolerance(g, key));
    (void)snprintf(key, sizeof key, "%s_first8%s", what, tag);
    const double *all = wanted(g, key, rows * 8);
    const double *first = all + row * 8;
    const double limit =
        tolerance(g, key) * fmax(largest(first, 8), 1e-4 * largest(all, rows * 8));
    for (size_t i = 0; i < 8 && i < count; i++)
        if (!(fabs((double)got[i] - first[i]) <= limit))
            fail_msg("%s on %s: %s row %zu entry %zu is %.9g, should be %.9g within %g",
                     g->name, g->ops->name, key, row, i, (double)got[i], first[i],
                     limit);
}

static const jsni_tensor *find(const jsni_tensor *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    fail_msg("no tensor '%s'", name);
    return NULL;
}

static void compare_params(golden_net *g, jsni_block block, const char *what,
                           const char *tag)
{
    const jsni_graph *graph = g->model->graph;
    float *values = calloc(graph->param_floats, sizeof *values);
    assert_non_null(values);
    assert_ok(jsni_model_read(g->model, 0, block, values));
    const jsni_json *names = jsni_json_get(g->entry, "parameters");
    const size_t rows = jsni_json_count(names);
    for (size_t i = 0; i < rows; i++) {
        const char *name = jsni_json_text(jsni_json_at(jsni_json_at(names, i), 0));
        const jsni_tensor *t = find(graph->params, graph->param_count, name);
        compare_row(g, what, tag, i, rows, values + t->offset, t->count);
    }
    free(values);
}

static void compare_stats(golden_net *g, const char *tag)
{
    const jsni_graph *graph = g->model->graph;
    float *values = calloc(graph->stat_floats, sizeof *values);
    assert_non_null(values);
    assert_ok(jsni_model_read(g->model, 0, JSNI_BLOCK_STATISTICS, values));
    const jsni_json *names = jsni_json_get(g->entry, "batch_norms");
    const size_t rows = jsni_json_count(names);
    static const char *const parts[] = {"running_mean", "running_var"};
    for (size_t i = 0; i < 2 * rows; i++) {
        char name[160];
        (void)snprintf(name, sizeof name, "%s.%s",
                       jsni_json_text(jsni_json_at(jsni_json_at(names, i / 2), 0)),
                       parts[i % 2]);
        const jsni_tensor *t = find(graph->stats, graph->stat_count, name);
        compare_row(g, parts[i % 2], tag, i / 2, rows, values + t->offset, t->count);
    }
    free(values);
}

/* Modules of PyTorch that are several nodes here: the last node is their output. */
static size_t find_node(const jsni_graph *graph, const char *module)
{
    static const char *const last[] = {"", ".relu", ".add"};
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < graph->node_count; i++) {
            char name[160];
            (void)snprintf(name, sizeof name, "%s%s", module, last[s]);
            if (strcmp(graph->nodes[i].name, name) == 0)
                return i;
        }
    fail_msg("no layer '%s'", module);
    return 0;
}

static void compare_activations(golden_net *g)
{
    const jsni_graph *graph = g->model->graph;
    const jsni_json *list = jsni_json_get(g->entry, "activations");
    const size_t rows = jsni_json_count(list);
    size_t compared = 0;
    for (size_t i = 0; i < rows; i++) {
        const char *module = jsni_json_text(jsni_json_at(jsni_json_at(list, i), 0));
        const size_t node = find_node(graph, module);
        const size_t count = g->samples * jsni_shape_count(graph->nodes[node].shape);
        float *values = calloc(g->views * count, sizeof *values);
        assert_non_null(values);
        const jsn_status status = g->ops->read_node(g->model->plan, 0, node, values);
        if (status != JSN_ERR_UNSUPPORTED) { /* fused into a neighbour */
            assert_ok(status);
            compare_row(g, "activation", "", i, rows, values, count);
            compared++;
        }
        free(values);
    }
    if (compared < rows)
        print_message("%s on %s: %zu of %zu activations exist in memory\n", g->name,
                      g->ops->name, compared, rows);
}

static void compare_evaluation(golden_net *g, const char *tag)
{
    char key[64];
    (void)snprintf(key, sizeof key, "eval_logits_%s", tag);
    float *logits = calloc(g->samples * g->classes, sizeof *logits);
    assert_non_null(logits);
    assert_ok(jsn_model_evaluate(g->model, g->images, g->samples, logits));
    compare_whole(g, key, logits, g->samples * g->classes);
    free(logits);
}

static void compare_logits(golden_net *g)
{
    const size_t count = g->samples * g->classes;
    float *values = calloc(g->views * count, sizeof *values);
    assert_non_null(values);
    for (size_t v = 0; v < g->views; v++) {
        char key[64];
        (void)snprintf(key, sizeof key, "train_logits_view%zu", v + 1);
        assert_ok(g->ops->read_output(g->model->plan, 0, values));
        compare_whole(g, key, values + v * count, count);
        (void)snprintf(key, sizeof key, "grad_logits_view%zu", v + 1);
        assert_ok(g->ops->read_output_gradient(g->model->plan, 0, values));
        compare_whole(g, key, values + v * count, count);
    }
    free(values);
}

static void compare_input_gradient(golden_net *g)
{
    const size_t count =
        g->samples * jsni_shape_count(jsni_graph_input(g->model->graph)->shape);
    float *values = calloc(g->views * count, sizeof *values);
    assert_non_null(values);
    assert_ok(g->ops->read_input_gradient(g->model->plan, 0, values));
    for (size_t v = 0; v < g->views; v++)
        compare_row(g, "grad_input", "", v, g->views, values + v * count, count);
    free(values);
}

/* How far the loss of a step may be off. The golden file has one deviation of one float32
 * run for all three steps. For the network whose ReLUs flip that says too much about the
 * first two and too little about the third: from weights one unit in the last place
 * apart, the losses of ref deviate from float64 by 4e-8, 3e-6, 3.3e-4 (root mean square
 * of 21 runs; at most 9e-4), of oneDNN by 6e-8, 1.2e-5, 7e-4 (compare_network). Five
 * times that of ref, and for the second that of oneDNN. */
static double loss_limit(const golden_net *g, const double *want, size_t step,
                         size_t steps)
{
    static const double flipping[] = {1e-6, 6e-5, 1.65e-3};
    if (strcmp(g->name, "preact34_K10") == 0 && steps == 3)
        return flipping[step];
    return tolerance(g, "losses") * largest(want, steps == 0 ? 1 : steps);
}

static void train(golden_net *g, jsn_loss *loss, size_t step, size_t steps)
{
    jsni_plan *plan = g->model->plan;
    const jsni_labels labels = {.labels = g->labels};
    const jsni_losses losses = {loss, NULL};
    const jsni_pass pass = {true, 0, (uint32_t)step};
    double mean = 0.0;
    assert_ok(g->ops->set_input(plan, 0, g->images, g->views, g->samples));
    assert_ok(g->ops->set_labels(plan, 0, &labels));
    assert_ok(g->ops->forward(plan, &pass));
    if (step == 0)
        compare_activations(g);
    assert_ok(g->ops->loss(plan, &losses));
    assert_ok(g->ops->read_loss(plan, 0, &mean, NULL));
    const double *want = wanted(g, "losses", steps == 0 ? 1 : steps);
    assert_close(mean, want[step], loss_limit(g, want, step, steps), 0);
    if (step == 0)
        compare_logits(g);
    assert_ok(g->ops->backward(plan));
    if (step == 0) {
        compare_params(g, JSNI_BLOCK_GRADIENTS, "grad", "");
        compare_input_gradient(g);
        compare_stats(g, "_after_step1");
    }
    if (steps == 0)
        return;
    jsni_update update = g->model->update;
    update.rate = config_real(g, "lr", 0);
    update.decay = config_real(g, "weight_decay", 0);
    update.step = step + 1;
    assert_ok(g->ops->update(plan, &update));
}

static void run_net(golden_net *g, const char *spec)
{
    g->config = jsni_json_get(g->entry, "config");
    g->classes = (size_t)config_real(g, "K", 0);
    g->samples = (size_t)config_real(g, "batch", 0);
    g->views = (size_t)config_real(g, "views", 0);
    const size_t steps = (size_t)config_real(g, "steps", 0);
    const jsni_shape in = {3, (size_t)config_real(g, "height", 0),
                           (size_t)config_real(g, "width", 0)};
    jsni_graph *graph = NULL;
    assert_ok(jsni_network_build(spec, in, g->classes, &graph));
    const jsni_plan_options options = {.batch = g->samples,
                                       .views = g->views,
                                       .threads = 2,
                                       .training = true,
                                       .input_gradient = true};
    assert_ok(jsni_model_create(&g->model, graph, g->ops->name,
                                "sgd:momentum=0.9,nesterov=1", &options));
    g->ops = g->model->plan->ops;
    g->images = calloc(g->views * g->samples * jsni_shape_count(in), sizeof(float));
    g->labels = calloc(g->samples, sizeof *g->labels);
    assert_true(g->images != NULL && g->labels != NULL);
    load_formula(g);
    jsn_loss *loss = NULL;
    const char *kind = jsni_json_text(jsni_json_get(g->config, "loss"));
    assert_ok(jsn_loss_create(&loss, strcmp(kind, "gjs") == 0 ? "gjs:pi1=0.5" : "ce",
                              g->classes, g->views));
    compare_evaluation(g, "initial");
    for (size_t step = 0; step < (steps == 0 ? 1 : steps); step++) {
        train(g, loss, step, steps);
        char tag[32];
        if (steps == 0)
            compare_evaluation(g, "after_forward");
        if (steps > 0 && (step == 0 || step == steps - 1)) {
            (void)snprintf(tag, sizeof tag, "_after_step%zu", step + 1);
            compare_params(g, JSNI_BLOCK_PARAMETERS, "param", tag);
            if (step > 0)
                compare_stats(g, tag);
            compare_evaluation(g, tag + 1);
        }
    }
    jsn_loss_destroy(loss);
    jsn_model_destroy(g->model);
    free(g->images);
    free(g->labels);
}

static void run_everywhere(const char *name, const char *spec)
{
    jsni_json *manifest = NULL;
    jsni_safetensors *file = NULL;
    assert_ok(jsni_json_read(&manifest, JSN_TEST_GOLDEN "/network.json"));
    assert_ok(jsni_safetensors_open(&file, JSN_TEST_GOLDEN "/network.safetensors"));
    const jsni_json *nets = jsni_json_get(manifest, "networks");
    size_t i = 0;
    while (strcmp(jsni_json_text(jsni_json_get(jsni_json_at(nets, i), "name")), name) !=
           0)
        assert_true(++i < jsni_json_count(nets));
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        golden_net g = {.entry = jsni_json_at(nets, i),
                        .name = name,
                        .file = file,
                        .ops = jsni_backend_at(b)};
        if (g.ops->device_count() > 0)
            run_net(&g, spec);
        else
            print_message("skipped: no device for the %s backend\n", g.ops->name);
    }
    jsni_safetensors_close(file);
    jsni_json_destroy(manifest);
}

static void test_the_formula_gives_the_examples(void **state)
{
    (void)state;
    assert_true(formula_fnv1a64("conv1.weight") == 0x69a29a2cee47d254u);
    assert_true(formula_splitmix64(0) == 0xe220a8397b1dcdafu);
    assert_close(formula_uniform(formula_fnv1a64("conv1.weight"), 0),
                 0.07481477096989375, 0, 0);
    assert_close(formula_uniform(formula_fnv1a64("conv1.weight"), 1),
                 0.6922065018626236, 0, 0);
    assert_close(formula_uniform(formula_fnv1a64("labels"), 0), 0.7277653643636653, 0,
                 0);
}

static void test_preactresnet34_of_10_classes(void **state)
{
    (void)state;
    run_everywhere("preact34_K10", "preactresnet34");
}

static void test_preactresnet34_of_100_classes(void **state)
{
    (void)state;
    run_everywhere("preact34_K100", "preactresnet34");
}

static void test_preactresnet34_without_flipping_relus(void **state)
{
    (void)state;
    run_everywhere("preact34_masked_K10", "preactresnet34");
}

static void test_resnet50(void **state)
{
    (void)state;
    run_everywhere("resnet50_K50", "resnet50");
}

static void test_vgg19bn(void **state)
{
    (void)state;
    run_everywhere("vgg19bn_K10", "vgg19bn:dropout=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_formula_gives_the_examples),
        cmocka_unit_test(test_preactresnet34_without_flipping_relus),
        cmocka_unit_test(test_preactresnet34_of_10_classes),
        cmocka_unit_test(test_preactresnet34_of_100_classes),
        cmocka_unit_test(test_resnet50),
        cmocka_unit_test(test_vgg19bn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
