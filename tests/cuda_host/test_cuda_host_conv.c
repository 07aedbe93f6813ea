/* The convolutions of any_kernels.h against loops in double. Inputs are quarters, so sums
 * are exact and the kernels' results are the rounded true ones. */
#include "cuda_host/host_conv.h"
#include "support/support.h"

static void run_forward(void *user)
{
    conv_case *c = user;
    if (c->conv.sums)
        memset(c->conv.sums, 0, c->sums * sizeof(jsni_exact_word));
    if (jsni_conv_strided_takes(&c->conv))
        (void)jsni_conv_strided_forward(&c->conv, NULL);
    else
        (void)jsni_any_conv_forward(&c->conv, NULL);
}

static void run_back(void *user)
{
    conv_case *c = user;
    if (jsni_conv_strided_takes(&c->conv))
        (void)jsni_conv_strided_data(&c->conv, NULL);
    else
        (void)jsni_any_conv_data(&c->conv, NULL);
    (void)jsni_any_conv_weights(&c->conv, NULL);
    (void)jsni_any_weight_sum(c->part.at, c->conv.splits, false, c->gradient.at,
                              c->conv.out_channels, jsni_any_conv_sees(&c->conv),
                              c->conv.kernel_h * c->conv.kernel_w, NULL);
}

static void check(const conv_shape *shape)
{
    conv_case c = conv_case_create(shape);
    host_in_orders(run_forward, &c, &c.y, 1);
    conv_case_expect_forward(&c);
    size_t off = host_tensor_off(c.y, c.y_expected, 0.0);
    size_t sums = conv_case_sums_off(&c);
    /* y is its own gradient from here on; small again, so that sums stay exact */
    const host_tensor dy = host_tensor_quarters(c.y.count, shape->half, 4);
    c.y = dy;
    c.conv.y = dy.at;
    const host_tensor results[] = {c.dx, c.part, c.gradient};
    host_in_orders(run_back, &c, results, 3);
    conv_case_expect_back(&c);
    const size_t dx = host_tensor_off(c.dx, c.dx_expected, 0.0);
    const size_t gradient = host_tensor_off(c.gradient, c.gradient_expected, 0.0);
    if (off || sums || dx || gradient)
        fail_msg("%d -> %d channels of %dx%d, window %d, stride %d, half %d: %zu of y, "
                 "%zu sums, %zu of dx, %zu of dw are off",
                 shape->in_channels, shape->out_channels, shape->in_h, shape->in_w,
                 shape->kernel, shape->stride, shape->half, off, sums, dx, gradient);
    conv_case_destroy(&c);
}

/* conv_strided.cu and conv_strided_weights.cu, which hand some weights on to any_conv.cu */
static void test_strided(void **state)
{
    (void)state;
    static const conv_shape shapes[] = {
        {.images = 4,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 16,
         .in_w = 16,
         .kernel = 3,
         .stride = 2,
         .pad = 1,
         .half = true,
         .views = 2},
        {.images = 4,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 16,
         .in_w = 16,
         .kernel = 1,
         .stride = 2,
         .half = true,
         .views = 2},
        {.images = 3,
         .in_channels = 32,
         .out_channels = 32,
         .in_h = 6,
         .in_w = 10,
         .kernel = 3,
         .stride = 2,
         .pad = 1,
         .half = true},
        {.images = 1,
         .in_channels = 64,
         .out_channels = 96,
         .in_h = 32,
         .in_w = 16,
         .kernel = 1,
         .stride = 2,
         .half = true},
        {.images = 2,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 16,
         .in_w = 8,
         .kernel = 3,
         .stride = 2,
         .pad = 1,
         .half = true},
        {.images = 2,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 4,
         .in_w = 64,
         .kernel = 3,
         .stride = 2,
         .pad = 1,
         .half = true},
        {.images = 130,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 2,
         .in_w = 2,
         .kernel = 3,
         .stride = 2,
         .pad = 1,
         .half = true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check(&shapes[i]);
}

/* conv_fp32.cu and conv_tf32.cu */
static void test_float(void **state)
{
    (void)state;
    static const conv_shape shapes[] = {
        {.images = 2,
         .in_channels = 32,
         .out_channels = 64,
         .in_h = 8,
         .in_w = 8,
         .kernel = 3,
         .stride = 1,
         .pad = 1},
        {.images = 1,
         .in_channels = 64,
         .out_channels = 32,
         .in_h = 7,
         .in_w = 5,
         .kernel = 3,
         .stride = 1,
         .pad = 1},
        {.images = 2,
         .in_channels = 32,
         .out_channels = 32,
         .in_h = 6,
         .in_w = 8,
         .kernel = 3,
         .stride = 2,
         .pad = 1},
        {.images = 2,
         .in_channels = 64,
         .out_channels = 64,
         .in_h = 6,
         .in_w = 8,
         .kernel = 1,
         .stride = 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int tf32 = 0; tf32 < 2; tf32++) {
            conv_shape shape = shapes[i];
            shape.tf32 = tf32;
            check(&shape);
        }
}

/* any_conv.cu */
static void test_any(void **state)
{
    (void)state;
    static const conv_shape shapes[] = {
        {.images = 2,
         .in_channels = 3,
         .out_channels = 5,
         .in_h = 7,
         .in_w = 6,
         .kernel = 3,
         .stride = 1,
         .pad = 1,
         .biased = true},
        {.images = 2,
         .in_channels = 3,
         .out_channels = 70,
         .in_h = 5,
         .in_w = 6,
         .kernel = 5,
         .stride = 2,
         .pad = 2,
         .half = true,
         .biased = true},
        {.images = 67,
         .in_channels = 33,
         .out_channels = 10,
         .in_h = 1,
         .in_w = 1,
         .kernel = 1,
         .stride = 1,
         .biased = true},
        {.images = 5,
         .in_channels = 64,
         .out_channels = 10,
         .in_h = 1,
         .in_w = 1,
         .kernel = 1,
         .stride = 1,
         .half = true,
         .biased = true},
        {.images = 2,
         .in_channels = 32,
         .out_channels = 32,
         .in_h = 6,
         .in_w = 6,
         .kernel = 3,
         .stride = 1,
         .pad = 1,
         .plain = true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check(&shapes[i]);
}

/* any_depthwise.cu and depthwise_wide.cu */
static void test_depthwise(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++)
        for (int stride = 1; stride <= 2; stride++)
            for (int kernel = 3; kernel <= 5; kernel += 2) {
                const conv_shape wide = {.images = 2,
                                         .in_channels = 40,
                                         .out_channels = 40,
                                         .in_h = 9,
                                         .in_w = 7,
                                         .kernel = kernel,
                                         .stride = stride,
                                         .pad = kernel / 2,
                                         .half = half,
                                         .depthwise = true};
                check(&wide);
                conv_shape any = wide;
                any.in_channels = any.out_channels = 13;
                check(&any);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_strided, host_reset_after),
        cmocka_unit_test_teardown(test_float, host_reset_after),
        cmocka_unit_test_teardown(test_any, host_reset_after),
        cmocka_unit_test_teardown(test_depthwise, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
