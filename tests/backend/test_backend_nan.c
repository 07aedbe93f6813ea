/* A parameter that is not a number must be seen in the logits, on every backend and in
 * every precision: a ReLU or a pool that takes NaN for 0 would let a run that has
 * diverged go on with a finite loss. */
#include <math.h>

#include "backend/backend_support.h"
#include "nn/inverted_block.h"

enum { SAMPLES = 8, CLASSES = 4 };

static size_t block(jsni_builder *b, const char *path, size_t x, size_t out,
                    size_t stride)
{
    size_t a = jsni_build_norm(b, jsni_name_join(path, "bn1").text, x);
    a = jsni_build_relu(b, jsni_name_join(path, "relu1").text, a);
    const size_t skip = stride == 1
                            ? x
                            : jsni_build_conv(b, jsni_name_join(path, "short").text, a,
                                              out, 1, stride, 0, false);
    size_t y = jsni_build_conv(b, jsni_name_join(path, "conv1").text, a, out, 3, stride,
                               1, false);
    y = jsni_build_norm(b, jsni_name_join(path, "bn2").text, y);
    y = jsni_build_relu(b, jsni_name_join(path, "relu2").text, y);
    y = jsni_build_conv(b, jsni_name_join(path, "conv2").text, y, out, 3, 1, 1, false);
    return jsni_build_add(b, jsni_name_join(path, "add").text, y, skip);
}

/* Every shape of the own kernels of CUDA, and the global pool. */
static size_t preact(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "stem", x, 32, 3, 1, 1, false);
    x = block(b, "a", x, 32, 1);
    x = block(b, "b", x, 64, 2);
    x = block(b, "c", x, 128, 2);
    x = jsni_build_relu(b, "relu", jsni_build_norm(b, "bn", x));
    return jsni_build_adaptive_pool(b, "pool", x, 1, 1);
}

/* Odd shapes, pools, and a ReLU without a BatchNorm. */
static size_t pooled(jsni_builder *b, size_t x)
{
    x = jsni_build_conv(b, "one", x, 6, 3, 1, 1, true);
    x = jsni_build_relu(b, "relu1", x);
    x = jsni_build_max_pool(b, "max", x, 2, 2, 0);
    x = jsni_build_conv(b, "two", x, 8, 3, 1, 1, false);
    x = jsni_build_relu(b, "relu2", jsni_build_norm(b, "bn", x));
    return jsni_build_avg_pool(b, "avg", x, 2, 2, 0);
}

/* Depthwise convolutions and ReLU6, with and without a BatchNorm. */
static size_t inverted(jsni_builder *b, size_t x)
{
    static const jsni_inverted_names names = {"widen", "bn1",    "depthwise",
                                              "bn2",   "narrow", "bn3"};
    const jsni_inverted part = {12, 5, 2, JSNI_PAD_SAME, 3};
    x = jsni_build_conv(b, "stem", x, 12, 3, 2, JSNI_PAD_SAME, false);
    x = jsni_build_relu6(b, "relu", jsni_build_norm(b, "bn", x));
    x = jsni_inverted_block(b, "part", &names, &part, x);
    x = jsni_build_depthwise(b, "last", x, 3, 1, 1, true);
    return jsni_build_adaptive_pool(b, "pool", jsni_build_relu6(b, "end", x), 1, 1);
}

/* Samples whose logits are all finite. */
static size_t count_finite(const rig *r)
{
    size_t finite = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        bool all = true;
        for (size_t k = 0; k < CLASSES; k++)
            all = all && isfinite(r->y[i * CLASSES + k]);
        finite += all;
    }
    return finite;
}

static size_t hidden(rig *r, const char *what)
{
    size_t wrong = 0;
    for (int training = 0; training < 2; training++) {
        rig_fill_blocks(r);
        (void)rig_run(r, training, 0, 0);
        assert_int_equal(count_finite(r), SAMPLES);
        for (size_t i = 0; i < r->graph->param_count; i++) {
            const jsni_tensor *t = &r->graph->params[i];
            rig_fill_blocks(r);
            r->params[t->offset + t->count / 2] = NAN;
            (void)rig_run(r, training, 0, 0);
            const size_t finite = count_finite(r);
            if (finite != 0)
                print_message("%s, %s: NaN in %s leaves %zu of %d samples finite\n",
                              what, training ? "training" : "evaluation", t->name,
                              finite, SAMPLES);
            wrong += finite != 0;
        }
    }
    return wrong;
}

/* Squares that are too large for a float, where the values are not: a GPU sums floats, and
 * must not take the variance for 0. In fp32 and tf32 the sums are another kernel's. */
static size_t too_large(rig *r, const char *what)
{
    const jsni_tensor *stem = &r->graph->params[0];
    rig_fill_blocks(r);
    for (size_t i = 0; i < stem->count; i++)
        r->params[stem->offset + i] *= 1e25f;
    (void)rig_run(r, 1, 0, 0);
    const size_t finite = count_finite(r);
    if (finite != 0)
        print_message("%s: squares of 1e50 leave %zu of %d samples finite\n", what,
                      finite, SAMPLES);
    return finite;
}

static void test_a_nan_reaches_the_logits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t (*build)(jsni_builder *b, size_t x);
        size_t side;
    } networks[] = {
        {"preact", preact, 32}, {"pooled", pooled, 12}, {"inverted", inverted, 18}};
    static const struct {
        const char *name;
        jsn_precision precision;
    } precisions[] = {{"fp32", JSN_PRECISION_FP32},
                      {"tf32", JSN_PRECISION_TF32},
                      {"bf16", JSN_PRECISION_BF16}};
    size_t wrong = 0;
    for (size_t n = 0; n < sizeof networks / sizeof networks[0]; n++) {
        jsni_builder b;
        jsni_graph *graph = NULL;
        const size_t side = networks[n].side;
        jsni_build_begin(&b, networks[n].name, (jsni_shape){3, side, side}, CLASSES);
        const size_t x = networks[n].build(&b, jsni_build_input(&b));
        (void)jsni_build_linear(&b, "linear", jsni_build_flatten(&b, "flat", x),
                                CLASSES, true);
        assert_ok(jsni_build_end(&b, &graph));
        for (size_t i = 0; jsni_backend_at(i) != NULL; i++)
            for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++) {
                const jsni_backend_ops *ops = jsni_backend_at(i);
                if (!(ops->can.precisions & JSNI_CAN(precisions[p].precision)))
                    continue;
                rig r;
                char what[64];
                (void)snprintf(what, sizeof what, "%s, %s, %s", networks[n].name,
                               ops->name, precisions[p].name);
                if (rig_open(&r, ops, graph, 1, SAMPLES, 1, precisions[p].precision))
                    wrong += hidden(&r, what) +
                             (ops->can.gpu && n == 0 ? too_large(&r, what) : 0);
                rig_close(&r);
            }
        jsni_graph_destroy(graph);
    }
    if (wrong != 0)
        fail_msg("a NaN was hidden %zu times", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_nan_reaches_the_logits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
