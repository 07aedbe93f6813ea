/* tests/sweep/test_sweep_axis.c - axes from texts, values to Optuna's distributions and
 * back, objectives from results. */
#include <math.h>

#include "core/alloc.h"
#include "core/json.h"
#include "store/record_epoch.h"
#include "support/support.h"
#include "sweep/sweep_impl.h"

static void assert_choices(const char *text, const char *const *wanted, size_t count)
{
    jsni_sweep_axis axis;
    assert_ok(jsni_axis_parse(&axis, text));
    assert_int_equal(axis.kind, JSNI_SWEEP_CHOICES);
    assert_int_equal(axis.choices.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(axis.choices.items[i], wanted[i]);
    jsni_axis_release(&axis);
}

static void test_lists_split_at_commas_or_semicolons(void **state)
{
    (void)state;
    assert_choices("lr=0.1,0.2,1e-3", (const char *const[]){"0.1", "0.2", "1e-3"}, 3);
    /* "beta=1" belongs to the spec before it. */
    assert_choices("loss=ce,sce:alpha=0.1,beta=1,gjs:pi1=0.5",
                   (const char *const[]){"ce", "sce:alpha=0.1,beta=1", "gjs:pi1=0.5"},
                   3);
    assert_choices("loss=sce:alpha=0.1,beta=1;ce",
                   (const char *const[]){"sce:alpha=0.1,beta=1", "ce"}, 2);
    assert_choices("data=a,b;c", (const char *const[]){"a,b", "c"}, 2);
}

static void test_ranges_are_read(void **state)
{
    (void)state;
    jsni_sweep_axis axis;
    assert_ok(jsni_axis_parse(&axis, "lr=log:0.001..0.5"));
    assert_int_equal(axis.kind, JSNI_SWEEP_REAL);
    assert_true(axis.log_scale);
    assert_close(axis.low, 0.001, 0.0, 0.0);
    assert_close(axis.high, 0.5, 0.0, 0.0);
    jsni_axis_release(&axis);
    assert_ok(jsni_axis_parse(&axis, "batch=8..64"));
    assert_int_equal(axis.kind, JSNI_SWEEP_INT);
    jsni_axis_release(&axis);
}

/* Both ends of a range of whole numbers are drawn, about as often as their share of the
 * logarithmic range from 1.5 to 4.5 is: 2, 3, 4 have ln(5/3), ln(7/5), ln(9/7) of ln 3. */
static void test_whole_numbers_are_drawn_up_to_the_upper_end(void **state)
{
    (void)state;
    enum { DRAWS = 3000 };
    const double share[] = {log(5.0 / 3.0) / log(3.0), log(7.0 / 5.0) / log(3.0),
                            log(9.0 / 7.0) / log(3.0)};
    size_t logarithmic[3] = {0}, even[3] = {0};
    jsni_rng rng = jsni_rng_stream(1, JSNI_RNG_SWEEP, 0, 0, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        const double a = jsni_axis_draw(2.0, 4.0, true, true, &rng);
        const double b = jsni_axis_draw(2.0, 4.0, true, false, &rng);
        assert_true((a == 2.0 || a == 3.0 || a == 4.0) &&
                    (b == 2.0 || b == 3.0 || b == 4.0));
        logarithmic[(size_t)a - 2]++;
        even[(size_t)b - 2]++;
        const double c = jsni_axis_draw(0.01, 0.1, false, true, &rng);
        assert_true(c >= 0.01 && c <= 0.1);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_close((double)logarithmic[i] / DRAWS, share[i], 0.04, 0.0);
        assert_close((double)even[i] / DRAWS, 1.0 / 3.0, 0.04, 0.0);
    }
}

static void test_wrong_axes_are_refused(void **state)
{
    (void)state;
    jsni_sweep_axis axis;
    assert_fails(jsni_axis_parse(&axis, "weigth-decay=1"), JSN_ERR_UNKNOWN_NAME,
                 "weight-decay");
    assert_fails(jsni_axis_parse(&axis, "lr"), JSN_ERR_ARGUMENT, "lr");
    assert_fails(jsni_axis_parse(&axis, "=1"), JSN_ERR_ARGUMENT, "=1");
    assert_fails(jsni_axis_parse(&axis, "lr=0.1,,0.2"), JSN_ERR_ARGUMENT, "empty");
    assert_fails(jsni_axis_parse(&axis, "lr=0.1,0.1"), JSN_ERR_ARGUMENT, "twice");
    assert_fails(jsni_axis_parse(&axis, "lr=fast"), JSN_ERR_ARGUMENT, "fast");
    assert_fails(jsni_axis_parse(&axis, "epochs=0,1"), JSN_ERR_RANGE, "epochs");
    assert_fails(jsni_axis_parse(&axis, "lr=1..0.1"), JSN_ERR_RANGE, "lr");
    assert_fails(jsni_axis_parse(&axis, "lr=log:0..1"), JSN_ERR_RANGE, "above 0");
    assert_fails(jsni_axis_parse(&axis, "batch=1.5..4"), JSN_ERR_ARGUMENT, "whole");
    assert_fails(jsni_axis_parse(&axis, "config=a,b"), JSN_ERR_ARGUMENT, "config");
    assert_fails(jsni_axis_parse(&axis, "out=a,b"), JSN_ERR_ARGUMENT, "out");
    assert_fails(jsni_axis_parse(&axis, "loss=ce;gjs:pi2=0.1"), JSN_ERR_UNKNOWN_NAME,
                 "pi2");
}

static void assert_round_trip(const jsni_json *axes, const char *name, const char *text,
                              double inner, const char *kind)
{
    double value = NAN;
    char *distribution = NULL, *back = NULL;
    assert_ok(jsni_axis_encode(axes, name, text, &value, &distribution));
    assert_close(value, inner, 0.0, 0.0);
    assert_non_null(strstr(distribution, kind));
    assert_ok(jsni_axis_decode(distribution, value, &back));
    assert_string_equal(back, text);
    jsn_text_release(distribution);
    jsni_free(back);
}

static void test_values_go_to_optuna_and_back(void **state)
{
    (void)state;
    /* As Optuna 5.0 writes them. */
    static const char json[] =
        "{\"lr\": {\"name\": \"CategoricalDistribution\", \"attributes\": "
        "{\"choices\": [0.01, 0.1]}}, \"batch\": {\"name\": \"IntDistribution\", "
        "\"attributes\": {\"log\": false, \"step\": 1, \"low\": 8, \"high\": 64}}, "
        "\"loss\": {\"name\": \"CategoricalDistribution\", \"attributes\": "
        "{\"choices\": [\"ce\", \"gjs:pi1=0.5\"]}}}";
    jsni_json *axes = NULL;
    double value = 0.0;
    char *distribution = NULL;
    assert_ok(jsni_json_parse(&axes, "axes", json, strlen(json)));
    assert_round_trip(axes, "lr", "0.1", 1.0, "CategoricalDistribution");
    assert_round_trip(axes, "batch", "16", 16.0, "IntDistribution");
    assert_round_trip(axes, "loss", "gjs:pi1=0.5", 1.0, "CategoricalDistribution");
    assert_round_trip(axes, "seed", "3", 3.0, "IntDistribution");
    assert_round_trip(axes, "weight-decay", "0.0005", 0.0005, "FloatDistribution");
    assert_round_trip(axes, "noise", "sym:rate=0.4", 0.0, "CategoricalDistribution");
    assert_fails(jsni_axis_encode(axes, "lr", "0.2", &value, &distribution),
                 JSN_ERR_RANGE, "0.2");
    assert_fails(jsni_axis_encode(axes, "batch", "65", &value, &distribution),
                 JSN_ERR_RANGE, "65");
    assert_fails(jsni_axis_encode(axes, "colour", "1", &value, &distribution),
                 JSN_ERR_UNKNOWN_NAME, "colour");
    jsni_json_destroy(axes);
}

static void test_objectives_come_from_results(void **state)
{
    (void)state;
    const jsn_train_result result = {.test_acc = 0.5,
                                     .test_acc_best = NAN,
                                     .val_acc = NAN,
                                     .val_acc_noisy = NAN,
                                     .consistency = 0.25};
    assert_close(jsni_sweep_objective_of("auto", &result), 0.5, 0.0, 0.0);
    assert_close(jsni_sweep_objective_of("consistency", &result), 0.25, 0.0, 0.0);
    assert_true(isnan(jsni_sweep_objective_of("val_acc", &result)));
    assert_true(isnan(jsni_sweep_objective_of("val_acc_noisy", &result)));
    assert_true(isnan(jsni_sweep_objective_of("test_acc_best", &result)));
    /* After an epoch the best is what it is then. */
    jsn_epoch epoch = jsni_epoch_none();
    epoch.test_acc = 0.75;
    assert_close(jsni_sweep_objective_at("test_acc_best", &epoch), 0.75, 0.0, 0.0);
    assert_close(jsni_sweep_objective_at("auto", &epoch), 0.75, 0.0, 0.0);
    assert_true(isnan(jsni_sweep_objective_at("val_acc_noisy", &epoch)));
    epoch.val_acc = 0.5;
    assert_close(jsni_sweep_objective_at("auto", &epoch), 0.5, 0.0, 0.0);
    assert_close(jsni_sweep_objective_at("val_acc_noisy", &epoch), 0.5, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_split_at_commas_or_semicolons),
        cmocka_unit_test(test_ranges_are_read),
        cmocka_unit_test(test_whole_numbers_are_drawn_up_to_the_upper_end),
        cmocka_unit_test(test_wrong_axes_are_refused),
        cmocka_unit_test(test_values_go_to_optuna_and_back),
        cmocka_unit_test(test_objectives_come_from_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
