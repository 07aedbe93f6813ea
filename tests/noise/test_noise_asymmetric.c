/* Asymmetric noise: the maps in full, exact counts, in place and simultaneous. */
#include "noise/noise_support.h"

#include "core/alloc.h"
#include "noise/cifar_map.h"

enum { N = 50000 };

static int32_t labels[N];

/* The table of the CIFAR-100 superclasses as published, and the class that each class
 * turns into. */
static const int coarse[100] = {
    4,  1,  14, 8,  0,  6,  7,  7,  18, 3,  3,  14, 9,  18, 7,  11, 3,  9,  7,  11,
    6,  11, 5,  10, 7,  6,  13, 15, 3,  15, 0,  11, 1,  10, 12, 14, 16, 9,  11, 5,
    5,  19, 8,  8,  15, 13, 14, 17, 18, 10, 16, 4,  17, 4,  2,  0,  17, 4,  18, 17,
    10, 3,  2,  12, 12, 16, 12, 1,  9,  19, 2,  10, 0,  1,  16, 12, 9,  13, 15, 13,
    16, 19, 2,  4,  6,  19, 5,  5,  8,  19, 18, 1,  2,  15, 6,  0,  17, 8,  14, 13};
static const int next[100] = {
    51, 32, 11, 42, 30, 20, 7,  14, 13, 10, 16, 35, 17, 48, 18, 19, 28, 37, 24, 21,
    25, 31, 39, 33, 6,  84, 45, 29, 61, 44, 55, 38, 67, 49, 63, 46, 50, 68, 15, 40,
    86, 69, 43, 88, 78, 77, 98, 52, 58, 60, 65, 53, 56, 57, 62, 72, 59, 83, 90, 96,
    71, 9,  70, 64, 66, 74, 75, 73, 76, 81, 82, 23, 95, 91, 80, 34, 12, 79, 93, 99,
    36, 85, 92, 0,  94, 89, 87, 22, 97, 41, 8,  1,  54, 27, 5,  4,  47, 3,  2,  26};

static void test_cifar100_map_is_the_published_one(void **state)
{
    (void)state;
    int seen[100] = {0};
    for (int c = 0; c < 100; c++) {
        assert_int_equal(jsni_cifar100_superclass(c), coarse[c]);
        assert_int_equal(jsni_cifar100_next(c), next[c]);
        seen[jsni_cifar100_next(c)]++;
    }
    for (int c = 0; c < 100; c++)
        assert_int_equal(seen[c], 1);
}

static void test_cifar10_map_is_the_published_one(void **state)
{
    (void)state;
    static const int want[10] = {0, 1, 0, 5, 7, 3, 6, 7, 8, 1};
    for (int c = 0; c < 10; c++)
        assert_int_equal(jsni_cifar10_next(c), want[c]);
}

static void test_cifar100_changes_the_exact_count(void **state)
{
    (void)state;
    jsn_noise_input in = noise_input(labels, N, 100, 1);
    jsn_noise_result r;
    in.asymmetric = "cifar100";
    noise_apply("asym:rate=0.4", &in, &r);
    assert_int_equal(r.changed, 20000);
    assert_int_equal(r.drawn, 20000);
    for (int i = 0; i < N; i++)
        assert_true(r.labels[i] == labels[i] || r.labels[i] == next[labels[i]]);
    jsn_noise_result_release(&r);
}

/* In place, 5000 a class, rate e: birds, deer, trucks flip e * 5000; cats e * 5000, of
 * which the dog step turns some back; the dog step takes e * (5000 + e * 5000). */
static void test_cifar10_in_place_counts(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        size_t each, dogs;
        double rate, tolerance;
    } rows[] = {{"asym:rate=0.2", 1000, 1200, 0.096, 0.002},
                {"asym:rate=0.4,mode=inplace", 2000, 2800, 0.184, 0.003}};
    for (size_t i = 0; i < 2; i++) {
        jsn_noise_input in = noise_input(labels, N, 10, 3);
        jsn_noise_result r;
        in.asymmetric = "cifar10";
        noise_apply(rows[i].spec, &in, &r);
        assert_int_equal(r.drawn, 4 * rows[i].each + rows[i].dogs);
        assert_int_equal(r.transitions[2 * 10 + 0], rows[i].each);
        assert_int_equal(r.transitions[4 * 10 + 7], rows[i].each);
        assert_int_equal(r.transitions[9 * 10 + 1], rows[i].each);
        /* Cats that left and did not return, and dogs that left, are together what the
         * dog step left behind. */
        const size_t cats = r.transitions[3 * 10 + 5], dogs = r.transitions[5 * 10 + 3];
        assert_int_equal(rows[i].each - cats + dogs, rows[i].dogs);
        assert_close(r.real_rate, rows[i].rate, rows[i].tolerance, 0);
        for (size_t c = 0; c < 10; c++)
            if (c == 0 || c == 1 || c == 6 || c == 7 || c == 8)
                assert_true(r.class_rates[c] == 0.0);
        jsn_noise_result_release(&r);
    }
}

static void test_cifar10_simultaneous_counts(void **state)
{
    (void)state;
    jsn_noise_input in = noise_input(labels, N, 10, 3);
    jsn_noise_result r;
    in.asymmetric = "cifar10";
    noise_apply("asym:rate=0.4,mode=simultaneous", &in, &r);
    assert_int_equal(r.changed, 10000);
    assert_int_equal(r.transitions[3 * 10 + 5], 2000);
    assert_int_equal(r.transitions[5 * 10 + 3], 2000);
    assert_true(r.real_rate == 0.2);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_other_sets_use_the_next_class(void **state)
{
    (void)state;
    jsn_noise *noise = NULL;
    const jsn_noise_input in = noise_input(labels, 1000, 7, 3);
    jsn_noise_result r;
    noise_refused("asym:rate=0.4", &in, JSN_ERR_ARGUMENT, "mode=next");
    noise_apply("asym:rate=0.4,mode=next", &in, &r);
    assert_int_equal(r.changed, 400);
    for (int i = 0; i < 1000; i++)
        assert_true(r.labels[i] == labels[i] || r.labels[i] == (labels[i] + 1) % 7);
    jsn_noise_result_release(&r);
    assert_fails(jsn_noise_create(&noise, "asym:mode=both"), JSN_ERR_ARGUMENT,
                 "simultaneous");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar100_map_is_the_published_one),
        cmocka_unit_test(test_cifar10_map_is_the_published_one),
        cmocka_unit_test(test_cifar100_changes_the_exact_count),
        cmocka_unit_test(test_cifar10_in_place_counts),
        cmocka_unit_test(test_cifar10_simultaneous_counts),
        cmocka_unit_test(test_other_sets_use_the_next_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
