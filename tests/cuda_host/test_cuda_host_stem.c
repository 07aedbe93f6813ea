/* The stem of conv_kernels.h, 3 -> 32 channels of 32x32 pixels, and its weights' gradient with
 * each prologue, against loops in double; inputs are quarters, so all sums are exact. */
#include <math.h>

#include "backend/cuda/conv_kernels.h"
#include "cuda_host/host_support.h"
#include "support/support.h"

enum { SIDE = 32, COLOURS = 3, CHANNELS = 32, VIEWS = 2, SAMPLES = 2 };
enum { IMAGES = VIEWS * SAMPLES, PIXELS = IMAGES * SIDE * SIDE };
enum {
    WEIGHTS = CHANNELS * COLOURS * 9,
    SUMS = VIEWS * 2 * JSNI_EXACT_WORDS * CHANNELS
};

typedef struct stem_case {
    host_tensor x, w, y, sums, gradient;
    jsni_conv_args args;
    jsni_conv_final *final;
    int prologue;
} stem_case;

/* Whether tap `tap` of pixel p lies inside, and its pixel. */
static bool tap_at(size_t p, size_t tap, size_t *from)
{
    const int y = (int)(p / SIDE % SIDE) + (int)(tap / 3) - 1;
    const int x = (int)(p % SIDE) + (int)(tap % 3) - 1;
    *from = p / (SIDE * SIDE) * (SIDE * SIDE) + (size_t)(y * SIDE + x);
    return y >= 0 && y < SIDE && x >= 0 && x < SIDE;
}

static void run_forward(void *user)
{
    stem_case *c = user;
    memset(c->sums.at, 0, SUMS * sizeof(jsni_exact_word));
    (void)jsni_conv_stem(c->x.at, c->w.at, c->y.at, c->sums.at, IMAGES, SAMPLES, NULL);
}

static void check_sums(const stem_case *c)
{
    for (size_t i = 0; i < VIEWS * CHANNELS * 2; i++) {
        const size_t view = i / 2 / CHANNELS, channel = i / 2 % CHANNELS, sum = i % 2;
        double expected = 0.0;
        for (size_t p = view * PIXELS / VIEWS; p < (view + 1) * PIXELS / VIEWS; p++) {
            const double y = host_tensor_value(c->y, p * CHANNELS + channel);
            expected += sum ? y * y : y;
        }
        jsni_exact_word words[JSNI_EXACT_WORDS];
        const jsni_exact_word *all = c->sums.at;
        for (size_t k = 0; k < JSNI_EXACT_WORDS; k++)
            words[k] =
                all[((view * 2 + sum) * JSNI_EXACT_WORDS + k) * CHANNELS + channel];
        assert_close(jsni_exact_value(words), expected, 1e-3, 1e-5);
    }
}

static void test_forward(void **state)
{
    (void)state;
    stem_case c = {.x = host_tensor_quarters(PIXELS * COLOURS, true, 1),
                   .w = host_tensor_quarters(WEIGHTS, true, 2),
                   .y = host_tensor_zeros(PIXELS * CHANNELS, true)};
    c.sums = host_tensor_zeros(SUMS * 2, false);
    const host_tensor results[] = {c.y, c.sums};
    host_in_orders(run_forward, &c, results, 2);
    double *expected = calloc(c.y.count, sizeof *expected);
    assert_non_null(expected);
    for (size_t p = 0; p < PIXELS; p++)
        for (size_t tap = 0, from; tap < 9; tap++)
            for (size_t i = 0; i < COLOURS * CHANNELS && tap_at(p, tap, &from); i++)
                expected[p * CHANNELS + i / COLOURS] +=
                    host_tensor_value(c.x, from * COLOURS + i % COLOURS) *
                    host_tensor_value(c.w,
                                      (i / COLOURS * 9 + tap) * COLOURS + i % COLOURS);
    assert_int_equal(host_tensor_off(c.y, expected, 0.0), 0);
    check_sums(&c);
    free(expected);
    host_reset();
}

static void run_weights(void *user)
{
    stem_case *c = user;
    (void)jsni_conv_stem_weights(&c->args, (jsni_conv_prologue)c->prologue, NULL);
    (void)jsni_conv_final_sums(c->final, 1, jsni_conv_final_blocks(COLOURS), NULL);
}

/* The gradient of y that the prologue makes of what is stored. */
static double gradient_of(const host_tensor *in, const host_tensor *coefs, int prologue,
                          size_t i)
{
    const size_t k = i / (PIXELS / VIEWS * CHANNELS) * CHANNELS + i % CHANNELS;
    double v = host_tensor_value(in[0], i);
    if (prologue != JSNI_CONV_PLAIN)
        v = host_tensor_value(coefs[0], k) * v +
            host_tensor_value(coefs[1], k) * host_tensor_value(in[1], i) +
            host_tensor_value(coefs[2], k);
    return prologue == JSNI_CONV_SKIP_BACK ? v + host_tensor_value(in[2], i) : v;
}

static void check_weights(int prologue)
{
    host_tensor in[3], coefs[3];
    for (uint32_t i = 0; i < 3; i++) {
        in[i] = host_tensor_quarters(PIXELS * CHANNELS, true, 3 + i);
        coefs[i] = host_tensor_quarters(VIEWS * CHANNELS, false, 7 + i);
    }
    stem_case c = {.x = host_tensor_quarters(PIXELS * COLOURS, true, 1),
                   .gradient = host_tensor_zeros(WEIGHTS, false),
                   .prologue = prologue};
    c.args = (jsni_conv_args){.x = in[0].at,
                              .x2 = in[1].at,
                              .x3 = in[2].at,
                              .e = c.x.at,
                              .pa = coefs[0].at,
                              .pb = coefs[1].at,
                              .pd = coefs[2].at,
                              .part = host_array(IMAGES / 2 * 1024 * sizeof(float)),
                              .images = IMAGES,
                              .view_images = SAMPLES};
    c.final = host_array(sizeof *c.final);
    *c.final = (jsni_conv_final){.part = c.args.part,
                                 .gradient = c.gradient.at,
                                 .channels = COLOURS,
                                 .parts = IMAGES / 2};
    host_in_orders(run_weights, &c, &c.gradient, 1);
    double expected[WEIGHTS] = {0};
    for (size_t p = 0; p < PIXELS; p++)
        for (size_t o = 0; o < CHANNELS; o++) {
            const double dy = gradient_of(in, coefs, prologue, p * CHANNELS + o);
            for (size_t tap = 0, from; tap < 9; tap++)
                for (size_t i = 0; i < COLOURS && tap_at(p, tap, &from); i++)
                    expected[(o * COLOURS + i) * 9 + tap] +=
                        dy * host_tensor_value(c.x, from * COLOURS + i);
        }
    assert_int_equal(host_tensor_off(c.gradient, expected, 0.0), 0);
    host_reset();
}

static void test_weights(void **state)
{
    (void)state;
    check_weights(JSNI_CONV_PLAIN);
    check_weights(JSNI_CONV_NORM_BACK);
    check_weights(JSNI_CONV_SKIP_BACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_forward, host_reset_after),
        cmocka_unit_test_teardown(test_weights, host_reset_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
