/* How many labels are wrong, from a sample: jsni_audit_sampled(). */
#include <math.h>

#include "audit/sampled.h"
#include "core/rng.h"
#include "support/support.h"

/* From SciPy's hypergeom: the first W with sf(x - 1; N, W, n) > a/2 and the last with
 * cdf(x; N, W, n) > a/2. */
static void test_the_ends_are_those_of_scipy(void **state)
{
    (void)state;
    static const struct {
        size_t population, sample, wrong;
        double confidence;
        size_t low, high;
    } cases[] = {
        {1000, 50, 0, 0.9, 0, 56},
        {1000, 50, 3, 0.9, 18, 145},
        {1000, 50, 3, 0.95, 14, 162},
        {60, 50, 3, 0.9, 3, 6},
        {50, 50, 3, 0.9, 3, 3},
        {1803, 50, 1, 0.9, 2, 163},
        {1803, 200, 7, 0.9, 32, 113},
        {50000, 400, 37, 0.9, 3491, 5989},
        {200000, 1000, 0, 0.99, 0, 1054},
        {10, 1, 1, 0.9, 1, 10},
        {10, 1, 0, 0.9, 0, 9},
        {1, 1, 1, 0.5, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t low = 0, high = 0;
        assert_int_equal(jsni_audit_sampled(cases[i].population, cases[i].sample,
                                            cases[i].wrong, cases[i].confidence, &low,
                                            &high),
                         JSN_OK);
        assert_int_equal(low, cases[i].low);
        assert_int_equal(high, cases[i].high);
    }
}

/* In how many of the draws the interval holds the true number. */
static double coverage(size_t population, size_t bad, size_t sample, double confidence)
{
    enum { DRAWS = 4000, MOST = 2000 };
    uint32_t items[MOST];
    size_t held = 0;
    for (uint32_t d = 0; d < DRAWS; d++) {
        size_t wrong = 0, low = 0, high = 0;
        jsni_rng rng = jsni_rng_stream(7, JSNI_RNG_TEST, (uint32_t)sample, d, 1);
        for (size_t i = 0; i < population; i++)
            items[i] = (uint32_t)i;
        jsni_rng_shuffle(&rng, items, population);
        for (size_t i = 0; i < sample; i++)
            wrong += items[i] < bad;
        assert_int_equal(
            jsni_audit_sampled(population, sample, wrong, confidence, &low, &high),
            JSN_OK);
        held += low <= bad && bad <= high;
    }
    return (double)held / DRAWS;
}

/* An exact interval holds the truth at least as often as it says; four standard errors of
 * 4,000 draws are 0.019. One that is always right by its width would say nothing. */
static void test_the_interval_holds_the_truth_as_often_as_it_says(void **state)
{
    (void)state;
    static const size_t bad[] = {0, 2, 20, 100, 300};
    static const size_t samples[] = {20, 50, 200};
    double sum = 0.0;
    for (size_t b = 0; b < 5; b++)
        for (size_t s = 0; s < 3; s++) {
            const double share = coverage(600, bad[b], samples[s], 0.9);
            assert_true(share >= 0.9 - 0.019);
            sum += share;
        }
    assert_true(sum / 15.0 < 0.98);
    assert_true(coverage(600, 100, 50, 0.5) < 0.8);
}

static void test_samples_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t population, sample, wrong;
        double confidence;
    } cases[] = {{10, 0, 0, 0.9},       {10, 11, 0, 0.9}, {10, 5, 6, 0.9},
                 {SIZE_MAX, 5, 1, 0.9}, {10, 5, 1, 1.0},  {10, 5, 1, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t low = 0, high = 0;
        assert_fails(jsni_audit_sampled(cases[i].population, cases[i].sample,
                                        cases[i].wrong, cases[i].confidence, &low,
                                        &high),
                     JSN_ERR_RANGE, "in a sample of");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_ends_are_those_of_scipy),
        cmocka_unit_test(test_the_interval_holds_the_truth_as_often_as_it_says),
        cmocka_unit_test(test_samples_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
