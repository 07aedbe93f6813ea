/* What a list of doubtful labels is worth, against cases that were counted by hand, and
 * Wilson's interval against the shares at which the score test just rejects, found by
 * bisection. */
#include <math.h>

#include "core/alloc.h"
#include "core/folder.h"
#include "core/rng.h"
#include "support/support.h"
#include "train/verdict.h"

static void test_shares_have_wilsons_interval(void **state)
{
    (void)state;
    static const struct {
        uint64_t part, whole;
        double low, high;
    } rows[] = {{10, 47, 0.1198971, 0.3490403},
                {0, 20, 0.0, 0.1611252},
                {20, 20, 0.8388748, 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const jsni_estimate e = jsni_estimate_share(rows[i].part, rows[i].whole);
        assert_close(e.value, (double)rows[i].part / (double)rows[i].whole, 0, 1e-15);
        assert_close(e.low, rows[i].low, 1e-6, 1e-6);
        assert_close(e.high, rows[i].high, 1e-6, 1e-6);
    }
}

/* A million images with labels and predictions drawn as the estimate assumes. */
static void test_clean_accuracy_is_recovered(void **state)
{
    (void)state;
    enum { IMAGES = 1000000, CLASSES = 5 };
    const double clean = 0.7, noise = 0.25;
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_NOISE, 0, 0, 0);
    size_t agreed = 0;
    for (size_t i = 0; i < IMAGES; i++) {
        const uint32_t truth = jsni_rng_below(&rng, CLASSES);
        const uint32_t label =
            jsni_rng_uniform(&rng) < noise
                ? (truth + 1 + jsni_rng_below(&rng, CLASSES - 1)) % CLASSES
                : truth;
        const uint32_t said =
            jsni_rng_uniform(&rng) < clean
                ? truth
                : (truth + 1 + jsni_rng_below(&rng, CLASSES - 1)) % CLASSES;
        agreed += said == label;
    }
    assert_close(jsni_clean_accuracy((double)agreed / IMAGES, noise, CLASSES), clean,
                 3e-3, 0);
    assert_close(jsni_clean_accuracy(0.9, 0.1, 2), 1.0, 0, 1e-12);
    assert_close(jsni_clean_accuracy(0.95, 0.1, 2), 1.0, 0, 0); /* not more than all */
    assert_true(isnan(jsni_clean_accuracy(0.5, 0.5, 2)));
}

static jsni_agreement of(uint64_t images, double share, double chance)
{
    return (jsni_agreement){"", images, share, chance};
}

static void test_trust_needs_more_than_chance(void **state)
{
    (void)state;
    jsni_agreement by;
    const jsni_agreement none = of(0, NAN, NAN);
    /* Of 100 images 10% +- 3% are guessed: 16% is within two deviations, 17% is not. */
    assert_int_equal(jsni_trust_of(of(3000, 0.001, 0.05), none, &by), JSNI_TRUST_NONE);
    assert_int_equal(jsni_trust_of(of(3000, 0.9, 0.05), of(100, 0.16, 0.1), &by),
                     JSNI_TRUST_NONE);
    assert_true(by.images == 100);
    assert_int_equal(jsni_trust_of(of(3000, 0.9, 0.05), of(100, 0.17, 0.1), &by),
                     JSNI_TRUST_WEAK);
    assert_int_equal(jsni_trust_of(of(3000, 0.05, 0.05), of(100, 0.9, 0.1), &by),
                     JSNI_TRUST_NONE);
    assert_true(by.images == 3000);
    assert_int_equal(jsni_trust_of(of(3000, 0.9, 0.05), of(100, 0.5, 0.1), &by),
                     JSNI_TRUST_FAIR);
    assert_int_equal(jsni_trust_of(of(3000, 0.49, 0.05), none, &by), JSNI_TRUST_WEAK);
}

/* Eight images, one of them broken: five agree, the most frequent label has four. */
static void test_agreement_counts_what_was_read(void **state)
{
    (void)state;
    int32_t used[] = {0, 0, 0, 0, 1, 1, 2, 2}, best[] = {0, 0, 0, 1, 1, 0, 2, -1};
    const jsni_part part = {.count = 8, .used = used};
    const jsni_predictions seen = {.best = best};
    jsni_agreement a;
    assert_ok(jsni_agreement_of_part(&part, &seen, 3, &a));
    assert_true(a.images == 7);
    assert_close(a.share, 5.0 / 7.0, 0, 1e-15);
    assert_close(a.chance, 4.0 / 7.0, 0, 1e-15);
    uint64_t confusion[] = {3, 1, 0, 1, 1, 0, 0, 0, 1};
    const jsni_evaluation e = {
        .classes = 3, .samples = 7, .correct = 5, .confusion = confusion};
    a = jsni_agreement_of_evaluation(&e, "test");
    assert_close(a.share, 5.0 / 7.0, 0, 1e-15);
    assert_close(a.chance, 4.0 / 7.0, 0, 1e-15);
}

static void test_the_way_to_a_file_is_found(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"/a/runs/r", "/a/photos/x.jpg", "../../photos/x.jpg"},
        {"/a", "/a/b/x.jpg", "b/x.jpg"},
        {"/", "/x.jpg", "x.jpg"},
        {"/ab", "/abc/x.jpg", "../abc/x.jpg"},
        {"/abc", "/ab/x.jpg", "../ab/x.jpg"},
        {"/a/b", "/x", "../../x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *way = jsni_path_between(rows[i][0], rows[i][1]);
        assert_string_equal(way, rows[i][2]);
        jsni_free(way);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_have_wilsons_interval),
        cmocka_unit_test(test_clean_accuracy_is_recovered),
        cmocka_unit_test(test_trust_needs_more_than_chance),
        cmocka_unit_test(test_agreement_counts_what_was_read),
        cmocka_unit_test(test_the_way_to_a_file_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
