/* Symmetric noise: exact counts, uniform targets, seeds. */
#include "noise/noise_support.h"

#include "core/alloc.h"
#include "jensen/noise.h"

enum { N = 50000, K = 10 };

static int32_t labels[N];

static jsn_noise_input input(uint64_t seed)
{
    for (int i = 0; i < N; i++)
        labels[i] = i % K;
    jsn_noise_input in;
    jsn_noise_input_init(&in);
    in.labels = labels;
    in.samples = N;
    in.classes = K;
    in.seed = seed;
    return in;
}

static void apply(const char *spec, const jsn_noise_input *in, jsn_noise_result *out)
{
    jsn_noise *noise = NULL;
    assert_ok(jsn_noise_create(&noise, spec));
    assert_ok(jsn_noise_apply(noise, in, out));
    jsn_noise_destroy(noise);
}

static void test_sym_redraws_the_exact_count(void **state)
{
    (void)state;
    const jsn_noise_input in = input(1);
    jsn_noise_result r;
    apply("sym:rate=0.4", &in, &r);
    assert_int_equal(r.drawn, 20000);
    assert_true(r.nominal_rate == 0.4);
    /* 20000 draws, each changed with probability 0.9: deviation sqrt(1800) = 42. */
    assert_close((double)r.changed, 18000.0, 5 * 42.4, 0);
    assert_close(r.real_rate, (double)r.changed / N, 1e-15, 0);
    size_t changed = 0;
    for (size_t i = 0; i < N; i++)
        changed += r.labels[i] != labels[i];
    assert_int_equal(changed, r.changed);
    /* An off-diagonal cell expects 2000 / 10 = 200 with a deviation below 14. */
    for (size_t c = 0; c < K; c++)
        for (size_t d = 0; d < K; d++)
            if (c != d)
                assert_close((double)r.transitions[c * K + d], 200, 5 * 14.2, 0);
    jsn_noise_result_release(&r);
    assert_int_equal(jsni_alloc_live(), 0);
}

static void test_sym_other_changes_the_exact_count(void **state)
{
    (void)state;
    const jsn_noise_input in = input(2);
    jsn_noise_result r;
    apply("sym-other:rate=0.3", &in, &r);
    assert_int_equal(r.drawn, 15000);
    assert_int_equal(r.changed, 15000);
    for (size_t c = 0; c < K; c++)
        for (size_t d = 0; d < K; d++)
            if (c != d)
                assert_close((double)r.transitions[c * K + d], 15000.0 / 90, 70, 0);
    jsn_noise_result_release(&r);
}

static void test_ends_of_the_rate(void **state)
{
    (void)state;
    const jsn_noise_input in = input(3);
    jsn_noise_result r;
    apply("sym-other:rate=0", &in, &r);
    assert_int_equal(r.changed, 0);
    jsn_noise_result_release(&r);
    apply("sym-other:rate=1", &in, &r);
    assert_int_equal(r.changed, N);
    jsn_noise_result_release(&r);
    apply("none", &in, &r);
    assert_int_equal(r.changed, 0);
    assert_true(r.real_rate == 0.0 && r.nominal_rate == 0.0);
    jsn_noise_result_release(&r);
}

static void test_seed_and_part_name_the_draws(void **state)
{
    (void)state;
    jsn_noise_input in = input(7);
    jsn_noise_result a, b;
    apply("sym:rate=0.4", &in, &a);
    apply("sym:rate=0.4", &in, &b);
    assert_memory_equal(a.labels, b.labels, sizeof labels);
    jsn_noise_result_release(&b);
    in.part = 1;
    apply("sym:rate=0.4", &in, &b);
    assert_memory_not_equal(a.labels, b.labels, sizeof labels);
    jsn_noise_result_release(&b);
    in.part = 0;
    in.seed = 8;
    apply("sym:rate=0.4", &in, &b);
    assert_memory_not_equal(a.labels, b.labels, sizeof labels);
    jsn_noise_result_release(&b);
    jsn_noise_result_release(&a);
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    jsn_noise *noise = NULL;
    jsn_noise_result r;
    assert_fails(jsn_noise_create(&noise, "symm:rate=0.4"), JSN_ERR_UNKNOWN_NAME,
                 "did you mean 'sym'?");
    assert_fails(jsn_noise_create(&noise, "banana:rate=0.4"), JSN_ERR_UNKNOWN_NAME,
                 "sym-other");
    assert_fails(jsn_noise_create(&noise, "sym:rate=1.5"), JSN_ERR_RANGE, "rate");
    assert_fails(jsn_noise_create(&noise, "sym:eta=0.5"), JSN_ERR_UNKNOWN_NAME, "eta");
    assert_ok(jsn_noise_create(&noise, "sym"));
    jsn_noise_input in = input(1);
    labels[17] = 10;
    assert_fails(jsn_noise_apply(noise, &in, &r), JSN_ERR_ARGUMENT, "sample 17");
    assert_null(r.labels);
    in = input(1);
    in.samples = 0;
    assert_fails(jsn_noise_apply(noise, &in, &r), JSN_ERR_ARGUMENT, "labels");
    jsn_noise_destroy(noise);
}

static jsn_status whole(void *user)
{
    const jsn_noise_input in = input(1);
    return noise_try(user, &in);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char sym[] = "sym:rate=0.4", other[] = "sym-other:rate=0.4";
    support_walk_allocations(whole, sym);
    support_walk_allocations(whole, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sym_redraws_the_exact_count),
        cmocka_unit_test(test_sym_other_changes_the_exact_count),
        cmocka_unit_test(test_ends_of_the_rate),
        cmocka_unit_test(test_seed_and_part_name_the_draws),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
