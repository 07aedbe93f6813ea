/* tests/backend/cuda_strided.c - see cuda_strided.h.
 *
 * Graphs end with flatten and a linear layer, whose weights' gradient has an entry for
 * every pixel and channel of the convolution's output, so that a single wrong one shows.
 *
 * Limits are parts of the largest entry. Without a ReLU an error comes from rounding
 * alone: fp32 as in test_backend_ops.c; tf32 rounds both factors by 2^-11 at most, which
 * in sums of random signs is some 5e-4 of the largest result; bf16 rounds both factors
 * and the result by 2^-9, some 5e-3. A wrong tap, parity, row or channel is off by 0.1 and
 * more. Behind BatchNorm and ReLU a mask may open or close: there the distance of whole
 * tensors counts, with the limits of test_backend_cuda.c.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "backend/cuda_strided.h"

#include <math.h>

static const struct {
    const char *name, *own;
    jsn_precision precision;
    double most;     /* part of the largest entry */
    double distance; /* of whole tensors, behind a ReLU */
} precisions[] = {
    {"fp32", "own fp32 strided / same / ", JSN_PRECISION_FP32, 2e-5, 2e-3},
    {"tf32", "own tf32 strided / same / ", JSN_PRECISION_TF32, 2e-3, 1e-1},
    {"bf16", "own mma.sync strided / same / ", JSN_PRECISION_BF16, 1.5e-2, 2e-1},
};

enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };

/* ---- graphs ---- */

static void end_linear(jsni_builder *b, size_t x)
{
    (void)jsni_build_linear(b, "linear", jsni_build_flatten(b, "flat", x), 5, true);
}

static void build_one(jsni_builder *b, size_t out, size_t kernel, bool bias)
{
    end_linear(b, jsni_build_conv(b, "conv", jsni_build_input(b), out, kernel, 2,
                                  kernel / 2, bias));
}

/* Both windows on one input: the later node's gradient is written first, the earlier
 * one's is added to it. `kernel` is the earlier one's. */
static void build_two(jsni_builder *b, size_t out, size_t kernel, bool bias)
{
    const size_t x = jsni_build_input(b), later = kernel == 3 ? 1 : 3;
    const size_t one = jsni_build_conv(b, "one", x, out, kernel, 2, kernel / 2, bias);
    const size_t other = jsni_build_conv(b, "other", x, out, later, 2, later / 2, bias);
    end_linear(b, jsni_build_add(b, "add", one, other));
}

/* A block of a pre-activation network, the shortcut behind conv1 (`kernel` 3) or ahead
 * of it. A bias ahead of a BatchNorm has no gradient, so the shortcut alone has one. */
static void build_preact(jsni_builder *b, size_t out, size_t kernel, bool bias)
{
    size_t a = jsni_build_norm(b, "bn1", jsni_build_input(b));
    a = jsni_build_relu(b, "relu1", a);
    size_t skip = JSNI_NONE;
    if (kernel == 1)
        skip = jsni_build_conv(b, "short", a, out, 1, 2, 0, bias);
    size_t y = jsni_build_conv(b, "conv1", a, out, 3, 2, 1, false);
    if (kernel == 3)
        skip = jsni_build_conv(b, "short", a, out, 1, 2, 0, bias);
    y = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn2", y));
    y = jsni_build_conv(b, "conv2", y, out, 3, 1, 1, false);
    end_linear(b, jsni_build_add(b, "add", y, skip));
}

typedef struct strided_case {
    const char *name;
    void (*build)(jsni_builder *b, size_t out, size_t kernel, bool bias);
    jsni_shape in;
    size_t out, kernel, samples;
    bool bias;
    /* What own kernels take. MOST: all but gradients of weights, ALL: these in bf16. */
    enum { MOST, NONE, ALL } own;
} strided_case;

static jsni_graph *graph_of(const strided_case *c)
{
    jsni_builder b;
    jsni_build_begin(&b, c->name, c->in, 5);
    c->build(&b, c->out, c->kernel, c->bias);
    jsni_graph *graph = NULL;
    assert_ok(jsni_build_end(&b, &graph));
    return graph;
}

/* ---- comparison ---- */

/* 1 after saying so when a tensor is off by more than the limit; NaN is. */
static size_t is_off(const char *what, const char *tensor, const float *got,
                     const float *want, size_t count, double most, bool whole)
{
    const double d = whole ? rig_distance(got, want, count)
                           : rig_difference(got, want, count, 1e-30);
    if (d <= most)
        return 0;
    print_message("%s: %s off by %.2e, limit %.2e\n", what, tensor, d, most);
    return 1;
}

static size_t count_off(const char *what, const rig *got, const rig *want, double most,
                        bool whole)
{
    const jsni_graph *g = want->graph;
    const size_t images = want->views * want->samples;
    size_t off =
        is_off(what, "y", got->y, want->y,
               images * jsni_shape_count(jsni_graph_output(g)->shape), most, whole);
    off += is_off(what, "dx", got->dx, want->dx,
                  images * jsni_shape_count(jsni_graph_input(g)->shape), most, whole);
    for (size_t i = 0; i < g->param_count; i++)
        off +=
            is_off(what, g->params[i].name, got->grads + g->params[i].offset,
                   want->grads + g->params[i].offset, g->params[i].count, most, whole);
    return off;
}

/* Strided convolutions are run by the own kernels where these take them and may run;
 * `weights`: their gradients, too. */
static size_t count_misdescribed(const char *what, const rig *r, const char *own,
                                 bool weights)
{
    size_t wrong = 0;
    for (size_t n = 0; n < r->graph->node_count; n++) {
        const jsni_node *node = &r->graph->nodes[n];
        const char *text = r->ops->describe_node(r->plan, n);
        if (node->op.kind != JSNI_OP_CONV)
            continue;
        const bool strided = node->op.as.conv.window.stride_h == 2;
        const bool right = own && strided
                               ? strncmp(text, own, strlen(own)) == 0 &&
                                     (!weights || strstr(text, "/ same / same"))
                               : strstr(text, "strided") == NULL &&
                                     (own || (strstr(text, "own mma") == NULL &&
                                              strstr(text, "own tf32") == NULL &&
                                              strstr(text, "own wgmma") == NULL));
        if (!right)
            print_message("%s: %s is run by: %s\n", what, node->name, text);
        wrong += !right;
    }
    return wrong;
}

/* 1 after saying so when a second run gives other bits. */
static size_t is_other_again(const char *what, rig *r)
{
    const size_t inputs = r->samples *
                          jsni_shape_count(jsni_graph_input(r->graph)->shape) *
                          sizeof(float);
    const size_t params = r->graph->param_floats * sizeof(float);
    float *dx = malloc(inputs), *grads = malloc(params);
    assert_true(dx && grads);
    memcpy(dx, r->dx, inputs);
    memcpy(grads, r->grads, params);
    rig_fill_blocks(r);
    assert_ok(rig_run(r, 1, 1, 4));
    const bool other =
        memcmp(dx, r->dx, inputs) != 0 || memcmp(grads, r->grads, params) != 0;
    if (other)
        print_message("%s: other bits the second time\n", what);
    free(dx);
    free(grads);
    return other;
}

/* One precision, own kernels or none. */
static size_t run_one(const strided_case *c, const jsni_backend_ops *cuda,
                      const rig *want, size_t p, bool own, bool whole)
{
    rig got;
    char what[128];
    (void)snprintf(what, sizeof what, "%s, %s %s", c->name, precisions[p].name,
                   own ? "own" : "plain");
    assert_int_equal(setenv("JENSEN_CUDA_PLAIN", own ? "0" : "1", 1), 0);
    assert_true(
        rig_open(&got, cuda, want->graph, 1, c->samples, 1, precisions[p].precision));
    rig_fill_blocks(&got);
    assert_ok(rig_run(&got, 1, 1, 4));
    size_t off = count_off(what, &got, want,
                           whole ? precisions[p].distance : precisions[p].most, whole);
    off += count_misdescribed(
        what, &got, own && c->own != NONE ? precisions[p].own : NULL,
        c->own == ALL && precisions[p].precision == JSN_PRECISION_BF16);
    if (own)
        off += is_other_again(what, &got);
    rig_close(&got);
    return off;
}

static size_t run_case(const strided_case *c, const jsni_backend_ops *cuda,
                       const jsni_backend_ops *ref, bool whole)
{
    jsni_graph *graph = graph_of(c);
    rig want;
    assert_true(rig_open(&want, ref, graph, 1, c->samples, 2, JSN_PRECISION_FP32));
    rig_fill_blocks(&want);
    assert_ok(rig_run(&want, 1, 1, 4));
    size_t off = 0;
    for (size_t p = 0; p < PRECISIONS; p++)
        for (int own = 0; own < 2; own++)
            off += run_one(c, cuda, &want, p, own, whole);
    assert_int_equal(unsetenv("JENSEN_CUDA_PLAIN"), 0);
    rig_close(&want);
    jsni_graph_destroy(graph);
    return off;
}

void strided_agree_with_ref(const jsni_backend_ops *cuda, const jsni_backend_ops *ref)
{
    static const strided_case cases[] = {
        {"3x3 32 to 32", build_one, {32, 6, 10}, 32, 3, 3, false, MOST},
        {"3x3 96 to 160", build_one, {96, 10, 6}, 160, 3, 5, false, MOST},
        {"1x1 64 to 96", build_one, {64, 8, 8}, 96, 1, 9, false, MOST},
        {"1x1 96 to 32 with bias", build_one, {96, 4, 6}, 32, 1, 7, true, MOST},
        {"3x3 32 to 64 with bias", build_one, {32, 14, 14}, 64, 3, 5, true, MOST},
        {"3x3 64 to 64", build_one, {64, 8, 8}, 64, 3, 2, false, MOST},
        {"3x3 on 2x2 pixels", build_one, {32, 2, 2}, 64, 3, 130, false, MOST},
        {"1x1 on 2x2 pixels", build_one, {64, 2, 2}, 32, 1, 130, false, MOST},
        {"3x3 adds to 1x1", build_two, {32, 8, 12}, 64, 3, 5, false, MOST},
        {"1x1 adds to 3x3", build_two, {64, 8, 12}, 96, 1, 5, true, MOST},
        {"3x3 to 16x16", build_one, {32, 32, 32}, 64, 3, 5, false, ALL},
        {"3x3 to 8x8", build_one, {64, 16, 16}, 128, 3, 9, false, ALL},
        {"3x3 to 8x4", build_one, {96, 16, 8}, 64, 3, 5, true, ALL},
        {"3x3 to 8x32", build_one, {32, 16, 64}, 64, 3, 3, false, ALL},
        {"1x1 to 8x32", build_one, {32, 16, 64}, 64, 1, 3, false, ALL},
        {"1x1 to 8x8", build_one, {64, 16, 16}, 128, 1, 9, true, ALL},
        {"1x1 adds to 3x3, 8x8", build_two, {32, 16, 16}, 64, 3, 70, false, ALL},
        {"odd height", build_one, {32, 7, 8}, 32, 3, 3, false, NONE},
        {"48 channels", build_one, {48, 8, 8}, 32, 1, 3, false, NONE},
    };
    size_t off = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        off += run_case(&cases[i], cuda, ref, false);
    if (off != 0)
        fail_msg("%zu tensors or descriptions are wrong", off);
}

void strided_blocks_agree_with_ref(const jsni_backend_ops *cuda,
                                   const jsni_backend_ops *ref)
{
    static const strided_case cases[] = {
        {"block, shortcut last", build_preact, {32, 16, 16}, 64, 3, 8, false, MOST},
        {"block, shortcut first", build_preact, {32, 16, 16}, 64, 1, 8, false, MOST},
        {"block with bias", build_preact, {64, 8, 8}, 96, 3, 5, true, MOST},
    };
    size_t off = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        off += run_case(&cases[i], cuda, ref, true);
    if (off != 0)
        fail_msg("%zu tensors or descriptions are wrong", off);
}

void strided_evaluation_is_described(const jsni_backend_ops *cuda)
{
    static const strided_case c = {"evaluation", build_one, {32, 8, 8}, 64, 3, 2,
                                   false,        MOST};
    static const char *const texts[PRECISIONS] = {"own fp32 strided / - / -",
                                                  "own tf32 strided / - / -",
                                                  "own mma.sync strided / - / -"};
    jsni_graph *graph = graph_of(&c);
    float x[2 * 32 * 8 * 8];
    rig_fill(x, sizeof x / sizeof x[0], 1);
    for (size_t p = 0; p < PRECISIONS; p++) {
        const jsni_plan_options options = {
            .batch = 2, .views = 1, .precision = precisions[p].precision};
        const jsni_pass pass = {false, 1, 0};
        jsni_backend *backend = NULL;
        jsni_plan *plan = NULL;
        assert_ok(cuda->open(&backend, 0));
        assert_ok(jsni_plan_create(backend, graph, &options, &plan));
        assert_ok(plan->ops->set_input(plan, 0, x, 1, 2));
        assert_ok(plan->ops->forward(plan, &pass));
        assert_string_equal(plan->ops->describe_node(plan, 1), texts[p]);
        jsni_plan_destroy(plan);
        jsni_backend_close(backend);
    }
    jsni_graph_destroy(graph);
}
