/* The networks: parameter totals and names, shapes, costs, initial weights, and what is
 * refused. Totals come from the papers' code and torchvision; names from PyTorch's
 * state_dict, as the golden manifest lists them. */
#include <math.h>

#include "core/alloc.h"
#include "core/json.h"
#include "jensen/network.h"
#include "nn/network_impl.h"
#include "support/support.h"

static jsni_graph *build(const char *spec, size_t side, size_t classes)
{
    jsni_graph *graph = NULL;
    assert_ok(jsni_network_build(spec, (jsni_shape){3, side, side}, classes, &graph));
    return graph;
}

static void test_parameter_totals_are_those_of_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        size_t side, classes, parameters;
    } rows[] = {
        {"preactresnet34", 32, 10, 1860138},
        {"preactresnet34", 32, 100, 1871748},
        {"resnet50", 224, 1000, 25557032},
        {"resnet50", 224, 50, 23610482},
        {"resnet18", 224, 1000, 11689512},
        {"resnet34", 224, 1000, 21797672},
        {"resnet101", 224, 1000, 44549160},
        {"efficientnet-lite0", 224, 1000, 4652008},
        {"efficientnet-lite1", 240, 1000, 5416680},
        {"efficientnet-lite2", 260, 1000, 6092072},
        {"efficientnet-lite3", 280, 1000, 8197096},
        {"efficientnet-lite4", 300, 1000, 13006568},
        {"mobilenetv2", 224, 1000, 3504872},
        {"vgg19bn", 64, 10, 139622218},
        {"resnet50-plc", 224, 101, 24608933},
        {"resnet34-plc", 32, 10, 21282122},
        {"resnet34-plc", 32, 100, 21328292},
        /* 3072*256+256, 256*256+256, 256*10+10 */
        {"mlp", 32, 10, 786688 + 65792 + 2570},
        {"mlp:layers=0", 32, 10, 30730},
        /* 27*16+32, 144*32+64, 288*64+128, 576*128+256, 1290 */
        {"cnn", 32, 10, 464 + 4672 + 18560 + 73984 + 1290},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        jsni_graph *graph = build(rows[i].spec, rows[i].side, rows[i].classes);
        const size_t got = jsni_graph_cost(graph).parameters;
        if (got != rows[i].parameters)
            fail_msg("%s: %zu parameters, should be %zu", rows[i].spec, got,
                     rows[i].parameters);
        assert_int_equal(jsni_shape_count(jsni_graph_output(graph)->shape),
                         rows[i].classes);
        jsni_graph_destroy(graph);
    }
}

static void test_cost_of_preactresnet34_is_275_million(void **state)
{
    (void)state;
    jsni_graph *graph = build("preactresnet34", 32, 10);
    const jsni_cost cost = jsni_graph_cost(graph);
    assert_close((double)cost.multiplies, 275.6e6, 0.05e6, 0);
    jsni_graph_destroy(graph);
}

static const jsni_tensor *find(const jsni_tensor *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void check_names(const jsni_json *net, const jsni_graph *graph)
{
    const jsni_json *parameters = jsni_json_get(net, "parameters");
    assert_int_equal(jsni_json_count(parameters), graph->param_count);
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_json *row = jsni_json_at(parameters, i);
        const char *name = jsni_json_text(jsni_json_at(row, 0));
        const jsni_tensor *tensor = find(graph->params, graph->param_count, name);
        if (tensor == NULL)
            fail_msg("%s: no parameter '%s'", graph->network, name);
        const jsni_json *shape = jsni_json_at(row, 1);
        assert_int_equal(jsni_json_count(shape), tensor->rank);
        for (size_t k = 0; k < tensor->rank; k++)
            assert_int_equal(jsni_json_int(jsni_json_at(shape, k)), tensor->dim[k]);
    }
    const jsni_json *norms = jsni_json_get(net, "batch_norms");
    assert_int_equal(2 * jsni_json_count(norms), graph->stat_count);
    for (size_t i = 0; i < jsni_json_count(norms); i++) {
        char name[160];
        const char *module = jsni_json_text(jsni_json_at(jsni_json_at(norms, i), 0));
        (void)snprintf(name, sizeof name, "%s.running_mean", module);
        assert_non_null(find(graph->stats, graph->stat_count, name));
        (void)snprintf(name, sizeof name, "%s.running_var", module);
        assert_non_null(find(graph->stats, graph->stat_count, name));
    }
}

static void test_names_are_those_of_pytorch(void **state)
{
    (void)state;
    static const struct {
        const char *golden, *spec;
        size_t side, classes;
    } rows[] = {{"preact34_K10", "preactresnet34", 32, 10},
                {"preact34_K100", "preactresnet34", 32, 100},
                {"resnet50_K50", "resnet50", 64, 50},
                {"vgg19bn_K10", "vgg19bn", 64, 10}};
    jsni_json *manifest = NULL;
    assert_ok(jsni_json_read(&manifest, JSN_TEST_GOLDEN "/network.json"));
    const jsni_json *nets = jsni_json_get(manifest, "networks");
    size_t found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < jsni_json_count(nets); k++) {
            const jsni_json *net = jsni_json_at(nets, k);
            if (strcmp(jsni_json_text(jsni_json_get(net, "name")), rows[i].golden) != 0)
                continue;
            jsni_graph *graph = build(rows[i].spec, rows[i].side, rows[i].classes);
            check_names(net, graph);
            jsni_graph_destroy(graph);
            found++;
        }
    assert_int_equal(found, 4);
    jsni_json_destroy(manifest);
}

static void test_tensors_do_not_overlap_and_are_aligned(void **state)
{
    (void)state;
    jsni_graph *graph = build("resnet18", 64, 7);
    size_t end = 0;
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *t = &graph->params[i];
        assert_int_equal(t->offset % JSNI_TENSOR_ALIGN, 0);
        assert_true(t->offset >= end);
        end = t->offset + t->count;
    }
    assert_true(end <= graph->param_floats);
    jsni_graph_destroy(graph);
}

/* Mean and deviation of a tensor's values, and the largest magnitude. */
static void moments(const float *x, size_t n, double *mean, double *deviation,
                    double *most)
{
    double sum = 0, squares = 0;
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        squares += (double)x[i] * (double)x[i];
        *most = fmax(*most, fabs((double)x[i]));
    }
    *mean = sum / (double)n;
    *deviation = sqrt(squares / (double)n - *mean * *mean);
}

static void check_init(const char *spec, const char *name, double deviation,
                       double most)
{
    jsni_graph *graph = build(spec, 64, 10);
    float *params = calloc(graph->param_floats, sizeof *params);
    assert_non_null(params);
    const jsni_tensor *t = find(graph->params, graph->param_count, name);
    assert_non_null(t);
    jsni_graph_init_tensor(graph, 3, (size_t)(t - graph->params), params);
    double mean = 0, got = 0, largest = 0;
    moments(params + t->offset, t->count, &mean, &got, &largest);
    /* Five standard errors of mean and deviation. */
    const double n = (double)t->count;
    assert_close(mean, 0.0, 5 * deviation / sqrt(n), 0);
    assert_close(got, deviation, 5 * deviation / sqrt(2 * n), 0);
    if (most > 0)
        assert_true(largest <= most);
    free(params);
    jsni_graph_destroy(graph);
}

static void test_initial_weights_follow_the_recipe(void **state)
{
    (void)state;
    /* Uniform on +-b has deviation b/sqrt(3), b = 1/sqrt(fan-in). */
    check_init("preactresnet34", "layer2.1.conv1.weight", 1 / sqrt(576 * 3), 1 / 24.0);
    check_init("preactresnet34", "linear.weight", 1 / sqrt(128 * 3), 1 / sqrt(128));
    check_init("resnet18", "layer2.1.conv1.weight", sqrt(2 / (9 * 128.0)), 0);
    check_init("resnet18", "fc.weight", 1 / sqrt(512 * 3), 1 / sqrt(512));
    check_init("resnet34-plc", "layer1.0.conv1.weight", 1 / sqrt(576 * 3), 1 / 24.0);
    check_init("vgg19bn:dropout=0", "classifier.6.weight", 0.01, 0);
    check_init("vgg19bn:dropout=0", "features.3.weight", sqrt(2 / (9 * 64.0)), 0);
}

static void test_initial_weights_depend_on_the_seed_alone(void **state)
{
    (void)state;
    jsni_graph *ten = build("cnn", 32, 10), *five = build("cnn", 32, 5);
    float *a = calloc(ten->param_floats, sizeof *a), *b = calloc(ten->param_floats, 4);
    float *stats = calloc(ten->stat_floats, sizeof *stats);
    assert_true(a != NULL && b != NULL && stats != NULL);
    jsni_graph_init(ten, 1, a, stats);
    jsni_graph_init(five, 1, b, stats);
    /* Another head does not change the body. */
    const size_t body = ten->params[ten->param_count - 2].offset;
    assert_memory_equal(a, b, body * sizeof *a);
    assert_true(stats[0] == 0.0f && stats[ten->stats[1].offset] == 1.0f);
    jsni_graph_init(ten, 2, b, stats);
    assert_memory_not_equal(a, b, body * sizeof *a);
    free(a);
    free(b);
    free(stats);
    jsni_graph_destroy(ten);
    jsni_graph_destroy(five);
}

static void test_wrong_requests_are_refused_with_names_and_numbers(void **state)
{
    (void)state;
    jsn_network *net = NULL;
    assert_fails(jsn_network_create(&net, "resnet51", 3, 32, 32, 10),
                 JSN_ERR_UNKNOWN_NAME, "resnet50");
    assert_fails(jsn_network_create(&net, "cnn:depth=3", 3, 32, 32, 10),
                 JSN_ERR_UNKNOWN_NAME, "width");
    assert_fails(jsn_network_create(&net, "cnn:width=0", 3, 32, 32, 10), JSN_ERR_RANGE,
                 "width");
    assert_fails(jsn_network_create(&net, "cnn:width=2.5", 3, 32, 32, 10),
                 JSN_ERR_RANGE, "whole");
    assert_fails(jsn_network_create(&net, "cnn", 3, 32, 32, 1), JSN_ERR_ARGUMENT,
                 "1 class and");
    assert_fails(jsn_network_create(&net, "cnn", 3, 0, 32, 10), JSN_ERR_ARGUMENT,
                 "3x0x32");
    assert_fails(jsn_network_create(&net, "vgg19bn", 3, 16, 16, 10), JSN_ERR_RANGE,
                 "kernel of 2");
    assert_fails(
        jsn_network_create(&net, "cnn", 3, (size_t)1 << 40, (size_t)1 << 40, 2),
        JSN_ERR_RANGE, "too large");
    assert_fails(jsn_network_create(&net, "mlp:width=1048576", 3, 65535, 65535, 2),
                 JSN_ERR_RANGE, "too large");
    assert_null(net);
    assert_fails(jsn_network_create(NULL, "cnn", 3, 32, 32, 10), JSN_ERR_ARGUMENT,
                 "NULL");
    assert_null(jsn_network_find("nothing"));
    assert_null(jsni_network_at(SIZE_MAX));
}

static void test_layers_tell_their_shape_and_cost(void **state)
{
    (void)state;
    for (size_t i = 0; jsni_network_at(i) != NULL; i++) {
        const jsn_network_info *info = jsni_network_at(i);
        jsn_network *net = NULL;
        assert_ok(jsn_network_create(&net, info->name, info->channels, info->height,
                                     info->width, 10));
        const jsn_network_totals_info totals = jsn_network_totals(net);
        size_t parameters = 0;
        uint64_t multiplies = 0;
        for (size_t k = 0; k < totals.layers; k++) {
            const jsn_layer_info layer = jsn_network_layer(net, k);
            parameters += layer.parameters;
            multiplies += layer.multiplies;
            assert_true(layer.name[0] != '\0' && layer.channels > 0);
        }
        assert_int_equal(parameters, totals.parameters);
        assert_int_equal(multiplies, totals.multiplies);
        assert_null(jsn_network_layer(net, totals.layers).name);
        assert_int_equal(jsn_network_layer(net, totals.layers - 1).channels, 10);
        jsn_network_destroy(net);
    }
    jsn_network_destroy(NULL);
}

static jsn_status create_once(void *user)
{
    (void)user;
    jsn_network *net = NULL;
    const jsn_status status =
        jsn_network_create(&net, "preactresnet34:width=2", 3, 8, 8, 3);
    jsn_network_destroy(net);
    return status;
}

static void test_running_out_of_memory_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    support_walk_allocations(create_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_totals_are_those_of_the_papers),
        cmocka_unit_test(test_cost_of_preactresnet34_is_275_million),
        cmocka_unit_test(test_names_are_those_of_pytorch),
        cmocka_unit_test(test_tensors_do_not_overlap_and_are_aligned),
        cmocka_unit_test(test_initial_weights_follow_the_recipe),
        cmocka_unit_test(test_initial_weights_depend_on_the_seed_alone),
        cmocka_unit_test(test_wrong_requests_are_refused_with_names_and_numbers),
        cmocka_unit_test(test_layers_tell_their_shape_and_cost),
        cmocka_unit_test(test_running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
