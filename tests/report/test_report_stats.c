/* tests/report/test_report_stats.c - statistics against golden/stats.json and closed
 * forms. */
#include "support/support.h"

#include <math.h>

#include "core/json.h"
#include "core/stats.h"

enum { MOST = 16 };

static double real(const jsni_json *object, const char *key)
{
    double value = NAN;
    assert_ok(jsni_json_get_real(object, key, &value));
    return value;
}

static size_t list(const jsni_json *object, const char *key, double *out)
{
    const jsni_json *values = jsni_json_get(object, key);
    const size_t count = jsni_json_count(values);
    assert_true(count > 1 && count <= MOST);
    for (size_t i = 0; i < count; i++)
        out[i] = jsni_json_real(jsni_json_at(values, i));
    return count;
}

static void check_test(const jsni_stats_test *got, const jsni_json *want)
{
    /* t = difference / error, and the difference may cancel. */
    assert_close(got->t, real(want, "t"), 1e-12, 1e-9);
    assert_close(got->freedom, real(want, "df"), 0, 1e-9);
    assert_close(got->p, real(want, "p_two_sided"), 0, 1e-9);
}

static void test_golden_pairs(void **state)
{
    (void)state;
    jsni_json *golden = NULL;
    assert_ok(jsni_json_read(&golden, JSN_TEST_GOLDEN "/stats.json"));
    const jsni_json *pairs = jsni_json_get(golden, "pairs");
    assert_int_equal(jsni_json_count(pairs), 12);
    for (size_t i = 0; i < jsni_json_count(pairs); i++) {
        const jsni_json *c = jsni_json_at(pairs, i);
        double a[MOST], b[MOST];
        jsni_stats_test test;
        const size_t n = list(c, "a", a), m = list(c, "b", b);
        const jsni_json *sa = jsni_json_get(c, "a_stats"),
                        *sb = jsni_json_get(c, "b_stats");
        assert_close(jsni_stats_mean(a, n), real(sa, "mean"), 0, 1e-15);
        assert_close(jsni_stats_deviation(a, n), real(sa, "std_ddof1"), 0, 1e-12);
        assert_close(jsni_stats_mean(b, m), real(sb, "mean"), 0, 1e-15);
        assert_close(jsni_stats_deviation(b, m), real(sb, "std_ddof1"), 0, 1e-12);
        assert_ok(jsni_stats_student(&test, a, n, b, m, 0.95));
        check_test(&test, jsni_json_get(c, "student"));
        assert_ok(jsni_stats_welch(&test, a, n, b, m, 0.95));
        check_test(&test, jsni_json_get(c, "welch"));
    }
    jsni_json_destroy(golden);
}

/* Closed forms of P(|T| >= t): 1 degree of freedom 1 - 2 atan(t)/pi, 2 degrees
 * 1 - t/sqrt(2+t^2), 4 degrees by integration. */
static void test_t_distribution_has_its_closed_forms(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    for (double t = 1e-3; t < 1e6; t *= 3.7) {
        assert_close(jsni_stats_t_two_sided(t, 1), 2.0 * atan(1.0 / t) / pi, 0, 1e-12);
        const double root = sqrt(2.0 + t * t);
        assert_close(jsni_stats_t_two_sided(t, 2), 2.0 / (root * (root + t)), 0, 1e-12);
        assert_true(jsni_stats_t_two_sided(-t, 3) == jsni_stats_t_two_sided(t, 3));
    }
    for (double t = 0.1; t < 5.0; t += 0.3) {
        const double u = t / sqrt(4.0 + t * t);
        assert_close(jsni_stats_t_two_sided(t, 4), 1.0 - u * (1.5 - 0.5 * u * u), 0,
                     1e-12);
        /* Many degrees of freedom: the normal distribution and the first term of the
         * expansion in 1/df; the next is below 1e-15 here. */
        const double density = exp(-0.5 * t * t) / sqrt(2.0 * pi);
        assert_close(jsni_stats_t_two_sided(t, 1e10),
                     erfc(t / sqrt(2.0)) + density * t * (t * t + 1.0) / 2e10, 0,
                     1e-13);
    }
    assert_true(jsni_stats_t_two_sided(0, 5) == 1.0);
    assert_true(jsni_stats_t_two_sided(INFINITY, 5) == 0.0);
    assert_true(isnan(jsni_stats_t_two_sided(1, 0)));
}

/* I_x(a, 1) = x^a; I_x(1, b) = 1 - (1-x)^b; I_x(a, b) = 1 - I_{1-x}(b, a); and the
 * binomial sum for whole a, b. */
static void test_incomplete_beta_has_its_closed_forms(void **state)
{
    (void)state;
    static const double sizes[] = {0.3, 1.0, 2.5, 9.0, 11.0, 40.0, 3000.0};
    for (double x = 0.01; x < 1.0; x += 0.07)
        for (size_t i = 0; i < 7; i++) {
            const double a = sizes[i];
            assert_close(jsni_stats_beta(a, 1, x, 1 - x), pow(x, a), 1e-300, 1e-12);
            assert_close(jsni_stats_beta(1, a, x, 1 - x), -expm1(a * log1p(-x)), 0,
                         1e-12);
            for (size_t j = 0; j < 7; j++)
                assert_close(jsni_stats_beta(a, sizes[j], x, 1 - x) +
                                 jsni_stats_beta(sizes[j], a, 1 - x, x),
                             1.0, 1e-12, 0);
            double sum = 0.0, choose = 1.0; /* a = 12, b = 15: tail of n = 26 */
            for (int k = 0; k <= 26; k++) {
                sum += k >= 12 ? choose * pow(x, k) * pow(1 - x, 26 - k) : 0.0;
                choose = choose * (26 - k) / (k + 1);
            }
            assert_close(jsni_stats_beta(12, 15, x, 1 - x), sum, 0, 1e-12);
        }
    assert_true(jsni_stats_beta(2, 3, 0, 1) == 0.0 &&
                jsni_stats_beta(2, 3, 1, 0) == 1.0);
    assert_true(isnan(jsni_stats_beta(0, 1, 0.5, 0.5)));
    assert_true(isnan(jsni_stats_beta(1, 1, 0.5, 0.4)));
}

static void test_interval_covers_what_the_test_accepts(void **state)
{
    (void)state;
    const double a[] = {63.4, 63.3, 63.0, 63.5}, b[] = {62.1, 62.9, 62.4, 61.8, 62.6};
    jsni_stats_test test, shifted;
    /* The tabulated 97.5% quantile at 8 degrees of freedom is 2.306004135. */
    assert_close(jsni_stats_t_quantile(0.05, 8), 2.306004135204166, 0, 1e-12);
    assert_close(jsni_stats_t_quantile(0.05, 1), 1 / tan(acos(-1.0) / 40), 0, 1e-12);
    assert_ok(jsni_stats_welch(&test, a, 4, b, 5, 0.9));
    double moved[4];
    for (size_t i = 0; i < 4; i++)
        moved[i] = a[i] - test.low;
    assert_ok(jsni_stats_welch(&shifted, moved, 4, b, 5, 0.9));
    assert_close(shifted.p, 0.1, 0, 1e-9);
    assert_close(0.5 * (test.low + test.high), test.difference, 0, 1e-12);
}

static void test_samples_without_spread(void **state)
{
    (void)state;
    const double same[] = {5, 5, 5}, other[] = {6, 6};
    jsni_stats_test test;
    assert_ok(jsni_stats_welch(&test, same, 3, same, 2, 0.95));
    assert_true(test.t == 0.0 && test.p == 1.0 && test.low == 0.0 && test.high == 0.0);
    assert_ok(jsni_stats_student(&test, same, 3, other, 2, 0.95));
    assert_true(isinf(test.t) && test.t < 0.0 && test.p == 0.0 && test.high == -1.0);
}

static void test_rank_correlations(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5}, up[] = {2, 3, 30, 31, 99},
                 down[] = {9, 7, 5, 3, 1};
    const double tied[] = {1, 2, 2, 3, 3}, flat[] = {1, 1, 1, 1, 1};
    double r = 0.0;
    assert_ok(jsni_stats_spearman(x, up, 5, &r));
    assert_close(r, 1.0, 1e-15, 0);
    assert_ok(jsni_stats_kendall(x, down, 5, &r));
    assert_close(r, -1.0, 1e-15, 0);
    /* Ranks of `tied` are 1, 2.5, 2.5, 4.5, 4.5:
     * sum (x-3)(r-3) = 4 + 0.5 + 0 + 1.5 + 3 = 9, sum (r-3)^2 = 9, sum (x-3)^2 = 10. */
    assert_ok(jsni_stats_spearman(x, tied, 5, &r));
    assert_close(r, 9.0 / sqrt(90.0), 1e-15, 0);
    /* 10 pairs, 2 tied in y, the other 8 in order: tau-b = 8/sqrt(10*8). */
    assert_ok(jsni_stats_kendall(x, tied, 5, &r));
    assert_close(r, 8.0 / sqrt(80.0), 1e-15, 0);
    assert_ok(jsni_stats_spearman(x, flat, 5, &r));
    assert_true(isnan(r));
    assert_ok(jsni_stats_kendall(x, flat, 5, &r));
    assert_true(isnan(r));
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    const double x[] = {1, 2, NAN};
    jsni_stats_test test;
    double r = 0.0;
    assert_fails(jsni_stats_welch(&test, x, 1, x, 2, 0.95), JSN_ERR_ARGUMENT,
                 "sample a");
    assert_fails(jsni_stats_student(&test, x, 2, x, 3, 0.95), JSN_ERR_ARGUMENT,
                 "sample b: value 2");
    assert_fails(jsni_stats_welch(&test, x, 2, x, 2, 1.0), JSN_ERR_RANGE, "confidence");
    assert_fails(jsni_stats_kendall(x, x, 3, &r), JSN_ERR_ARGUMENT, "value 2");
    assert_fails(jsni_stats_spearman(x, x, 3, &r), JSN_ERR_ARGUMENT, "value 2");
    assert_true(isnan(jsni_stats_mean(x, 0)) && isnan(jsni_stats_deviation(x, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_pairs),
        cmocka_unit_test(test_t_distribution_has_its_closed_forms),
        cmocka_unit_test(test_incomplete_beta_has_its_closed_forms),
        cmocka_unit_test(test_interval_covers_what_the_test_accepts),
        cmocka_unit_test(test_samples_without_spread),
        cmocka_unit_test(test_rank_correlations),
        cmocka_unit_test(test_bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
