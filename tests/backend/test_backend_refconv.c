/* The convolution of `ref` gives the same bits whichever compilation of it runs. What it
 * computes is checked by test_backend_layers and test_backend_ops. */
#include "backend/backend_support.h"
#include "backend/ref/refconv.h"

enum { MOST = 40000 };

/* One convolution by one compilation: y, dx, dw and db one behind another in `out`. */
static size_t run(const refconv *conv, const jsni_op_conv *op, jsni_shape in,
                  size_t samples, float *out)
{
    static float x[MOST], dy[MOST], weight[MOST], bias[64];
    const jsni_node node = {.op = {.kind = JSNI_OP_CONV, .as.conv = *op}};
    jsni_shape shape;
    assert_ok(jsni_op_shape(&node.op, "conv", in, in, &shape));
    const size_t inputs = samples * jsni_shape_count(in);
    const size_t outputs = samples * jsni_shape_count(shape);
    const size_t weights =
        op->out_channels * in.channels * op->window.kernel_h * op->window.kernel_w;
    assert_true(inputs + outputs + weights + 64 <= MOST);
    rig_fill(x, inputs, 1);
    rig_fill(dy, outputs, 2);
    rig_fill(weight, weights, 3);
    rig_fill(bias, op->out_channels, 4);
    memset(out, 0, MOST * sizeof *out);
    jsni_pool *pool = NULL;
    assert_ok(jsni_pool_create(&pool, 2));
    const jsni_pass pass = {.training = true};
    const ref_call call = {.node = &node,
                           .pool = pool,
                           .pass = &pass,
                           .views = 1,
                           .samples = samples,
                           .in = in,
                           .out = shape,
                           .x = x,
                           .y = out,
                           .dy = dy,
                           .dx = out + outputs,
                           .weight = weight,
                           .bias = bias,
                           .dweight = out + outputs + inputs,
                           .dbias = out + outputs + inputs + weights};
    conv->kernel.forward(&call);
    conv->kernel.backward(&call);
    jsni_pool_destroy(pool);
    return outputs + inputs + weights + op->out_channels;
}

static void test_all_compilations_give_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        jsni_op_conv op;
        jsni_shape in;
        size_t samples;
    } rows[] = {
        {{{3, 3, 1, 1, 1, 1, 0, 0}, 16, true}, {8, 8, 8}, 5},
        {{{3, 3, 1, 1, 1, 1, 0, 0}, 19, true}, {5, 7, 31}, 2},
        {{{3, 3, 2, 2, 1, 1, 0, 0}, 33, true}, {3, 17, 13}, 3},
        {{{1, 1, 1, 1, 0, 0, 0, 0}, 6, true}, {20, 9, 5}, 4},
        {{{1, 1, 2, 2, 0, 0, 0, 0}, 6, true}, {20, 9, 5}, 4},
        {{{7, 5, 3, 2, 3, 1, 0, 0}, 5, true}, {2, 20, 23}, 2},
    };
    static float want[MOST], got[MOST];
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const size_t count =
            run(jsni_refconv_at(0), &rows[r].op, rows[r].in, rows[r].samples, want);
        for (size_t i = 1; jsni_refconv_at(i) != NULL; i++) {
            if (!jsni_isa_usable(jsni_refconv_at(i)->isa)) {
                print_message("skipped: this machine lacks the instructions\n");
                continue;
            }
            assert_int_equal(
                run(jsni_refconv_at(i), &rows[r].op, rows[r].in, rows[r].samples, got),
                count);
            assert_memory_equal(got, want, count * sizeof *got);
        }
    }
}

static void test_the_best_one_is_usable(void **state)
{
    (void)state;
    assert_true(jsni_isa_usable(jsni_refconv_best()->isa));
    assert_true(jsni_isa_usable(jsni_refconv_at(0)->isa));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_compilations_give_the_same_bits),
        cmocka_unit_test(test_the_best_one_is_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
