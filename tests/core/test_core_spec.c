/* The spec grammar. */
#include "support/support.h"

#include "core/alloc.h"
#include "core/spec.h"

static const jsn_param_info params[] = {
    {"pi1", "weight", 0.5, 0.0, 1.0, JSN_PARAM_REAL},
    {"at", "drops", 0.0, 0.0, 1000.0, JSN_PARAM_REALS},
    {"path", "where", 0.0, 0.0, 0.0, JSN_PARAM_POSITIONAL},
    {"split", "which", 0.0, 0.0, 0.0, JSN_PARAM_TEXT},
};
enum { PI1, AT, PATH, SPLIT, COUNT };

static void test_initial_values_hold_without_keys(void **state)
{
    (void)state;
    jsni_spec_value v[COUNT];
    assert_ok(jsni_spec_values("gjs", params, COUNT, v));
    assert_true(v[PI1].real == 0.5 && !v[PI1].given);
    assert_true(!v[AT].given && !v[PATH].given && !v[SPLIT].given);
}

static void test_keys_lists_and_paths(void **state)
{
    (void)state;
    jsni_spec_value v[COUNT];
    double reals[JSNI_SPEC_MAX_REALS];
    size_t count = 0;
    char *text = NULL;
    assert_ok(jsni_spec_values("x:/data/a,b=c.tar,pi1=0.25,at=0.5/0.75,split=test",
                               params, COUNT, v));
    assert_true(v[PI1].given && v[PI1].real == 0.25);
    jsni_spec_reals(&v[AT], reals, &count);
    assert_int_equal(count, 2);
    assert_true(reals[0] == 0.5 && reals[1] == 0.75);
    assert_ok(jsni_spec_text(&v[PATH], &text));
    assert_string_equal(text, "/data/a,b=c.tar");
    jsni_free(text);
    assert_ok(jsni_spec_text(&v[SPLIT], &text));
    assert_string_equal(text, "test");
    jsni_free(text);
    assert_ok(jsni_spec_values("x:split=test", params, COUNT, v));
    assert_false(v[PATH].given);
}

static void test_names_match_whole(void **state)
{
    (void)state;
    assert_true(jsni_spec_names("gjs:pi1=1", "gjs"));
    assert_true(jsni_spec_names("gjs", "gjs"));
    assert_false(jsni_spec_names("gjs-nocons", "gjs"));
    assert_false(jsni_spec_names("gj", "gjs"));
}

static void test_bad_specs_are_refused_with_the_reason(void **state)
{
    (void)state;
    jsni_spec_value v[COUNT];
    assert_fails(jsni_spec_values("x:p,pi2=1", params, 2, v), JSN_ERR_ARGUMENT,
                 "p,pi2");
    assert_fails(jsni_spec_values("x:pi2=1", params, 2, v), JSN_ERR_UNKNOWN_NAME,
                 "no parameter 'pi2'; did you mean 'pi1'?");
    assert_fails(jsni_spec_values("x:banana=1", params, 2, v), JSN_ERR_UNKNOWN_NAME,
                 "no parameter 'banana' (there are: pi1, at)");
    assert_fails(jsni_spec_values("x:pi1=one", params, 2, v), JSN_ERR_ARGUMENT,
                 "not a number");
    assert_fails(jsni_spec_values("x:pi1=nan", params, 2, v), JSN_ERR_ARGUMENT,
                 "not a number");
    assert_fails(jsni_spec_values("x:pi1=1.5", params, 2, v), JSN_ERR_RANGE, "[0, 1]");
    assert_fails(jsni_spec_values("x:pi1=0.1,pi1=0.2", params, 2, v), JSN_ERR_ARGUMENT,
                 "twice");
    assert_fails(jsni_spec_values("x:", params, 2, v), JSN_ERR_ARGUMENT, "key=value");
    assert_fails(jsni_spec_values("x:pi1=0.1,", params, 2, v), JSN_ERR_ARGUMENT,
                 "key=value");
    assert_fails(jsni_spec_values("x:at=1//2", params, 2, v), JSN_ERR_ARGUMENT,
                 "not a number");
    assert_fails(jsni_spec_values("x:at=1/2000", params, 2, v), JSN_ERR_RANGE, "1000");
    assert_fails(jsni_spec_values("x:a,split=", params, COUNT, v), JSN_ERR_ARGUMENT,
                 "empty");
    char many[400] = "x:at=1";
    for (int i = 0; i < JSNI_SPEC_MAX_REALS; i++)
        strcat(many, "/1");
    assert_fails(jsni_spec_values(many, params, 2, v), JSN_ERR_RANGE, "more than");
}

static void test_a_comma_belongs_to_a_spec_with_a_key_behind_it(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        size_t length;
    } rows[] = {
        {"", 0},
        {",ce", 0},
        {"ce", 2},
        {"ce,mae", 2},
        {"gce:q=0.7,mae", 9},
        {"sce:alpha=0.1,beta=1,mae", 20},
        {"1*nce+1*mae,gce:q=0.7", 11},
        {"ce,gce:q=0.7", 2},
        {"ce,0.5*gce:q=0.7", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(jsni_spec_length(rows[i].list), rows[i].length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_values_hold_without_keys),
        cmocka_unit_test(test_keys_lists_and_paths),
        cmocka_unit_test(test_names_match_whole),
        cmocka_unit_test(test_a_comma_belongs_to_a_spec_with_a_key_behind_it),
        cmocka_unit_test(test_bad_specs_are_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
