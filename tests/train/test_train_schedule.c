/* Schedules against PyTorch's schedulers, stepped once an epoch with base rate 1:
 * MultiStepLR, ExponentialLR, CosineAnnealingLR; and the warm-up. */
#include "support/support.h"
#include "train/schedule.h"

static void check(const char *spec, size_t epochs, const double *want, size_t count)
{
    jsni_schedule schedule;
    assert_ok(jsni_schedule_parse(spec, epochs, &schedule));
    for (size_t e = 0; e < count; e++)
        for (size_t step = 0; step < 3; step++) /* the same within an epoch */
            assert_close(jsni_schedule_factor(&schedule, e, step, 3), want[e], 1e-14,
                         1e-13);
}

static void test_step_drops_where_it_is_told(void **state)
{
    (void)state;
    /* MultiStepLR([4, 6], 0.1) and ([3, 5], 0.5) over 8 epochs */
    static const double tenth[] = {1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01};
    static const double half[] = {1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.25};
    check("step:at=0.5/0.75,factor=0.1", 8, tenth, 8);
    check("step", 8, tenth, 8);
    check("step:at=4/6", 8, tenth, 8);
    check("step:at=0.375/5,factor=0.5", 8, half, 8);
}

static void test_a_place_of_one_is_the_end_of_the_run(void **state)
{
    (void)state;
    static const double same[] = {1, 1, 1, 1};
    check("step:at=1", 4, same, 4);
}

static void test_exp_multiplies_every_epoch(void **state)
{
    (void)state;
    static const double want[] = {1, 0.97, 0.9409, 0.912673, 0.88529281, 0.8587340257};
    check("exp:factor=0.97", 6, want, 6);
    check("exp", 100, want, 6);
}

static void test_cosine_falls_to_its_last_value(void **state)
{
    (void)state;
    static const double zero[] = {1,
                                  0.975528258147577,
                                  0.904508497187474,
                                  0.793892626146237,
                                  0.654508497187474,
                                  0.5,
                                  0.345491502812526,
                                  0.206107373853763,
                                  0.0954915028125263,
                                  0.0244717418524232};
    static const double tenth[] = {1,
                                   0.977975432332819,
                                   0.914057647468726,
                                   0.814503363531613,
                                   0.689057647468726,
                                   0.55,
                                   0.410942352531274,
                                   0.285496636468387,
                                   0.185942352531274,
                                   0.122024567667181};
    check("cosine", 10, zero, 10);
    check("cosine:last=0.1", 10, tenth, 10);
}

static void test_constant_is_constant(void **state)
{
    (void)state;
    static const double want[] = {1, 1, 1};
    check("constant", 3, want, 3);
}

static void test_warmup_rises_step_by_step(void **state)
{
    (void)state;
    jsni_schedule s;
    assert_ok(jsni_schedule_parse("cosine:warmup=2", 8, &s));
    for (size_t i = 0; i < 6; i++) /* 2 epochs of 3 steps: 1/6, 2/6, ... 1 */
        assert_close(jsni_schedule_factor(&s, i / 3, i % 3, 3), (double)(i + 1) / 6.0,
                     1e-15, 0);
    /* CosineAnnealingLR(T_max=6) over the epochs that are left */
    static const double rest[] = {1,    0.933012701892219, 0.75, 0.5,
                                  0.25, 0.0669872981077806};
    for (size_t e = 0; e < 6; e++)
        assert_close(jsni_schedule_factor(&s, e + 2, 0, 3), rest[e], 1e-14, 1e-13);
    assert_ok(jsni_schedule_parse("exp:factor=0.5,warmup=1", 4, &s));
    assert_close(jsni_schedule_factor(&s, 1, 0, 3), 1.0, 0, 0);
    assert_close(jsni_schedule_factor(&s, 2, 0, 3), 0.5, 0, 0);
    /* The places of step count from the start of the run. */
    assert_ok(jsni_schedule_parse("step:at=0.5,warmup=1", 4, &s));
    assert_close(jsni_schedule_factor(&s, 1, 2, 3), 1.0, 0, 0);
    assert_close(jsni_schedule_factor(&s, 2, 0, 3), 0.1, 0, 1e-15);
}

static void test_wrong_specs_are_refused(void **state)
{
    (void)state;
    jsni_schedule s;
    assert_fails(jsni_schedule_parse("linear", 4, &s), JSN_ERR_UNKNOWN_NAME, "cosine");
    assert_fails(jsni_schedule_parse("step:when=3", 4, &s), JSN_ERR_UNKNOWN_NAME, "at");
    assert_fails(jsni_schedule_parse("exp:factor=1.5", 4, &s), JSN_ERR_RANGE, "factor");
    assert_fails(jsni_schedule_parse("cosine:warmup=4", 4, &s), JSN_ERR_RANGE,
                 "warmup");
    assert_fails(jsni_schedule_parse("step:at=0.5/x", 4, &s), JSN_ERR_ARGUMENT, "x");
    for (size_t i = 0; jsni_schedule_entry(i).name != NULL; i++)
        assert_ok(jsni_schedule_parse(jsni_schedule_entry(i).name, 4, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_drops_where_it_is_told),
        cmocka_unit_test(test_a_place_of_one_is_the_end_of_the_run),
        cmocka_unit_test(test_exp_multiplies_every_epoch),
        cmocka_unit_test(test_cosine_falls_to_its_last_value),
        cmocka_unit_test(test_constant_is_constant),
        cmocka_unit_test(test_warmup_rises_step_by_step),
        cmocka_unit_test(test_wrong_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
