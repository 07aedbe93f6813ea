/* tests/loss/test_loss_lanes.c - exp, log, expm1 and log1p of the plain float level
 * against libm in double, over their ranges. The other levels share the polynomials;
 * the golden and the table tests hold their results. */
#define JSNI_LEVEL_PLAIN
#include "support/support.h"

#include <math.h>

#include "loss/lanes.h"

/* Distance in units in the last place of a float near `want`. */
static double ulps(float got, double want)
{
    int exponent = 0;
    (void)frexp(want, &exponent);
    return fabs((double)got - want) / ldexp(1.0, exponent - 24);
}

typedef jsni_real lane_fn(jsni_real x);
typedef double real_fn(double x);

/* The worst error of fn over `count` points that are evenly spread from..to. */
static double worst_ulps(lane_fn *fn, real_fn *exact, double from, double to,
                         size_t count)
{
    double worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        const float x = (float)(from + (to - from) * ((double)i + 0.5) / (double)count);
        const float got = fn(jsni_fill(x))[0];
        const double error = ulps(got, exact((double)x));
        worst = support_worse(worst, error);
    }
    return worst;
}

static double exp_2(double x)
{
    return exp2(x);
}

static jsni_real log_of_power(jsni_real x)
{
    return jsni_log(jsni_fill((float)exp2((double)x[0])));
}

static double log_of_rounded_power(double x)
{
    return log((double)(float)exp_2(x));
}

static void test_exp_is_within_two_units(void **state)
{
    (void)state;
    assert_true(worst_ulps(jsni_exp, exp, -80.0, 0.0, 400000) < 2.0);
    assert_true(worst_ulps(jsni_exp, exp, -1.0, 0.0, 400000) < 2.0);
    assert_true(jsni_exp(jsni_fill(0.0f))[0] == 1.0f);
    assert_true(jsni_exp(jsni_fill(-81.0f))[0] == 0.0f);
    assert_true(jsni_exp(jsni_fill(-JSNI_LARGE))[0] == 0.0f);
    assert_true(isnan(jsni_exp(jsni_fill(NAN))[0]));
}

static void test_log_is_within_two_units(void **state)
{
    (void)state;
    assert_true(worst_ulps(jsni_log, log, 0.5, 2.0, 400000) < 2.0);
    assert_true(worst_ulps(jsni_log, log, 1.0, 4096.0, 400000) < 2.0);
    assert_true(worst_ulps(log_of_power, log_of_rounded_power, -125.0, 125.0, 400000) <
                2.0);
    assert_true(jsni_log(jsni_fill(1.0f))[0] == 0.0f);
}

static void test_expm1_and_log1p_keep_small_arguments(void **state)
{
    (void)state;
    assert_true(worst_ulps(jsni_expm1, expm1, -80.0, 0.0, 400000) < 3.0);
    assert_true(worst_ulps(jsni_expm1, expm1, -1e-3, 0.0, 400000) < 3.0);
    assert_true(worst_ulps(jsni_log1p, log1p, -0.99, 0.0, 400000) < 4.0);
    assert_true(worst_ulps(jsni_log1p, log1p, -1e-4, 1e-4, 400000) < 4.0);
    assert_true(worst_ulps(jsni_log1p, log1p, 0.0, 1e6, 400000) < 4.0);
}

static jsni_real exp_with_a_short_series(jsni_real x)
{
    return 1.0f + x * (1.0f + x * 0.5f);
}

static void test_the_measure_rejects_a_bad_function(void **state)
{
    (void)state;
    assert_true(worst_ulps(exp_with_a_short_series, exp, -0.1, 0.0, 1000) > 100.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_within_two_units),
        cmocka_unit_test(test_log_is_within_two_units),
        cmocka_unit_test(test_expm1_and_log1p_keep_small_arguments),
        cmocka_unit_test(test_the_measure_rejects_a_bad_function),
    };
    return cmocka_run_group_tests_name("loss/lanes", tests, NULL, NULL);
}
