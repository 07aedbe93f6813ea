/* How the oneDNN backend fuses a graph, held to ref on graphs that are made to reach the
 * corners: values with several readers, adds of everything, BatchNorm of the images and of
 * vectors, channels that fill no block, batches that no shard divides, one pixel. */
#include <math.h>

#include "backend/backend_support.h"
#include "core/alloc.h"
#include "nn/network_impl.h"

static const jsni_backend_ops *find(const char *name)
{
    size_t b = 0;
    while (jsni_backend_at(b) != NULL && strcmp(jsni_backend_at(b)->name, name) != 0)
        b++;
    return jsni_backend_at(b);
}

typedef struct builder_case {
    const char *name;
    size_t (*build)(jsni_builder *b, size_t x);
    jsni_shape input;
    size_t samples, views;
} builder_case;

static size_t preact(jsni_builder *b, size_t x, size_t outs, size_t stride)
{
    size_t a = jsni_build_relu(b, "relu1", jsni_build_norm(b, "bn1", x));
    size_t skip =
        stride == 1 ? x : jsni_build_conv(b, "short", a, outs, 1, stride, 0, false);
    size_t y = jsni_build_conv(b, "conv1", a, outs, 3, stride, 1, false);
    y = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn2", y));
    y = jsni_build_conv(b, "conv2", y, outs, 3, 1, 1, false);
    return jsni_build_add(b, "add", y, skip);
}

static size_t build_preact(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "stem", x, 32, 3, 1, 1, false);
    x = preact(b, x, 32, 1);
    return preact(b, x, 64, 2);
}

static size_t build_narrow(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "stem", x, 6, 3, 1, 1, true);
    x = preact(b, x, 6, 1);
    return preact(b, x, 12, 2);
}

static size_t build_postact(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "stem", x, 16, 7, 2, 3, false);
    x = jsni_build_relu(b, "relu0", jsni_build_norm(b, "bn0", x));
    x = jsni_build_max_pool(b, "pool", x, 3, 2, 1);
    size_t y = jsni_build_conv(b, "c1", x, 16, 1, 1, 0, false);
    y = jsni_build_relu(b, "r1", jsni_build_norm(b, "b1", y));
    y = jsni_build_conv(b, "c2", y, 16, 3, 1, 1, false);
    y = jsni_build_relu(b, "r2", jsni_build_norm(b, "b2", y));
    y = jsni_build_norm(b, "b3", jsni_build_conv(b, "c3", y, 32, 1, 1, 0, false));
    size_t skip =
        jsni_build_norm(b, "bs", jsni_build_conv(b, "cs", x, 32, 1, 1, 0, false));
    x = jsni_build_relu(b, "r3", jsni_build_add(b, "add", y, skip));
    y = jsni_build_norm(b, "b4", jsni_build_conv(b, "c4", x, 32, 3, 1, 1, false));
    return jsni_build_relu(b, "r4", jsni_build_add(b, "add2", y, x));
}

/* Residuals without BatchNorm; the convolution's input is also its residual. */
static size_t build_raw(jsni_builder *b, size_t x)
{
    size_t a = jsni_build_conv(b, "c1", x, 16, 3, 1, 1, true);
    size_t y =
        jsni_build_add(b, "s1", jsni_build_conv(b, "c2", a, 16, 3, 1, 1, true), a);
    size_t z = jsni_build_relu(b, "r1", y);
    z = jsni_build_add(b, "s2", jsni_build_conv(b, "c3", z, 16, 1, 1, 0, true), a);
    return jsni_build_add(b, "s3", jsni_build_add(b, "s4", z, y), z);
}

/* BatchNorms and ReLUs with several readers, two BatchNorms of one tensor. */
static size_t build_shared(jsni_builder *b, size_t x)
{
    size_t c = jsni_build_conv(b, "c1", x, 16, 3, 1, 1, false);
    size_t n = jsni_build_norm(b, "n1", c), m = jsni_build_norm(b, "n2", c);
    size_t r = jsni_build_relu(b, "r1", n);
    size_t s = jsni_build_relu(b, "r2", m);
    size_t t = jsni_build_add(b, "a1", r, n);
    t = jsni_build_add(b, "a2", t, jsni_build_conv(b, "c2", s, 16, 3, 1, 1, false));
    t = jsni_build_add(b, "a3", jsni_build_relu(b, "r3", s), t);
    return jsni_build_norm(b, "n3", jsni_build_relu(b, "r4", t));
}

static size_t build_vectors(jsni_builder *b, size_t x)
{
    x = jsni_build_relu(b, "r0", jsni_build_norm(b, "n0", x));
    x = jsni_build_avg_pool(b, "avg", x, 3, 2, 1);
    x = jsni_build_dropout(b, "drop0", x, 0.25);
    x = jsni_build_adaptive_pool(b, "ada", x, 2, 3);
    x = jsni_build_flatten(b, "flat", x);
    x = jsni_build_linear(b, "l1", x, 37, true);
    x = jsni_build_relu(b, "r1", jsni_build_norm(b, "n1", x));
    x = jsni_build_linear(b, "l2", x, 24, false);
    size_t y = jsni_build_relu(b, "r2", x);
    y = jsni_build_dropout(b, "drop", y, 0.5);
    return jsni_build_add(b, "a", jsni_build_linear(b, "l3", y, 24, true), x);
}

static size_t build_pixel(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "c1", x, 32, 3, 1, 1, true);
    x = preact(b, x, 32, 1);
    return jsni_build_conv(b, "c2", x, 5, 1, 1, 0, true);
}

/* A widening convolution whose result is made again backward. */
static size_t widened(jsni_builder *b, size_t x, size_t outs, size_t stride)
{
    size_t y = jsni_build_conv(b, "wide", x, 60, 1, 1, 0, false);
    y = jsni_build_relu6(b, "r1", jsni_build_norm(b, "b1", y));
    y = jsni_build_depthwise(b, "deep", y, 3, stride, JSNI_PAD_SAME, false);
    y = jsni_build_relu6(b, "r2", jsni_build_norm(b, "b2", y));
    y = jsni_build_norm(b, "b3", jsni_build_conv(b, "thin", y, outs, 1, 1, 0, false));
    return stride == 1 ? jsni_build_add(b, "add", y, x) : y;
}

static size_t build_widened(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "stem", x, 12, 3, 1, 1, false);
    x = jsni_build_norm(b, "b0", x);
    x = widened(b, x, 12, 1);
    return widened(b, x, 20, 2);
}

static const builder_case cases[] = {
    {"preact", build_preact, {3, 8, 8}, 19, 2},
    {"preact, whole shards", build_preact, {3, 4, 12}, 16, 2},
    {"narrow", build_narrow, {3, 9, 7}, 5, 2},
    {"postact", build_postact, {3, 33, 30}, 6, 1},
    {"no batch norm", build_raw, {16, 9, 9}, 7, 1},
    {"several readers", build_shared, {3, 8, 12}, 6, 2},
    {"vectors", build_vectors, {5, 7, 9}, 9, 2},
    {"widened", build_widened, {3, 9, 8}, 11, 2},
    {"one pixel", build_pixel, {7, 1, 1}, 19, 1},
};

static jsni_graph *build(const builder_case *c)
{
    jsni_builder b;
    jsni_build_begin(&b, c->name, c->input, 10);
    size_t x = c->build(&b, jsni_build_input(&b));
    x = jsni_build_flatten(&b, "flatten", x);
    (void)jsni_build_linear(&b, "head", x, 10, true);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

static void fill(rig *r)
{
    const jsni_graph *g = r->graph;
    for (size_t i = 0; i < g->param_count; i++) {
        const jsni_tensor *t = &g->params[i];
        float *p = r->params + t->offset;
        rig_fill(p, t->count, (uint32_t)i + 10);
        const float fan = (float)(t->count / t->dim[0]);
        for (size_t k = 0; k < t->count; k++)
            p[k] = t->role == JSNI_ROLE_WEIGHT        ? p[k] / sqrtf(fan)
                   : t->role == JSNI_ROLE_NORM_WEIGHT ? 1.0f + 0.2f * p[k]
                                                      : 0.2f * p[k];
    }
    for (size_t i = 0; i < g->stat_count; i++) {
        rig_fill(r->stats + g->stats[i].offset, g->stats[i].count, 900);
        for (size_t k = 0; k < g->stats[i].count; k++)
            if (g->stats[i].role == JSNI_ROLE_RUNNING_VAR)
                r->stats[g->stats[i].offset + k] =
                    1.0f + 0.5f * fabsf(r->stats[g->stats[i].offset + k]);
    }
    const size_t images = r->views * r->samples;
    rig_fill(r->x, images * jsni_shape_count(g->nodes[0].shape), 1);
    rig_fill(r->dy, images * jsni_shape_count(jsni_graph_output(g)->shape), 2);
}

/* Tolerance. Winograd layers are exact to 1e-5 of their maximum, a handful of them with
 * BatchNorm (deviations near 1) between stay below 2e-4; gradients of parameters are
 * measured against the largest of their network, since some vanish identically. */
static const double tolerance = 2e-4;

static void near(const char *name, const char *what, const float *got,
                 const float *want, size_t count)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%s, %s", name, what);
    rig_assert_near(got, want, count, tolerance, text);
}

static void compare(const char *name, const rig *got, const rig *want)
{
    const jsni_graph *g = got->graph;
    const size_t images = got->views * got->samples;
    near(name, "output", got->y, want->y,
         images * jsni_shape_count(jsni_graph_output(g)->shape));
    near(name, "statistics", got->stats, want->stats, g->stat_floats);
    near(name, "gradient of the images", got->dx, want->dx,
         images * jsni_shape_count(g->nodes[0].shape));
    double top = 0.0;
    for (size_t i = 0; i < g->param_floats; i++)
        top = fmax(top, fabs((double)want->grads[i]));
    for (size_t i = 0; i < g->param_count; i++) {
        const jsni_tensor *t = &g->params[i];
        const double d = rig_difference(got->grads + t->offset, want->grads + t->offset,
                                        t->count, 1e-2 * top);
        if (!(d <= tolerance))
            fail_msg("%s: gradient of %s off by %g", name, t->name, d);
    }
}

static void check_case(const builder_case *c, size_t threads)
{
    jsni_graph *graph = build(c);
    rig want, got;
    assert_true(rig_open(&want, find("ref"), graph, c->views, c->samples, 2,
                         JSN_PRECISION_FP32));
    assert_true(rig_open(&got, find("onednn"), graph, c->views, c->samples, threads,
                         JSN_PRECISION_FP32));
    for (int training = 1; training >= 0; training--) {
        fill(&want);
        fill(&got);
        assert_ok(rig_run(&want, training, 1, 3));
        assert_ok(rig_run(&got, training, 1, 3));
        compare(c->name, &got, &want);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const char *text = got.ops->describe_node(got.plan, i);
        assert_non_null(text);
        assert_true(strlen(text) > 0);
        /* oneDNN's slow fallback; it has nothing else for the gradient of plain images,
         * which no training asks for */
        if (i > 0 && graph->nodes[i].input[0] > 0)
            if (strstr(text, "ref:"))
                fail_msg("%s: node %s: %s", c->name, graph->nodes[i].name, text);
    }
    rig_close(&want);
    rig_close(&got);
    jsni_graph_destroy(graph);
}

static void test_fused_graphs_agree_with_ref(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 1 + i % 3);
}

/* All results of a training pass, for any number of threads. */
static void test_bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        jsni_graph *graph = build(&cases[i]);
        rig one;
        assert_true(rig_open(&one, find("onednn"), graph, cases[i].views,
                             cases[i].samples, 1, JSN_PRECISION_FP32));
        fill(&one);
        assert_ok(rig_run(&one, 1, 1, 3));
        for (size_t threads = 2; threads <= 5; threads += 3) {
            rig other;
            assert_true(rig_open(&other, find("onednn"), graph, cases[i].views,
                                 cases[i].samples, threads, JSN_PRECISION_FP32));
            fill(&other);
            assert_ok(rig_run(&other, 1, 1, 3));
            assert_memory_equal(one.grads, other.grads,
                                graph->param_floats * sizeof *one.grads);
            assert_memory_equal(one.stats, other.stats,
                                graph->stat_floats * sizeof *one.stats);
            rig_close(&other);
        }
        rig_close(&one);
        jsni_graph_destroy(graph);
    }
}

static jsn_status make_plan(void *user)
{
    jsni_graph *graph = user;
    const jsni_plan_options options = {.batch = 3,
                                       .views = 2,
                                       .threads = 2,
                                       .precision = JSN_PRECISION_FP32,
                                       .training = true,
                                       .optimiser_slots = 1,
                                       .members = 1};
    jsni_backend *backend = NULL;
    jsn_status status = find("onednn")->open(&backend, 0);
    jsni_plan *plan = NULL;
    if (status == JSN_OK)
        status = jsni_plan_create(backend, graph, &options, &plan);
    jsni_plan_destroy(plan);
    jsni_backend_close(backend);
    return status;
}

static void test_every_failed_allocation_is_reported(void **state)
{
    (void)state;
    jsni_graph *graph = build(&cases[0]);
    support_walk_allocations(make_plan, graph);
    jsni_graph_destroy(graph);
}

static void test_the_plan_says_what_it_cannot_do(void **state)
{
    (void)state;
    jsni_graph *graph = build(&cases[0]);
    jsni_backend *backend = NULL;
    assert_ok(find("onednn")->open(&backend, 0));
    jsni_plan_options options = {.batch = 3, .views = 1, .threads = 1, .members = 2};
    jsni_plan *plan = NULL;
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_UNSUPPORTED,
                 "2");
    options.members = 1;
    options.precision = JSN_PRECISION_BF16;
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_ARGUMENT,
                 "fp32");
    options.precision = JSN_PRECISION_FP32;
    options.batch = (size_t)1 << 40;
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_MEMORY,
                 "MiB");
    options.batch = (size_t)1 << 60;
    assert_fails(jsni_plan_create(backend, graph, &options, &plan), JSN_ERR_RANGE,
                 "batch");
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

/* What a step of 2 x 32 photographs takes: results of widening convolutions are not kept. */
static void test_photographs_take_little_memory(void **state)
{
    (void)state;
    const jsni_plan_options options = {.batch = 32,
                                       .views = 2,
                                       .threads = 2,
                                       .precision = JSN_PRECISION_FP32,
                                       .training = true,
                                       .optimiser_slots = 1,
                                       .members = 1};
    jsni_graph *graph = NULL;
    jsni_backend *backend = NULL;
    jsni_memory memory;
    assert_ok(jsni_network_build("efficientnet-lite0", (jsni_shape){3, 224, 224}, 10,
                                 &graph));
    assert_ok(find("onednn")->open(&backend, 0));
    assert_ok(find("onednn")->plan_memory(backend, graph, &options, &memory));
    assert_true(memory.activations < (size_t)1300 << 20);
    assert_true(memory.activations > (size_t)600 << 20); /* 32 bits a value, 2 x 32 */
    jsni_backend_close(backend);
    jsni_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_graphs_agree_with_ref),
        cmocka_unit_test(test_bits_do_not_depend_on_the_threads),
        cmocka_unit_test(test_every_failed_allocation_is_reported),
        cmocka_unit_test(test_the_plan_says_what_it_cannot_do),
        cmocka_unit_test(test_photographs_take_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
