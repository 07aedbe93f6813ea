/* The golden values of single layers on every backend: forward, gradients of input and
 * parameters, running statistics. They were computed by PyTorch in float64.
 *
 * Tolerances are parts of the largest entry of a tensor: 1e-6 for float32 arithmetic;
 * 1e-5 for backends whose convolutions may be Winograd's; 1e-4 for the BatchNorm cases,
 * whose second channel has mean 100 and deviation 0.1, i.e. 1e-7 * 100 / 0.1. */
#include "backend/backend_support.h"
#include "core/json.h"

typedef struct golden_set {
    jsni_json *manifest;
    jsni_safetensors *file;
} golden_set;

static int open_golden(void **state)
{
    golden_set *set = calloc(1, sizeof *set);
    assert_non_null(set);
    assert_ok(jsni_json_read(&set->manifest, JSN_TEST_GOLDEN "/network.json"));
    assert_ok(
        jsni_safetensors_open(&set->file, JSN_TEST_GOLDEN "/network.safetensors"));
    *state = set;
    return 0;
}

static int close_golden(void **state)
{
    golden_set *set = *state;
    jsni_json_destroy(set->manifest);
    jsni_safetensors_close(set->file);
    free(set);
    return 0;
}

static size_t number(const jsni_json *entry, const char *key, size_t otherwise)
{
    double value = (double)otherwise;
    if (jsni_json_get(entry, key) != NULL)
        assert_ok(jsni_json_get_real(entry, key, &value));
    return (size_t)value;
}

static const char *text(const jsni_json *entry, const char *key)
{
    return jsni_json_text(jsni_json_get(entry, key));
}

static int has(const golden_set *set, const char *layer, const char *tensor)
{
    char name[128];
    (void)snprintf(name, sizeof name, "layers/%s/%s", layer, tensor);
    return jsni_safetensors_find(set->file, name) != NULL;
}

static const jsni_safetensor *tensor_of(const golden_set *set, const char *layer,
                                        const char *tensor)
{
    char name[128];
    (void)snprintf(name, sizeof name, "layers/%s/%s", layer, tensor);
    const jsni_safetensor *found = jsni_safetensors_find(set->file, name);
    if (found == NULL)
        fail_msg("no tensor %s", name);
    return found;
}

/* The op of a manifest entry; 0 when it is none (optimisers). */
static int make_op(const golden_set *set, const jsni_json *entry, jsni_op *op)
{
    const char *kind = text(entry, "kind"), *name = text(entry, "name");
    memset(op, 0, sizeof *op);
    const size_t kernel = number(entry, "kernel", 1);
    const size_t stride = number(entry, "stride", kernel);
    const size_t pad = number(entry, "padding", 0);
    const jsni_window window = {kernel, kernel, stride, stride, pad, pad, 0, 0};
    if (strcmp(kind, "conv") == 0) {
        op->kind = JSNI_OP_CONV;
        op->as.conv = (jsni_op_conv){window, tensor_of(set, name, "weight")->shape[0],
                                     has(set, name, "bias")};
    } else if (strcmp(kind, "batch_norm") == 0) {
        op->kind = JSNI_OP_NORM;
        op->as.norm = (jsni_op_norm){1e-5, 0.1};
    } else if (strcmp(kind, "relu") == 0) {
        op->kind = JSNI_OP_RELU;
    } else if (strcmp(kind, "avg_pool") == 0) {
        op->kind = JSNI_OP_AVG_POOL;
        op->as.pool = window;
    } else if (strcmp(kind, "max_pool") == 0) {
        op->kind = JSNI_OP_MAX_POOL;
        op->as.pool = window;
    } else if (strcmp(kind, "adaptive_avg_pool") == 0) {
        const jsni_json *out = jsni_json_get(entry, "out");
        op->kind = JSNI_OP_ADAPTIVE_POOL;
        op->as.adaptive.out_h = (size_t)jsni_json_real(jsni_json_at(out, 0));
        op->as.adaptive.out_w = (size_t)jsni_json_real(jsni_json_at(out, 1));
    } else if (strcmp(kind, "linear") == 0) {
        op->kind = JSNI_OP_LINEAR;
        op->as.linear =
            (jsni_op_linear){tensor_of(set, name, "weight")->shape[0], true};
    } else {
        return 0;
    }
    return 1;
}

static double tolerance_of(const jsni_backend_ops *ops, const jsni_op *op)
{
    if (op->kind == JSNI_OP_NORM)
        return 1e-4;
    return op->kind == JSNI_OP_CONV && strcmp(ops->name, "ref") != 0 ? 1e-5 : 1e-6;
}

static void load_block(const golden_set *set, const char *layer, const char *tensor,
                       const jsni_tensor *place, float *block)
{
    char name[128];
    (void)snprintf(name, sizeof name, "layers/%s/%s", layer, tensor);
    golden_floats(set->file, name, block + place->offset, place->count);
}

static void compare(const golden_set *set, const char *layer, const char *tensor,
                    const float *got, size_t count, double tolerance)
{
    char name[128];
    (void)snprintf(name, sizeof name, "layers/%s/%s", layer, tensor);
    golden_assert_near(set->file, name, got, count, tolerance);
}

static void compare_params(const golden_set *set, const char *layer, const rig *r,
                           double tolerance)
{
    static const char *const names[] = {"grad_weight", "grad_bias"};
    for (size_t i = 0; i < r->graph->param_count; i++) {
        const jsni_tensor *t = &r->graph->params[i];
        compare(set, layer, names[i], r->grads + t->offset, t->count, tolerance);
    }
}

static void run_layer(const golden_set *set, const jsni_json *entry, const jsni_op *op,
                      const jsni_backend_ops *ops)
{
    const char *layer = text(entry, "name");
    const jsni_safetensor *x = tensor_of(set, layer, "x");
    const jsni_shape in = {x->shape[1], x->rank > 2 ? x->shape[2] : 1,
                           x->rank > 3 ? x->shape[3] : 1};
    const int training = strcmp(layer, "bn_eval") != 0;
    jsni_graph *graph = rig_graph(op, in);
    rig r;
    if (rig_open(&r, ops, graph, 1, x->shape[0], 1, JSN_PRECISION_FP32)) {
        const size_t inputs = x->shape[0] * jsni_shape_count(in);
        const size_t outputs =
            x->shape[0] * jsni_shape_count(jsni_graph_output(graph)->shape);
        static const char *const names[] = {"weight", "bias"};
        static const char *const stats[] = {"running_mean", "running_var"};
        static const char *const after[] = {"running_mean_out", "running_var_out"};
        memcpy(r.x, x->data, inputs * sizeof(float));
        memcpy(r.dy, tensor_of(set, layer, "grad_y")->data, outputs * sizeof(float));
        for (size_t i = 0; i < graph->param_count; i++)
            load_block(set, layer, names[i], &graph->params[i], r.params);
        for (size_t i = 0; i < graph->stat_count; i++)
            load_block(set, layer, stats[i], &graph->stats[i], r.stats);
        const double tolerance = tolerance_of(ops, op);
        const jsn_status status = rig_run(&r, training, 1, 0);
        compare(set, layer, "y", r.y, outputs, tolerance);
        if (status == JSN_OK) {
            compare(set, layer, "grad_x", r.dx, inputs, tolerance);
            compare_params(set, layer, &r, tolerance);
        } else {
            print_message("%s: %s has no backward after evaluation\n", ops->name,
                          layer);
        }
        for (size_t i = 0; i < graph->stat_count && training; i++)
            compare(set, layer, after[i], r.stats + graph->stats[i].offset,
                    graph->stats[i].count, tolerance);
    }
    rig_close(&r);
    jsni_graph_destroy(graph);
}

static void test_every_layer_matches_its_golden_values(void **state)
{
    const golden_set *set = *state;
    const jsni_json *layers = jsni_json_get(set->manifest, "layers");
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        size_t ran = 0;
        for (size_t i = 0; i < jsni_json_count(layers); i++) {
            jsni_op op;
            if (make_op(set, jsni_json_at(layers, i), &op)) {
                run_layer(set, jsni_json_at(layers, i), &op, jsni_backend_at(b));
                ran++;
            }
        }
        assert_int_equal(ran, 21); /* the other 3 are optimisers */
    }
}

static void test_optimisers_match_their_golden_values(void **state)
{
    const golden_set *set = *state;
    const jsni_json *layers = jsni_json_get(set->manifest, "layers");
    size_t ran = 0;
    for (size_t i = 0; i < jsni_json_count(layers); i++) {
        const jsni_json *entry = jsni_json_at(layers, i);
        if (strcmp(text(entry, "kind"), "sgd") != 0)
            continue;
        double lr = 0, momentum = 0, decay = 0;
        assert_ok(jsni_json_get_real(entry, "lr", &lr));
        assert_ok(jsni_json_get_real(entry, "momentum", &momentum));
        assert_ok(jsni_json_get_real(entry, "weight_decay", &decay));
        const char *name = text(entry, "name");
        char spec[64];
        (void)snprintf(spec, sizeof spec, "sgd:momentum=%g,nesterov=%d", momentum,
                       strcmp(name, "sgd_nesterov") == 0);
        jsni_update update;
        size_t slots = 0;
        assert_ok(jsni_optim_parse(spec, &update, &slots));
        assert_int_equal(slots, 1);
        update.rate = lr;
        update.decay = decay;
        float param[5], state_block[5] = {0}, got[20];
        memcpy(param, tensor_of(set, name, "param")->data, sizeof param);
        const float *grads = tensor_of(set, name, "grads")->data;
        for (size_t s = 0; s < 4; s++) {
            update.step = s + 1;
            jsni_optim_apply(&update, JSNI_ROLE_BIAS, 5, param, grads + 5 * s,
                             state_block, 5);
            memcpy(got + 5 * s, param, sizeof param);
        }
        compare(set, name, "params_after_each_step", got, 20, 1e-6);
        ran++;
    }
    assert_int_equal(ran, 3);
}

static void test_the_checker_rejects_a_wrong_answer(void **state)
{
    (void)state;
    const float want[] = {1.0f, -2.0f, 0.0f};
    const float close[] = {1.0f, -2.000002f, 0.0f};
    const float wrong[] = {1.0f, 2.0f, 0.0f};
    const float nan[] = {1.0f, (float)strtod("nan", NULL), 0.0f};
    assert_true(rig_difference(want, want, 3, 1e-30) == 0.0);
    assert_true(rig_difference(close, want, 3, 1e-30) < 2e-6);
    assert_true(rig_difference(wrong, want, 3, 1e-30) == 2.0);
    assert_false(rig_difference(nan, want, 3, 1e-30) < 1e30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_layer_matches_its_golden_values,
                                        open_golden, close_golden),
        cmocka_unit_test_setup_teardown(test_optimisers_match_their_golden_values,
                                        open_golden, close_golden),
        cmocka_unit_test(test_the_checker_rejects_a_wrong_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
