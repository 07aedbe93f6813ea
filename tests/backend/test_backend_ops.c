/* Conformance: every op of every compiled backend against `ref`, forward and backward,
 * over odd sizes, one channel, one sample, strides, windows that are not square, several
 * views; and a few blocks of real networks, since backends fuse neighbouring ops. `ref`
 * itself is held to finite differences in test_backend_slopes.c.
 *
 * Tolerances are parts of the largest entry: 2e-5, what Winograd's transformations cost
 * in float32 (1e-5 a layer and direction); 2e-4 behind BatchNorm, which divides by
 * deviations below 1 and sums over the batch. Convolutions in tf32: 2e-3. Factors
 * are rounded by 2^-11 of themselves at most, which for the shapes below comes to 5e-4 of
 * the largest entry (1e-3 with few terms), and to 1.3e-3 where they are cut instead.
 */
#include <math.h>

#include "backend/op_case.h"
#include "nn/inverted_block.h"

static const op_case cases[] = {
    {"conv 1 channel", CONV(3, 3, 1, 1, 1, 1, 1, false), {1, 5, 5}, 1, 1},
    {"conv odd", CONV(3, 3, 1, 1, 1, 1, 5, true), {3, 7, 9}, 3, 1},
    {"conv views", CONV(3, 3, 1, 1, 1, 1, 4, false), {3, 6, 5}, 2, 3},
    {"conv 16", CONV(3, 3, 1, 1, 1, 1, 16, false), {16, 8, 8}, 4, 1},
    {"conv 32", CONV(3, 3, 1, 1, 1, 1, 32, false), {32, 16, 16}, 2, 2},
    {"conv 32 wide", CONV(3, 3, 1, 1, 1, 1, 32, false), {32, 9, 70}, 2, 1},
    {"conv 64 to 32", CONV(3, 3, 1, 1, 1, 1, 32, true), {64, 11, 13}, 2, 1},
    {"conv 33 to 17", CONV(3, 3, 1, 1, 1, 1, 17, false), {33, 6, 6}, 3, 1},
    {"conv 128 at 4x4", CONV(3, 3, 1, 1, 1, 1, 128, false), {128, 4, 4}, 5, 1},
    {"conv 96 to 64 no padding", CONV(3, 3, 1, 1, 0, 0, 64, true), {96, 6, 5}, 3, 1},
    {"conv 32 to 96 more padding", CONV(3, 3, 1, 1, 2, 2, 96, false), {32, 5, 3}, 2, 2},
    {"conv no padding", CONV(3, 3, 1, 1, 0, 0, 6, true), {4, 8, 7}, 2, 1},
    {"conv more padding", CONV(3, 3, 1, 1, 2, 2, 6, true), {4, 5, 4}, 2, 1},
    {"conv stride 2", CONV(3, 3, 2, 2, 1, 1, 8, false), {6, 9, 8}, 3, 1},
    {"conv stride 2 32", CONV(3, 3, 2, 2, 1, 1, 64, false), {32, 16, 16}, 2, 1},
    {"conv stride 3", CONV(3, 3, 3, 3, 1, 1, 3, true), {2, 10, 11}, 2, 1},
    {"conv 1x1", CONV(1, 1, 1, 1, 0, 0, 7, false), {5, 4, 6}, 2, 2},
    {"conv 1x1 stride 2", CONV(1, 1, 2, 2, 0, 0, 64, false), {32, 16, 16}, 2, 1},
    {"conv 1x1 stride 2 96", CONV(1, 1, 2, 2, 0, 0, 32, true), {96, 4, 10}, 3, 2},
    {"conv stride 2 wide", CONV(3, 3, 2, 2, 1, 1, 96, true), {64, 6, 14}, 3, 1},
    {"conv 1x1 stride 2 odd", CONV(1, 1, 2, 2, 0, 0, 3, true), {5, 7, 5}, 1, 1},
    {"conv 5x5", CONV(5, 5, 1, 1, 2, 2, 4, true), {3, 9, 6}, 2, 1},
    {"conv 7x7 stem", CONV(7, 7, 2, 2, 3, 3, 16, false), {3, 21, 18}, 2, 1},
    {"conv 1x7", CONV(1, 7, 1, 1, 0, 3, 4, false), {3, 5, 9}, 2, 1},
    {"conv 3x2 mixed", CONV(3, 2, 2, 1, 1, 0, 5, true), {4, 7, 6}, 2, 1},
    {"conv stem", CONV(3, 3, 1, 1, 1, 1, 32, false), {3, 32, 32}, 2, 2},
    {"conv below", CONV_BELOW(3, 2, 32), {3, 14, 18}, 3, 1},
    {"conv below 64", CONV_BELOW(3, 2, 32), {64, 8, 6}, 2, 2},
    {"conv below 1", CONV_BELOW(3, 1, 32), {32, 5, 7}, 2, 1},
    {"depthwise 1 channel", DEPTHWISE(3, 3, 1, 1, 1, 1, 0, 0, false), {1, 5, 5}, 1, 1},
    {"depthwise odd", DEPTHWISE(3, 3, 1, 1, 1, 1, 0, 0, true), {19, 7, 9}, 3, 1},
    {"depthwise views", DEPTHWISE(3, 3, 1, 1, 1, 1, 0, 0, false), {32, 8, 8}, 2, 3},
    {"depthwise 5", DEPTHWISE(5, 5, 1, 1, 2, 2, 0, 0, false), {40, 14, 14}, 2, 1},
    {"depthwise 5 wide", DEPTHWISE(5, 5, 1, 1, 2, 2, 0, 0, true), {16, 6, 70}, 2, 1},
    {"depthwise stride 2", DEPTHWISE(3, 3, 2, 2, 1, 1, 0, 0, false), {24, 9, 8}, 3, 1},
    {"depthwise below", DEPTHWISE(3, 3, 2, 2, 0, 0, 1, 1, false), {96, 8, 10}, 2, 2},
    {"depthwise 5 below", DEPTHWISE(5, 5, 2, 2, 1, 1, 1, 1, true), {48, 14, 6}, 2, 1},
    {"depthwise 5 at 3x2", DEPTHWISE(5, 5, 1, 1, 2, 2, 0, 0, false), {33, 3, 2}, 5, 1},
    {"depthwise 5 stride 2 at 1x1",
     DEPTHWISE(5, 5, 2, 2, 2, 2, 0, 0, false),
     {16, 1, 1},
     3,
     1},
    {"depthwise 7", DEPTHWISE(7, 7, 1, 1, 3, 3, 0, 0, false), {8, 9, 11}, 2, 1},
    {"depthwise 3x2 mixed", DEPTHWISE(3, 2, 2, 1, 1, 0, 0, 1, true), {20, 7, 6}, 2, 1},
    {"depthwise 1", DEPTHWISE(1, 1, 2, 2, 0, 0, 0, 0, false), {17, 5, 6}, 2, 1},
    {"depthwise stride 4", DEPTHWISE(3, 3, 4, 3, 0, 0, 0, 0, true), {6, 11, 12}, 2, 1},
    {"depthwise no padding", DEPTHWISE(3, 3, 1, 1, 0, 0, 0, 0, false), {5, 6, 5}, 2, 1},
    {"depthwise padding", DEPTHWISE(3, 3, 1, 1, 3, 4, 0, 0, false), {5, 4, 3}, 2, 1},
    {"norm", NORM, {5, 7, 3}, 4, 1},
    {"norm 1 channel", NORM, {1, 3, 3}, 1, 1},
    {"norm views", NORM, {16, 5, 5}, 3, 3},
    {"norm flat", NORM, {9, 1, 1}, 6, 2},
    {"norm 32", NORM, {32, 16, 16}, 2, 2},
    {"relu", PLAIN(JSNI_OP_RELU), {3, 5, 7}, 3, 2},
    {"relu flat", PLAIN(JSNI_OP_RELU), {17, 1, 1}, 1, 1},
    {"relu6", PLAIN(JSNI_OP_RELU6), {3, 5, 7}, 3, 2},
    {"relu6 flat", PLAIN(JSNI_OP_RELU6), {17, 1, 1}, 1, 1},
    {"add to itself", PLAIN(JSNI_OP_ADD), {3, 5, 7}, 3, 1},
    {"max 2", POOL(JSNI_OP_MAX_POOL, 2, 2, 2, 2, 0, 0), {3, 7, 6}, 2, 2},
    {"max 3 stride 2", POOL(JSNI_OP_MAX_POOL, 3, 3, 2, 2, 1, 1), {16, 9, 8}, 2, 1},
    {"max 3 stride 1", POOL(JSNI_OP_MAX_POOL, 3, 3, 1, 1, 1, 1), {1, 5, 5}, 1, 1},
    {"max 2x3", POOL(JSNI_OP_MAX_POOL, 2, 3, 1, 2, 0, 1), {2, 5, 9}, 2, 1},
    {"avg 2", POOL(JSNI_OP_AVG_POOL, 2, 2, 2, 2, 0, 0), {3, 7, 6}, 2, 1},
    {"avg 3 padded", POOL(JSNI_OP_AVG_POOL, 3, 3, 2, 2, 1, 1), {16, 9, 8}, 2, 2},
    {"avg 8", POOL(JSNI_OP_AVG_POOL, 8, 8, 8, 8, 0, 0), {32, 8, 8}, 3, 1},
    {"adaptive 1x1", ADAPTIVE(1, 1), {5, 7, 3}, 2, 2},
    {"adaptive 1x1 32", ADAPTIVE(1, 1), {32, 8, 8}, 2, 1},
    {"adaptive up", ADAPTIVE(7, 7), {3, 2, 2}, 2, 1},
    {"adaptive uneven", ADAPTIVE(3, 5), {2, 7, 9}, 1, 1},
    {"linear", LINEAR(10, true), {37, 1, 1}, 5, 1},
    {"linear no bias", LINEAR(1, false), {8, 1, 1}, 1, 1},
    {"linear views", LINEAR(100, true), {128, 1, 1}, 4, 2},
    {"linear wide", LINEAR(65, true), {600, 1, 1}, 3, 1},
    {"dropout", DROPOUT(0.5), {33, 1, 1}, 5, 2},
    {"dropout rarely", DROPOUT(0.1), {3, 4, 5}, 2, 1},
    {"dropout never", DROPOUT(0.0), {3, 4, 5}, 2, 1},
    {"flatten", PLAIN(JSNI_OP_FLATTEN), {5, 3, 7}, 3, 2},
};

enum { CASES = sizeof cases / sizeof cases[0] };

/* Blocks of networks, which a backend may run as fewer, larger pieces. */
static void build_preact(jsni_builder *b, size_t width, size_t stride)
{
    const size_t stem =
        jsni_build_conv(b, "stem", jsni_build_input(b), width / stride, 3, 1, 1, false);
    size_t a = jsni_build_relu(b, "relu1", jsni_build_norm(b, "bn1", stem));
    const size_t skip =
        stride == 1 ? stem : jsni_build_conv(b, "short", a, width, 1, stride, 0, false);
    a = jsni_build_conv(b, "conv1", a, width, 3, stride, 1, false);
    a = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn2", a));
    a = jsni_build_conv(b, "conv2", a, width, 3, 1, 1, false);
    a = jsni_build_add(b, "add", a, skip);
    a = jsni_build_relu(b, "relu", jsni_build_norm(b, "bn", a));
    a = jsni_build_flatten(b, "flat", jsni_build_adaptive_pool(b, "pool", a, 1, 1));
    (void)jsni_build_linear(b, "linear", a, 10, true);
}

static void build_post(jsni_builder *b, size_t width, size_t stride)
{
    size_t x = jsni_build_input(b);
    x = jsni_build_norm(b, "bn0",
                        jsni_build_conv(b, "conv0", x, width, 3, 1, 1, false));
    x = jsni_build_relu(b, "relu0", x);
    size_t y = jsni_build_conv(b, "conv1", x, width, 1, 1, 0, false);
    y = jsni_build_relu(b, "relu1", jsni_build_norm(b, "bn1", y));
    y = jsni_build_conv(b, "conv2", y, width, 3, stride, 1, false);
    y = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn2", y));
    y = jsni_build_norm(b, "bn3",
                        jsni_build_conv(b, "conv3", y, 2 * width, 1, 1, 0, false));
    size_t s = jsni_build_conv(b, "down", x, 2 * width, 1, stride, 0, false);
    s = jsni_build_norm(b, "bnd", s);
    x = jsni_build_relu(b, "relu", jsni_build_add(b, "add", y, s));
    x = jsni_build_max_pool(b, "max", x, 2, 2, 0);
    x = jsni_build_flatten(b, "flat", x);
    x = jsni_build_relu(b, "relu4", jsni_build_linear(b, "hidden", x, 20, true));
    x = jsni_build_dropout(b, "drop", x, 0.5);
    (void)jsni_build_linear(b, "linear", x, 7, true);
}

static void build_biased(jsni_builder *b, size_t width, size_t stride)
{
    size_t x = jsni_build_input(b);
    x = jsni_build_conv(b, "conv1", x, width, 3, stride, 1, true);
    x = jsni_build_relu(b, "relu1", x); /* no BatchNorm between */
    x = jsni_build_conv(b, "conv2", x, width, 3, 1, 1, true);
    x = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn2", x));
    x = jsni_build_avg_pool(b, "avg", x, 2, 2, 0);
    /* One value read three times, and an addition whose result is read twice. */
    const size_t twice = jsni_build_add(b, "twice", x, x);
    const size_t more = jsni_build_add(b, "more", twice, x);
    x = jsni_build_add(b, "most", more, jsni_build_relu(b, "relu3", more));
    x = jsni_build_adaptive_pool(b, "adaptive", x, 3, 3);
    (void)jsni_build_linear(b, "linear", jsni_build_flatten(b, "flat", x), 5, true);
}

/* Blocks of MobileNetV2 and the EfficientNets; each kind of ReLU behind the other, behind
 * an addition, behind a convolution, and ahead of a 3x3 convolution. */
static void build_inverted(jsni_builder *b, size_t width, size_t stride)
{
    static const jsni_inverted_names names = {"widen", "bn1",    "depthwise",
                                              "bn2",   "narrow", "bn3"};
    size_t x = jsni_build_conv(b, "stem", jsni_build_input(b), width, 3, 2,
                               JSNI_PAD_SAME, false);
    x = jsni_build_relu6(b, "relu", jsni_build_norm(b, "bn", x));
    const jsni_inverted one = {width, 3, 1, 1, 1};
    const jsni_inverted two = {width, 5, stride, JSNI_PAD_SAME, 3};
    x = jsni_inverted_block(b, "one", &names, &one, x);
    x = jsni_inverted_block(b, "two", &names, &two, x);
    x = jsni_build_add(b, "add", x, jsni_build_relu6(b, "relu6", x));
    x = jsni_build_add(b, "more", x, jsni_build_add(b, "twice", x, x));
    x = jsni_build_relu6(b, "relu6 of add", x); /* some are above 6 */
    x = jsni_build_relu6(b, "relu6 again", jsni_build_relu(b, "relu again", x));
    x = jsni_build_conv(b, "conv", x, width, 3, 1, 1, true);
    x = jsni_build_relu(b, "relu of relu6", jsni_build_relu6(b, "relu6 of conv", x));
    x = jsni_build_flatten(b, "flat", jsni_build_adaptive_pool(b, "pool", x, 1, 1));
    (void)jsni_build_linear(b, "linear", x, 10, true);
}

static const struct {
    const char *name;
    void (*build)(jsni_builder *b, size_t width, size_t stride);
    size_t width, stride;
    jsni_shape in;
    size_t samples, views;
} blocks[] = {
    {"preact 32", build_preact, 32, 1, {3, 16, 16}, 3, 2},
    {"preact 64 stride 2", build_preact, 64, 2, {3, 16, 16}, 2, 2},
    {"preact narrow", build_preact, 6, 1, {2, 7, 9}, 3, 1},
    {"preact narrow stride 2", build_preact, 10, 2, {2, 9, 6}, 4, 3},
    {"bottleneck 16", build_post, 16, 1, {3, 8, 8}, 4, 1},
    {"bottleneck 7 stride 2", build_post, 7, 2, {3, 11, 9}, 3, 2},
    {"inverted 16", build_inverted, 16, 1, {3, 15, 17}, 3, 2},
    {"inverted 24 stride 2", build_inverted, 24, 2, {3, 20, 18}, 2, 1},
    {"inverted 32", build_inverted, 32, 1, {3, 16, 16}, 4, 1},
    {"biased 16", build_biased, 16, 1, {3, 10, 10}, 3, 2},
    {"biased 5 stride 2", build_biased, 5, 2, {1, 13, 9}, 2, 1},
};

enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static jsni_graph *block_graph(size_t i)
{
    jsni_builder b;
    jsni_build_begin(&b, blocks[i].name, blocks[i].in, 5);
    blocks[i].build(&b, blocks[i].width, blocks[i].stride);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

/* 1 after saying so when a tensor is off. */
static size_t is_off(const char *what, const char *tensor, double d, double tolerance)
{
    if (d <= tolerance)
        return 0;
    print_message("%s: %s off by %g, tolerance %g\n", what, tensor, d, tolerance);
    return 1;
}

/* How many tensors are off. */
static size_t compare(const char *what, const rig *got, const rig *want,
                      double tolerance, int back)
{
    const jsni_graph *graph = want->graph;
    const size_t images = want->views * want->samples;
    const size_t inputs = images * jsni_shape_count(jsni_graph_input(graph)->shape);
    const size_t outputs = images * jsni_shape_count(jsni_graph_output(graph)->shape);
    size_t off =
        is_off(what, "y", rig_difference(got->y, want->y, outputs, 1e-30), tolerance);
    for (size_t i = 0; i < graph->stat_count; i++) {
        const jsni_tensor *t = &graph->stats[i];
        off += is_off(what, t->name,
                      rig_difference(got->stats + t->offset, want->stats + t->offset,
                                     t->count, 1e-30),
                      tolerance);
    }
    if (!back)
        return off;
    off +=
        is_off(what, "dx", rig_difference(got->dx, want->dx, inputs, 1e-30), tolerance);
    /* A bias ahead of a BatchNorm has gradient 0 up to rounding: measure every tensor
     * against the largest entry of all, too. */
    double top = 0.0;
    for (size_t i = 0; i < graph->param_floats; i++)
        top = fmax(top, fabs((double)want->grads[i]));
    for (size_t i = 0; i < graph->param_count; i++) {
        const jsni_tensor *t = &graph->params[i];
        off += is_off(what, t->name,
                      rig_difference(got->grads + t->offset, want->grads + t->offset,
                                     t->count, 1e-2 * top + 1e-30),
                      tolerance);
    }
    return off;
}

/* How many tensors of backend `ops` are off from those of `want`, in training and in
 * evaluation. `ref` itself must give the same bits with other threads. */
static size_t conform_one(const char *name, const jsni_backend_ops *ops, rig *want,
                          double tolerance, jsn_precision precision)
{
    const bool is_ref = ops == rig_ref();
    size_t off = 0;
    rig got;
    if (!rig_open(&got, ops, want->graph, want->views, want->samples, is_ref ? 3 : 2,
                  precision))
        return 0;
    for (int training = 1; training >= 0; training--) {
        char what[160];
        (void)snprintf(what, sizeof what, "%s on %s, %s", name, ops->name,
                       training ? "training" : "evaluation");
        rig_fill_blocks(want);
        rig_fill_blocks(&got);
        assert_ok(rig_run(want, training, 1, 4));
        const int back = rig_run(&got, training, 1, 4) == JSN_OK;
        off += compare(what, &got, want, is_ref ? 0.0 : tolerance, back);
    }
    rig_close(&got);
    return off;
}

/* Every backend that computes in the precision. */
static size_t conform(const char *name, jsni_graph *graph, size_t samples, size_t views,
                      double tolerance, jsn_precision precision)
{
    rig want;
    size_t off = 0;
    assert_true(
        rig_open(&want, rig_ref(), graph, views, samples, 1, JSN_PRECISION_FP32));
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++)
        if (jsni_backend_at(b)->can.precisions & JSNI_CAN(precision))
            off += conform_one(name, jsni_backend_at(b), &want, tolerance, precision);
    rig_close(&want);
    return off;
}

static void every_op(double conv_tolerance, jsn_precision precision)
{
    size_t off = 0;
    for (size_t i = 0; i < CASES; i++) {
        const op_case *c = &cases[i];
        jsni_graph *graph = rig_graph(&c->op, c->in);
        const double tolerance = c->op.kind == JSNI_OP_CONV   ? conv_tolerance
                                 : c->op.kind == JSNI_OP_NORM ? 2e-4
                                                              : 2e-5;
        off += conform(c->name, graph, c->samples, c->views, tolerance, precision);
        jsni_graph_destroy(graph);
    }
    assert_int_equal(off, 0);
}

static void test_every_op_agrees_with_ref(void **state)
{
    (void)state;
    every_op(2e-5, JSN_PRECISION_FP32);
}

static void test_every_op_agrees_with_ref_in_tf32(void **state)
{
    (void)state;
    size_t devices = 0;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++)
        if (jsni_backend_at(b)->can.precisions & JSNI_CAN(JSN_PRECISION_TF32))
            devices += jsni_backend_at(b)->device_count();
    if (devices == 0) {
        print_message("[  SKIPPED ] no device computes in tf32\n");
        skip();
    }
    every_op(2e-3, JSN_PRECISION_TF32);
}

static void test_blocks_of_networks_agree_with_ref(void **state)
{
    (void)state;
    size_t off = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        jsni_graph *graph = block_graph(i);
        off += conform(blocks[i].name, graph, blocks[i].samples, blocks[i].views, 2e-4,
                       JSN_PRECISION_FP32);
        jsni_graph_destroy(graph);
    }
    assert_int_equal(off, 0);
}

/* Each view must come out as if it had been run alone, in order. */
static void test_views_are_separate_passes(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        jsni_graph *graph = block_graph(0);
        rig both, one;
        if (!rig_open(&both, jsni_backend_at(b), graph, 2, 3, 1, JSN_PRECISION_FP32)) {
            jsni_graph_destroy(graph);
            continue;
        }
        assert_true(
            rig_open(&one, jsni_backend_at(b), graph, 1, 3, 1, JSN_PRECISION_FP32));
        rig_fill_blocks(&both);
        rig_fill_blocks(&one);
        const size_t inputs = 3 * jsni_shape_count(jsni_graph_input(graph)->shape);
        const size_t outputs = 3 * jsni_shape_count(jsni_graph_output(graph)->shape);
        assert_ok(rig_run(&both, 1, 0, 4));
        for (size_t v = 0; v < 2; v++) {
            memcpy(one.x, both.x + v * inputs, inputs * sizeof(float));
            assert_ok(rig_run(&one, 1, 0, 4)); /* statistics go on from the first */
            rig_assert_near(both.y + v * outputs, one.y, outputs, 1e-5, "a view");
        }
        rig_assert_near(both.stats, one.stats, graph->stat_floats, 1e-5, "statistics");
        rig_close(&both);
        rig_close(&one);
        jsni_graph_destroy(graph);
    }
}

static void test_a_smaller_batch_fits_a_larger_plan(void **state)
{
    (void)state;
    for (size_t b = 0; jsni_backend_at(b) != NULL; b++) {
        jsni_graph *graph = block_graph(4);
        rig large, small = {0};
        if (rig_open(&large, jsni_backend_at(b), graph, 2, 7, 1, JSN_PRECISION_FP32)) {
            assert_true(rig_open(&small, jsni_backend_at(b), graph, 1, 3, 1,
                                 JSN_PRECISION_FP32));
            rig_fill_blocks(&large);
            rig_fill_blocks(&small);
            large.views = 1;
            large.samples = 3;
            assert_ok(rig_run(&large, 1, 1, 4));
            assert_ok(rig_run(&small, 1, 1, 4));
            rig_assert_near(large.y, small.y, 3 * 7, 1e-5, "output");
            rig_assert_near(large.grads, small.grads, graph->param_floats, 2e-4,
                            "gradient");
        }
        rig_close(&large);
        rig_close(&small);
        jsni_graph_destroy(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_op_agrees_with_ref),
        cmocka_unit_test(test_every_op_agrees_with_ref_in_tf32),
        cmocka_unit_test(test_blocks_of_networks_agree_with_ref),
        cmocka_unit_test(test_views_are_separate_passes),
        cmocka_unit_test(test_a_smaller_batch_fits_a_larger_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
