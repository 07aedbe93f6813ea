/* tests/loss/test_loss_golden.c - every golden loss case in double and at every level of
 * this machine. Tolerances are those that come with the vectors. */
#include "support/support.h"

#include <math.h>

#include "jensen/loss.h"
#include "loss/golden_loss.h"
#include "loss/loss_mode.h"

typedef struct errors {
    double loss, gradient;
} errors;

static float floats[2][GOLDEN_MOST];
static double doubles[3][GOLDEN_MOST];

/* Evaluates a case; level JSNI_LOSS_AUTO means float64 input. */
static errors evaluate(const golden_case *c, jsni_loss_level level)
{
    const size_t step = c->samples * c->classes;
    const size_t count = c->views * step;
    const bool f64 = level == JSNI_LOSS_AUTO;
    double values[8];
    jsn_loss *loss = NULL;
    jsn_loss_batch batch;
    jsn_loss_batch_init(&batch);
    assert_true(count <= GOLDEN_MOST);
    for (size_t k = 0; k < count; k++) {
        floats[0][k] = c->logits[k / step][k % step];
        doubles[0][k] = (double)floats[0][k];
    }
    for (size_t k = 0; k < step && c->targets != NULL; k++)
        doubles[2][k] = (double)c->targets[k];
    batch.samples = c->samples;
    batch.type = f64 ? JSN_LOSS_F64 : JSN_LOSS_F32;
    batch.logits = f64 ? (const void *)doubles[0] : floats[0];
    batch.labels = c->labels;
    if (c->targets != NULL)
        batch.targets = f64 ? (const void *)doubles[2] : c->targets;
    jsn_loss_result result = {0.0, values, f64 ? (void *)doubles[1] : floats[1]};
    assert_ok(jsn_loss_create(&loss, c->spec, c->classes, c->views));
    assert_ok(jsni_loss_set_level(loss, level));
    assert_ok(jsn_loss_eval(loss, &batch, &result));
    /* Which arithmetic ran. */
    assert_int_equal(jsni_loss_level_used(loss),
                     f64 || c->extreme ? JSNI_LOSS_DOUBLE : level);
    jsn_loss_destroy(loss);

    double mean = 0.0;
    for (size_t i = 0; i < c->samples; i++)
        mean += values[i] / (double)c->samples;
    assert_close(result.mean, mean, 1e-14, 1e-14);
    for (size_t k = 0; k < count && !f64; k++)
        doubles[1][k] = (double)floats[1][k];
    const errors found = {golden_loss_error(c, values),
                          golden_gradient_error(c, doubles[1])};
    return found;
}

static void check_level(const golden *g, jsni_loss_level level)
{
    const bool f64 = level == JSNI_LOSS_AUTO;
    size_t failures = 0;
    errors worst = {0.0, 0.0};
    for (size_t i = 0; i < g->count; i++) {
        golden_case c;
        golden_read(g, i, &c);
        const errors e = evaluate(&c, level);
        double most_loss = 3e-6;
        double most_gradient = 1e-5;
        if (f64)
            most_loss = most_gradient = c.extreme ? 1e-9 : 1e-12;
        else if (level == JSNI_LOSS_DOUBLE || c.extreme)
            most_loss = most_gradient = 1e-6;
        if (!(e.loss <= most_loss) || !(e.gradient <= most_gradient)) {
            print_error("%s (%s): loss off by %.3g, gradient by %.3g\n", c.name, c.spec,
                        e.loss, e.gradient);
            failures++;
        }
        worst.loss = support_worse(worst.loss, e.loss);
        worst.gradient = support_worse(worst.gradient, e.gradient);
    }
    print_message("%s: worst loss %.2g, gradient %.2g\n",
                  f64 ? "float64" : jsni_loss_level_name(level), worst.loss,
                  worst.gradient);
    assert_int_equal(failures, 0);
}

static void test_float64_input_is_exact(void **state)
{
    check_level(*state, JSNI_LOSS_AUTO);
}

static void test_float32_input_in_double(void **state)
{
    check_level(*state, JSNI_LOSS_DOUBLE);
}

static void test_every_float_level_keeps_the_tolerance(void **state)
{
    for (int level = JSNI_LOSS_PLAIN; level <= JSNI_LOSS_AVX512; level++)
        if (jsni_loss_level_exists((jsni_loss_level)level))
            check_level(*state, (jsni_loss_level)level);
        else
            print_message("%s: not on this machine, skipped\n",
                          jsni_loss_level_name((jsni_loss_level)level));
}

/* The measure must notice a wrong value, a wrong sign and a number that is none. */
static void test_the_measure_rejects_wrong_answers(void **state)
{
    const golden *g = *state;
    golden_case c;
    double values[8];
    golden_read(g, 0, &c);
    const size_t step = c.samples * c.classes;
    memcpy(values, c.loss, c.samples * sizeof *values);
    memcpy(doubles[1], c.grad[0], step * sizeof(double));
    assert_true(golden_loss_error(&c, values) == 0.0);
    assert_true(golden_gradient_error(&c, doubles[1]) == 0.0);
    values[1] += 1e-5;
    doubles[1][1] = -doubles[1][1];
    assert_true(golden_loss_error(&c, values) > 3e-6);
    assert_true(golden_gradient_error(&c, doubles[1]) > 1e-5);
    values[1] = NAN;
    doubles[1][1] = NAN;
    assert_false(golden_loss_error(&c, values) <= 1.0);
    assert_false(golden_gradient_error(&c, doubles[1]) <= 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float64_input_is_exact),
        cmocka_unit_test(test_float32_input_in_double),
        cmocka_unit_test(test_every_float_level_keeps_the_tolerance),
        cmocka_unit_test(test_the_measure_rejects_wrong_answers),
    };
    return cmocka_run_group_tests_name("loss/golden", tests, golden_open, golden_close);
}
